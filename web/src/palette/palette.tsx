import { type KeyboardEvent, useId, useLayoutEffect, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { live } from "../api/stream";
import { contextNow } from "../keys/action";
import { ACTIONS, actionOf } from "../keys/actions";
import { isOn, useKeys } from "../keys/force";
import { capsOf, wordOfKeys } from "../keys/press";
import { copyText } from "../parts/copy";
import { Glyph } from "../parts/glyph";
import { Icon, type IconName } from "../parts/icons";
import { Keys, Shown } from "../parts/text";
import { stateWord } from "../state/groups";
import { prefs } from "../state/prefs";
import { go } from "../state/router";
import { sessions } from "../state/sessions";
import { patch, useStore } from "../state/store";
import { dialog, full, say } from "../state/ui";
import { type Found, find } from "./find";
import { noteUse, use } from "./use";

const ICONS: Record<Exclude<Found["kind"], "session">, IconName> = {
  action: "fwd",
  place: "list",
  branch: "branch",
  tag: "pin",
  agent: "term",
  all: "search",
};

const SIGNS = [
  [">", "actions"],
  ["#", "tags"],
  ["@", "agents"],
] as const;

/** One input that finds sessions, actions, places and branches. */
export function Palette() {
  const box = useRef<HTMLDialogElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState<string | null>(null);
  const [copied, setCopied] = useState<string | null>(null);
  const list = useId();
  const byId = useStore(sessions, (s) => s.byId);
  const offline = useStore(live, (l) => l.state === "offline");
  const used = useStore(use);
  const keys = useKeys();
  // The place cannot change while it floats, but whether the daemon answers can.
  const context = useMemo(() => ({ ...contextNow(), offline }), [offline]);
  const found = useMemo(
    () => find(typed, { sessions: [...byId.values()], actions: ACTIONS, context, use: used }),
    [typed, byId, context, used],
  );
  const rows = found.flatMap((section) => section.rows);
  const at = Math.max(
    0,
    rows.findIndex(({ id }) => id === chosen),
  );
  const current = rows[at];

  useLayoutEffect(() => {
    const el = box.current;
    if (!el || el.open) return;
    el.showModal();
    input.current?.focus();
    return () => el.close();
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the one that is chosen is brought into sight
  useLayoutEffect(() => {
    box.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [current?.id, typed]);

  const close = () => dialog.set(null);
  const run = (row: Found) => {
    if (row.off !== null) {
      say(row.off);
      return;
    }
    // It closes first, so that the focus is back when the action moves it.
    flushSync(close);
    if (row.action) {
      noteUse(row.action);
      actionOf(row.action).run?.(contextNow());
    } else if (row.path) {
      if (row.path.startsWith("/?")) {
        patch(prefs, { list: true });
        full.set(false);
      }
      go(row.path);
    }
  };
  const onKey = (event: KeyboardEvent<HTMLInputElement>) => {
    const field = event.currentTarget;
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    const plain = field.selectionStart === field.selectionEnd;
    if (step !== undefined && rows.length > 0) {
      const page = Math.abs(step) > 1;
      const next = page
        ? Math.min(rows.length - 1, Math.max(0, at + step))
        : (at + step + rows.length) % rows.length;
      setChosen(rows[next]?.id ?? null);
    } else if (event.key === "Enter") {
      if (current && !event.nativeEvent.isComposing) run(current);
    } else if (event.key === "c" && (event.ctrlKey || event.metaKey) && plain && current?.command) {
      const { command } = current;
      void copyText(command).then((done) => {
        setCopied(done ? command : null);
        say(done ? `Copied ${command}` : "The browser refused to copy");
      });
    } else if (event.key === "k" && (event.ctrlKey || event.metaKey)) close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc closes it, which the browser brings
    <dialog
      ref={box}
      className="dialog palette"
      aria-label="Find"
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onClick={(event) => {
        if (event.target === box.current) close();
      }}
    >
      <div className="ask">
        <Icon name="search" />
        <input
          ref={input}
          role="combobox"
          aria-label="Find sessions, actions, places and branches"
          aria-expanded={rows.length > 0}
          aria-controls={list}
          aria-activedescendant={current ? `${list}-${at}` : undefined}
          aria-autocomplete="list"
          placeholder="Find a session, an action, a place"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          enterKeyHint="go"
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setChosen(null);
          }}
          onKeyDown={onKey}
        />
        <button type="button" className="btn bare icon" aria-label="Close" tabIndex={-1} onClick={close}>
          <Icon name="x" />
        </button>
      </div>
      <div className="found" id={list} role="listbox" aria-label="What was found">
        {found.map((section) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options has no element of its own
          <div key={section.title} role="group" aria-label={section.title}>
            <div className="part" aria-hidden="true">
              {section.title}
            </div>
            {section.rows.map((row) => {
              const key = row.action ? keys[row.action] : null;
              return (
                <Line
                  key={row.id}
                  id={`${list}-${rows.indexOf(row)}`}
                  row={row}
                  keys={key && isOn(key) ? key : null}
                  chosen={row === current}
                  copied={row.command !== null && row.command === copied}
                  onRun={() => run(row)}
                />
              );
            })}
          </div>
        ))}
      </div>
      {rows.length === 0 && (
        <p className="none mid" role="status">
          Nothing here is called that.
        </p>
      )}
      <footer className="hints dim small">
        {SIGNS.map(([sign, words]) => (
          <button
            key={sign}
            type="button"
            onClick={() => {
              setTyped(sign);
              setChosen(null);
              input.current?.focus();
            }}
          >
            <kbd>{sign}</kbd> {words}
          </button>
        ))}
        <span className="right">
          <kbd>↑</kbd> <kbd>↓</kbd> choose
        </span>
        <span>
          <kbd>{wordOfKeys("Ctrl+c")}</kbd> copies the command
        </span>
      </footer>
    </dialog>
  );
}

function Line({
  id,
  row,
  keys,
  chosen,
  copied,
  onRun,
}: {
  id: string;
  row: Found;
  keys: string | null;
  chosen: boolean;
  copied: boolean;
  onRun(): void;
}) {
  const { words, about, state, off, command } = row;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the text field has the keys
    <div
      id={id}
      role="option"
      aria-selected={chosen}
      aria-disabled={off !== null}
      className="hit"
      onMouseDown={(event) => event.preventDefault()}
      onClick={onRun}
    >
      {state ? <Glyph state={state} /> : row.kind !== "session" && <Icon name={ICONS[row.kind]} size="s" />}
      <span className="words">
        <span className="cut">
          <Shown text={words} />
        </span>
        {state && <span className="sr">, {stateWord(state)}, </span>}
        {about !== "" && (
          <span className="about cut">
            <Shown text={about} />
          </span>
        )}
      </span>
      {keys !== null && (
        <>
          <span className="sr">, key {wordOfKeys(keys)}, </span>
          <Keys keys={capsOf(keys)} />
        </>
      )}
      {command !== null && <code className="cut">{copied ? "Copied" : <Shown text={command} />}</code>}
    </div>
  );
}
