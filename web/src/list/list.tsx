import { useEffect, useMemo, useRef, useState } from "react";
import { live } from "../api/stream";
import type { SessionView } from "../api/types";
import { KeyOf } from "../keys/cap";
import { Icon } from "../parts/icons";
import { useLayout } from "../parts/layout";
import { Line } from "../parts/line";
import { number } from "../parts/number";
import { Loading, Problem } from "../parts/problem";
import { type Group, group, isOpen } from "../state/groups";
import { beginPicking, endPicking, picked } from "../state/many";
import { prefs } from "../state/prefs";
import { go, sessionPath, setQuery, where } from "../state/router";
import { refresh, sessions } from "../state/sessions";
import { createStore, useStore } from "../state/store";
import { clock } from "../state/time";
import { dialog } from "../state/ui";
import { ArrangeMenu, useArrangement } from "./arrange";
import { PickBar, RefusedMany } from "./bar";
import { Rows } from "./grid";
import { hold, type Row, rowsOf } from "./rows";
import { UndoStrip } from "./undo";
import { WhyCard } from "./why";

/** The rows as they stand on the page, for the keys that go through them. */
export const shownRows = createStore<Row[]>([]);

const HOLD_MS = 2000;

export function SessionList({ selected }: { selected: string | null }) {
  const { byId, state, problem } = useStore(sessions);
  const filter = useStore(where, (w) => w.filter);
  const closed = useStore(prefs, (p) => p.closed);
  const full = useStore(prefs, (p) => p.full);
  const { by, sort } = useArrangement();
  const wanted = useMemo(() => group(byId.values(), filter, { by, sort }), [byId, filter, by, sort]);
  const pointed = useRef(false);
  // What was asked for by hand is shown at once.
  const groups = useHeld(wanted, `${by} ${sort} ${filter}`, pointed);
  const rows = useMemo(
    () => rowsOf(groups, byId, { closed, full, selected, filtered: filter !== "" }),
    [groups, byId, closed, full, selected, filter],
  );
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
      <WhyCard />
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
