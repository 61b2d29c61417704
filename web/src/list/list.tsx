import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import { live } from "../api/stream";
import type { SessionView } from "../api/types";
import { KeyOf } from "../keys/cap";
import { Icon } from "../parts/icons";
import { useLayout } from "../parts/layout";
import { Line } from "../parts/line";
import { number } from "../parts/number";
import { Loading, Problem } from "../parts/problem";
import { Shown } from "../parts/text";
import { offsetsOf, seen, useScroll } from "../parts/window";
import { type Group, group, isOpen } from "../state/groups";
import { beginPicking, endPicking, picked } from "../state/many";
import { prefs } from "../state/prefs";
import { go, sessionPath, setQuery, where } from "../state/router";
import { refresh, sessions } from "../state/sessions";
import { createStore, patch, useStore } from "../state/store";
import { clock } from "../state/time";
import { dialog } from "../state/ui";
import { ArrangeMenu, gridName, useArrangement } from "./arrange";
import { PickBar, RefusedMany } from "./bar";
import { pickHere } from "./pick";
import { SessionRow } from "./row";
import { heightOf, hold, type Row, rowsOf, stopOf } from "./rows";
import { UndoStrip } from "./undo";

/** The rows as they stand on the page, for the keys that go through them. */
export const shownRows = createStore<Row[]>([]);

const HOLD_MS = 2000;
const VIRTUAL_ABOVE = 100;

export function SessionList({ selected }: { selected: string | null }) {
  const { byId, state, problem } = useStore(sessions);
  const filter = useStore(where, (w) => w.filter);
  const closed = useStore(prefs, (p) => p.closed);
  const { by, sort } = useArrangement();
  const wanted = useMemo(() => group(byId.values(), filter, { by, sort }), [byId, filter, by, sort]);
  const pointed = useRef(false);
  // What was asked for by hand is shown at once.
  const groups = useHeld(wanted, `${by} ${sort} ${filter}`, pointed);
  const rows = useMemo(() => rowsOf(groups, byId, closed), [groups, byId, closed]);
  const total = useMemo(() => [...byId.values()].filter(isOpen).length, [byId]);
  useEffect(() => shownRows.set(rows), [rows]);
  return (
    <section aria-label="Sessions" className="sessions">
      {(total > 1 || filter !== "") && <Filter filter={filter} />}
      <div
        className="scroll-box"
        style={{ display: "contents" }}
        onPointerEnter={() => {
          pointed.current = true;
        }}
        onPointerLeave={() => {
          pointed.current = false;
        }}
      >
        {state === "loading" && <Loading what="Reading the sessions" />}
        {state === "failed" && problem && (
          <div className="blank">
            <Problem problem={problem}>
              <button type="button" className="btn" onClick={() => void refresh()}>
                Try again
              </button>
            </Problem>
          </div>
        )}
        {state === "ready" && total === 0 && <Empty />}
        {state === "ready" && total > 0 && rows.length === 0 && <NoMatch filter={filter} />}
        {rows.length > 0 && <Rows rows={rows} byId={byId} selected={selected} />}
        {rows.length === 0 && <div style={{ flex: 1 }} />}
      </div>
      <RefusedMany />
      <UndoStrip />
      <PickBar />
      <Foot total={total} byId={byId} />
    </section>
  );
}

/** New order waits until the pointer has left, or for two seconds from the first change that waits. */
function useHeld(wanted: Group[], asked: string, pointed: React.RefObject<boolean>): Group[] {
  const [held, setHeld] = useState(wanted);
  const due = useRef<number | null>(null);
  const lastAsked = useRef(asked);
  const typed = lastAsked.current !== asked;
  useEffect(() => {
    lastAsked.current = asked;
    const show = () => {
      due.current = null;
      setHeld(wanted);
    };
    if (!pointed.current || typed) return show();
    due.current ??= Date.now() + HOLD_MS;
    const timer = setTimeout(show, due.current - Date.now());
    return () => clearTimeout(timer);
  }, [wanted, asked, pointed, typed]);
  return held === wanted || typed ? wanted : hold(held, wanted);
}

function Filter({ filter }: { filter: string }) {
  return (
    <search className="tools">
      <div className="field quiet">
        <Icon name="search" size="s" />
        <input
          id="filter"
          type="text"
          aria-label="Filter sessions"
          placeholder="Filter sessions"
          autoComplete="off"
          spellCheck={false}
          value={filter}
          onChange={(event) => setQuery("q", event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Escape") {
              setQuery("q", null);
              event.currentTarget.blur();
            }
            if (event.key === "Enter" || event.key === "ArrowDown") {
              const first = shownRows.get().find((row) => row.kind === "session");
              if (first?.kind === "session") {
                event.preventDefault();
                go(sessionPath(first.id));
                focusRow(first.id);
              }
            }
          }}
        />
        {filter === "" && <KeyOf id="filter" />}
      </div>
      <ArrangeMenu />
    </search>
  );
}

export function focusRow(id: string) {
  requestAnimationFrame(() => document.getElementById(`row-${id}`)?.focus());
}

function Rows({
  rows,
  byId,
  selected,
}: {
  rows: Row[];
  byId: ReadonlyMap<string, SessionView>;
  selected: string | null;
}) {
  const box = useRef<HTMLDivElement>(null);
  const phone = useLayout() === "phone";
  const { top, height } = useScroll(box);
  const virtual = rows.length > VIRTUAL_ABOVE;
  const offsets = useMemo(() => offsetsOf(rows.map((row) => heightOf(row, phone))), [rows, phone]);
  const range = virtual ? seen(offsets, top, height) : { first: 0, end: rows.length };
  const stop = stopOf(rows, selected);
  const picks = useStore(picked);
  const { by } = useArrangement();

  // The selected row is brought into sight when the selection changes, not when rows move.
  const last = useRef<string | null>(null);
  useEffect(() => {
    if (selected === null || last.current === selected) return;
    last.current = selected;
    const at = rows.findIndex((row) => row.kind === "session" && row.id === selected);
    const el = box.current;
    if (at < 0 || !el) return;
    const from = offsets[at] ?? 0;
    const to = offsets[at + 1] ?? from;
    if (from < el.scrollTop) el.scrollTop = from - 28;
    else if (to > el.scrollTop + el.clientHeight) el.scrollTop = to - el.clientHeight + 12;
  }, [selected, rows, offsets]);

  const onKey = (event: KeyboardEvent) => {
    const focusable = [...(box.current?.querySelectorAll<HTMLElement>("[data-row]") ?? [])];
    const at = focusable.indexOf(document.activeElement as HTMLElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || at < 0) return;
    event.preventDefault();
    const to = focusable[at + step];
    const before = focusable[at]?.dataset.id ?? null;
    to?.focus();
    if (event.shiftKey && to?.dataset.id) pickHere(to.dataset.id, before);
    if (to?.dataset.id) go(sessionPath(to.dataset.id), "replace");
  };

  return (
    <div className="scroll" ref={box}>
      <div
        role="treegrid"
        aria-label={gridName(by)}
        aria-rowcount={rows.length}
        tabIndex={-1}
        onKeyDown={onKey}
      >
        {range.first > 0 && <div style={{ height: offsets[range.first] }} aria-hidden="true" />}
        {rows.slice(range.first, range.end).map((row, i) => {
          const index = range.first + i + 1;
          if (row.kind === "group") return <Head key={row.key} row={row} index={index} stop={row === stop} />;
          const session = byId.get(row.id);
          if (!session) return null;
          return (
            <SessionRow
              key={row.id}
              session={session}
              room={row.room}
              index={index}
              selected={row.id === selected}
              stop={row === stop}
              below={row.below}
              picking={picks.on}
              picked={picks.ids.has(row.id)}
            />
          );
        })}
        {range.end < rows.length && (
          <div style={{ height: (offsets.at(-1) ?? 0) - (offsets[range.end] ?? 0) }} aria-hidden="true" />
        )}
      </div>
    </div>
  );
}

function Head({ row, index, stop }: { row: Extract<Row, { kind: "group" }>; index: number; stop: boolean }) {
  const toggle = () =>
    patch(prefs, {
      closed: row.closed
        ? prefs.get().closed.filter((key) => key !== row.key)
        : [...prefs.get().closed, row.key],
    });
  const classes = ["group", row.key === "Needs you" ? "hot" : "", row.again ? "again" : ""];
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the grid
    <div
      role="row"
      aria-level={1}
      aria-rowindex={index}
      aria-expanded={!row.closed}
      tabIndex={stop ? 0 : -1}
      data-row=""
      className={classes.join(" ")}
      onClick={toggle}
      onKeyDown={(event) => {
        if (event.key === "Enter" || event.key === " ") toggle();
        else if (event.key === "ArrowRight" && row.closed) toggle();
        else if (event.key === "ArrowLeft" && !row.closed) toggle();
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: see the grid */}
      <span role="gridcell" style={{ display: "flex", gap: 6, alignItems: "center" }}>
        <Icon name={row.closed ? "fwd" : "down"} size="xs" />
        <span className="cut">
          <Shown text={row.name} />
        </span>{" "}
        <b>{row.count}</b>
      </span>
    </div>
  );
}

function Empty() {
  return (
    <div className="blank">
      <h2>Nothing runs here yet</h2>
      <p className="mid">A session is an agent in its own worktree. A shell or any command works as well.</p>
      <div className="acts">
        <button type="button" className="btn ink" onClick={() => dialog.set("create")}>
          New session <KeyOf id="new" />
        </button>
      </div>
      <h2 style={{ marginTop: 20 }}>Adopt from tmux</h2>
      <p className="mid">
        What already runs in your own tmux is watched where it is. Name its pane as tmux does;{" "}
        <code>tmux list-panes -a</code> lists them.
      </p>
      <Line text="qd adopt work:1.0" />
    </div>
  );
}

function NoMatch({ filter }: { filter: string }) {
  return (
    <div className="blank">
      <p className="mid">
        No session matches <span className="mono">{filter}</span>
      </p>
      <div className="acts">
        <button type="button" className="btn" onClick={() => setQuery("q", null)}>
          Clear filter <kbd aria-hidden="true">Esc</kbd>
        </button>
      </div>
    </div>
  );
}

/** Begins and ends selecting, for who has no keys. */
export function SelectButton({ total, className }: { total: number; className: string }) {
  const on = useStore(picked, (p) => p.on);
  if (total === 0) return null;
  return (
    <button type="button" className={className} aria-pressed={on} onClick={on ? endPicking : beginPicking}>
      Select
    </button>
  );
}

function Foot({ total, byId }: { total: number; byId: ReadonlyMap<string, SessionView> }) {
  const offline = useStore(live, (l) => l.state === "offline");
  const readAt = useStore(sessions, (s) => s.readAt);
  const phone = useLayout() === "phone";
  let trashed = 0;
  for (const session of byId.values()) if (session.state === "trashed") trashed += 1;
  if (phone) return null;
  return (
    <div className="foot num">
      <span>
        {number(total, "session")}
        {offline && readAt > 0 && ` as of ${clock(readAt)}`}
      </span>
      <span className="right">
        <SelectButton total={total} className="foot-btn" />
      </span>
      <a href="/trash">Trash {trashed > 0 ? trashed : ""}</a>
    </div>
  );
}
