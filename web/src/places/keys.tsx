import { useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { Action } from "../keys/action";
import { ACTIONS, type ActionId, actionOf, GROUPS, groupTitle } from "../keys/actions";
import { type Clash, clashOf, isChosen, refusalOf, resetAll, setKey, swapKeys } from "../keys/choose";
import { keyOf, useKeys } from "../keys/force";
import { capsOf, isCharacter, pressOf, wordOfKeys } from "../keys/press";
import { Icon } from "../parts/icons";
import { Keys } from "../parts/text";
import { prefs } from "../state/prefs";
import { patch, useStore } from "../state/store";
import { say } from "../state/ui";

/** So long a second press is waited for. */
const CHORD_MS = 900;

/** The keys of this device, each of which can be changed. */
export function KeyChoices() {
  const own = useStore(prefs, (p) => p.keys);
  const letters = useStore(prefs, (p) => p.letterKeys);
  const [before, setBefore] = useState<typeof own | null>(null);
  const [filter, setFilter] = useState("");
  const changed = Object.keys(own).length > 0;
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (one: Action) =>
    words.every((word) => `${one.words} ${one.also ?? ""}`.toLowerCase().includes(word));
  return (
    <section className="keychoices" id="keys" tabIndex={-1} aria-labelledby="keys-title">
      <header>
        <h2 id="keys-title">Keys</h2>
        <div className="field quiet">
          <Icon name="search" size="s" />
          <input
            type="text"
            aria-label="Filter the keys"
            placeholder="Filter the keys"
            autoComplete="off"
            spellCheck={false}
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
          />
        </div>
        {before !== null ? (
          <button
            type="button"
            id="keys-reset"
            className="btn"
            onClick={() => {
              patch(prefs, { keys: before });
              setBefore(null);
            }}
          >
            Undo the reset
          </button>
        ) : (
          <button
            type="button"
            id="keys-reset"
            className="btn"
            disabled={!changed}
            onClick={() => {
              setBefore(own);
              resetAll();
              say("All keys are as they were at first");
            }}
          >
            Reset all
          </button>
        )}
      </header>
      <p className="dim small">
        Press a key to change it, then the new one, or two in turn. They are kept in this browser.
        {!letters && " Keys of one letter are off: those do nothing until they are on again."}
      </p>
      {GROUPS.map(({ group }) => {
        const rows = ACTIONS.filter((one) => one.group === group && fits(one));
        if (rows.length === 0) return null;
        return (
          <section key={group} aria-label={groupTitle(group)}>
            <h3>{groupTitle(group)}</h3>
            <ul>
              {rows.map((one) => (
                <Choice key={one.id} one={one} onChange={() => setBefore(null)} />
              ))}
            </ul>
          </section>
        );
      })}
      {words.length > 0 && !ACTIONS.some(fits) && <p className="mid">No action is called that.</p>}
    </section>
  );
}

/** One action and its key. */
function Choice({ one, onChange }: { one: Action<ActionId>; onChange(): void }) {
  const { id, words, fixed } = one;
  const key = useKeys()[id] ?? null;
  const chosen = useStore(prefs, (p) => isChosen(id, p.keys));
  const [records, setRecords] = useState(false);
  const [told, setTold] = useState<string | null>(null);
  const [asks, setAsks] = useState<{ keys: string; clash: Clash } | null>(null);
  const button = `key-${id}`;
  const end = () => {
    // Drawn at once: what records has the same id, and must not get the focus that is to stay.
    flushSync(() => {
      setRecords(false);
      setAsks(null);
    });
    // At once as well: a moment later somebody may be elsewhere.
    document.getElementById(button)?.focus();
  };
  const take = (keys: string | null) => {
    onChange();
    setKey(id, keys);
    say(keys === null ? `${words}: no key` : `${words}: ${wordOfKeys(keys)}`);
    end();
  };
  const offer = (keys: string | null) => {
    setTold(null);
    if (keys === null || keys === keyOf(id)) return keys === null ? take(null) : end();
    const refused = refusalOf(id, keys);
    const clash = refused === null ? clashOf(id, keys) : null;
    if (refused !== null) {
      setTold(refused);
      end();
    } else if (clash) {
      setRecords(false);
      setAsks({ keys, clash });
    } else take(keys);
  };
  return (
    <li className="keychoice">
      <span id={`${button}-name`}>{words}</span>
      {fixed ? (
        <span className="dim small fixed">
          <Keys keys={key === null ? [] : capsOf(key)} />
          <span className="sr">{key === null ? "no key" : wordOfKeys(key)}</span> cannot be changed
        </span>
      ) : (
        <span className="acts">
          {chosen && !records && (
            <button
              type="button"
              className="btn bare"
              aria-label={`Reset the key of ${words}`}
              onClick={() => offer(one.key)}
            >
              Reset
            </button>
          )}
          {records ? (
            <Recorder
              id={button}
              removable={id !== "leave"}
              onKey={offer}
              onEnd={end}
              onLeave={() => setRecords(false)}
            />
          ) : (
            <button
              type="button"
              id={button}
              className="btn low"
              onClick={() => {
                setTold(null);
                setAsks(null);
                setRecords(true);
              }}
            >
              <span className="sr">
                {words}: {key === null ? "no key" : wordOfKeys(key)}. Change
              </span>
              {key === null ? (
                <span className="dim" aria-hidden="true">
                  None
                </span>
              ) : (
                <Keys keys={capsOf(key)} />
              )}
            </button>
          )}
        </span>
      )}
      {told !== null && (
        <p className="small refusal" role="alert">
          {told}
        </p>
      )}
      {asks && <Ask id={id} {...asks} onTake={take} onEnd={end} onChange={onChange} />}
    </li>
  );
}

/** Takes the next press, or two in turn. Esc and Tab leave it as it was. */
function Recorder({
  id,
  removable,
  onKey,
  onEnd,
  onLeave,
}: {
  id: string;
  removable: boolean;
  onKey(keys: string | null): void;
  onEnd(): void;
  /** The focus has gone elsewhere. */
  onLeave(): void;
}) {
  const [first, setFirst] = useState<string | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const done = useRef(onKey);
  done.current = onKey;
  useEffect(() => button.current?.focus(), []);
  useEffect(() => {
    if (first === null) return;
    const timer = setTimeout(() => done.current(first), CHORD_MS);
    return () => clearTimeout(timer);
  }, [first]);
  return (
    <button
      ref={button}
      id={id}
      type="button"
      className="btn low recording"
      aria-live="polite"
      onBlur={() => first === null && onLeave()}
      onClick={onEnd}
      onKeyDown={(event) => {
        if (event.key === "Tab") return;
        const press = pressOf(event.nativeEvent);
        event.preventDefault();
        event.stopPropagation();
        if (press === null || event.repeat) return;
        if (press === "Escape") onEnd();
        else if (press === "Backspace" || press === "Delete") removable ? onKey(null) : onEnd();
        else if (first !== null) onKey(`${first} ${press}`);
        else if (isCharacter(press)) setFirst(press);
        else onKey(press);
      }}
    >
      {first === null ? (
        `Press a key${removable ? "; Backspace for none" : ""}`
      ) : (
        <>
          <Keys keys={capsOf(first)} />
          <span className="sr">{wordOfKeys(first)}</span> and then?
        </>
      )}
    </button>
  );
}

/** Another action has the key: who gets it. */
function Ask({
  id,
  keys,
  clash: { other, canBoth },
  onTake,
  onEnd,
  onChange,
}: {
  id: ActionId;
  keys: string;
  clash: Clash;
  onTake(keys: string): void;
  onEnd(): void;
  onChange(): void;
}) {
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => first.current?.focus(), []);
  const old = keyOf(id);
  const theirs = keyOf(other.id);
  return (
    <div
      className="clash small"
      role="alertdialog"
      aria-label="The key is taken"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onEnd();
      }}
    >
      <p>
        {theirs === keys ? wordOfKeys(keys) : `${wordOfKeys(theirs ?? "")}, which it would hide or wait for,`}{" "}
        is the key of “{other.words}”, {placeWords(other)}.
        {canBoth && ` With both, ${narrower(id, other.id)} wins where both hold.`}
      </p>
      <span className="acts">
        {!other.fixed && (
          <>
            <button
              ref={first}
              type="button"
              className="btn low"
              onClick={() => {
                setKey(other.id, null);
                onTake(keys);
              }}
            >
              Take it from there
            </button>
            {old !== null && (
              <button
                type="button"
                className="btn low"
                onClick={() => {
                  onChange();
                  swapKeys(id, keys, other.id);
                  onEnd();
                }}
              >
                Swap: {wordOfKeys(old)} for that
              </button>
            )}
          </>
        )}
        {canBoth && (
          <button type="button" className="btn low" onClick={() => onTake(keys)}>
            Keep both
          </button>
        )}
        <button type="button" ref={other.fixed ? first : undefined} className="btn low" onClick={onEnd}>
          Cancel
        </button>
      </span>
    </div>
  );
}

function placeWords(one: Action): string {
  const title = groupTitle(one.group);
  return title.charAt(0).toLowerCase() + title.slice(1);
}

/** The one of two whose place is the narrower. */
function narrower(a: ActionId, b: ActionId): string {
  const place = (id: ActionId) => GROUPS.findIndex(({ group }) => group === actionOf(id).group);
  return `“${actionOf(place(a) < place(b) ? a : b).words}”`;
}
