import { type MouseEvent, memo, type PointerEvent, useRef } from "react";
import type { SessionView } from "../api/types";
import { Glyph } from "../parts/glyph";
import { hiddenCount } from "../parts/hidden";
import { Icon } from "../parts/icons";
import { isPhone } from "../parts/layout";
import { Shown, Stat } from "../parts/text";
import { doingOf, wordOf } from "../state/acts";
import { askOf, nameOf, type Room, shownState, sinceOf, sureWord } from "../state/groups";
import { pick } from "../state/many";
import { go, sessionPath } from "../state/router";
import { sessions } from "../state/sessions";
import { useStore } from "../state/store";
import { age, clock, daemonNow, now, spokenAge } from "../state/time";
import { typeIn } from "../terminal/ahead";
import { pickHere } from "./pick";
import { showWhy } from "./why";

const STEP_WORDS: Record<string, string> = {
  fetch: "1 of 3: fetch",
  worktree: "2 of 3: worktree",
  start: "3 of 3: start",
};

/** State, since, title, stat; the ask when it needs you; agent, repository, branch. */
export const SessionRow = memo(function SessionRow({
  session,
  room,
  index,
  selected,
  stop,
  below,
  picking,
  picked,
}: {
  session: SessionView;
  room: Room;
  index: number;
  selected: boolean;
  /** The one row that the Tab key comes to. */
  stop: boolean;
  /** A shell, below the session that it belongs to. */
  below: boolean;
  /** Sessions are being selected, and whether this one is. */
  picking: boolean;
  picked: boolean;
}) {
  const shown = shownState(session);
  const since = sinceOf(session);
  // Drawn anew only when the words change.
  const short = useStore(now, (time) => age(time - Date.parse(since)));
  const repo = nameOf(session.repo);
  const parent = useStore(sessions, (s) =>
    session.parent === null ? null : (s.byId.get(session.parent)?.title ?? null),
  );
  const hold = useHold(session.id, picking);
  const name = [
    ...(picked ? ["Selected"] : []),
    wordOf(session),
    spokenAge(daemonNow() - Date.parse(since)),
    session.title,
    ...(parent === null ? [] : [`shell of ${parent}`]),
    session.agent,
    repo,
  ].join(", ");
  const guess =
    session.state === "running" && sureWord(session.attention.confidence) === "Guess" && shown !== "unknown";
  const stat = session.diff_stat;
  const step = session.pending === null ? null : (STEP_WORDS[session.pending] ?? doingOf(session));
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the grid
    <div
      role="row"
      id={`row-${session.id}`}
      data-row=""
      data-key={session.id}
      data-id={session.id}
      aria-level={below ? 3 : 2}
      aria-rowindex={index}
      aria-selected={selected}
      aria-label={name}
      tabIndex={stop ? 0 : -1}
      className={["row", room, below ? "below" : "", picking ? "picking" : "", picked ? "picked" : ""]
        .filter(Boolean)
        .join(" ")}
      {...hold}
      onKeyDown={(event) => {
        if (event.key === " " && event.target === event.currentTarget) {
          event.preventDefault();
          pick(session.id);
        }
        if (event.key !== "Enter" || event.target !== event.currentTarget) return;
        event.preventDefault();
        go(sessionPath(session.id));
        typeIn(session.id);
      }}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: see the grid */}
      <div role="gridcell" className="cells">
        <span className="lead">
          <Glyph state={shown} />
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={`Select ${session.title}`}
            checked={picked}
            onChange={() => pick(session.id)}
          />
        </span>
        {/* For a finger, which neither hovers nor has keys; shown to no other pointer. */}
        <button
          type="button"
          className="ask-why"
          tabIndex={-1}
          aria-label={`Why: ${session.title}`}
          onClick={() => showWhy(session.id, "touch")}
        />
        <span className={guess ? "since guess" : "since"} title={clock(since)}>
          {short}
        </span>
        <span className="title">
          <a className="cut" href={sessionPath(session.id)} tabIndex={-1}>
            <Shown text={session.title} />
          </a>
          {parent !== null && <Icon name="term" size="xs" />}
          {session.pinned && <Icon name="pin" size="xs" />}
          {hiddenCount(session.title) > 0 && <Icon name="warn" size="xs" />}
        </span>
        {stat ? <Stat additions={stat.additions} deletions={stat.deletions} wide /> : <span />}
        {room === "hot" && <Ask text={askOf(session)} command={shown === "permission"} />}
        {room !== "rest" && (
          <span className="meta">
            <span className="cut">
              <Shown text={session.agent} />
            </span>
            <span className="cut">
              <Shown text={repo} />
            </span>
            {parent !== null && (
              <span className="cut">
                shell of <Shown text={parent} />
              </span>
            )}
            {step ? (
              <span className="cut">{step}</span>
            ) : (
              session.branch && (
                <span className="mono cut">
                  <Shown text={session.branch} />
                </span>
              )
            )}
          </span>
        )}
      </div>
    </div>
  );
});

const TAIL = 14;

/** A command is shortened in its middle: its end often decides. */
function Ask({ text, command }: { text: string; command: boolean }) {
  const letters = [...text];
  const tail = command && letters.length > 2 * TAIL ? letters.slice(-TAIL).join("") : "";
  const cut = (
    <span className="cut">
      <Shown text={tail === "" ? text : letters.slice(0, -TAIL).join("")} />
    </span>
  );
  return (
    <span className={command ? "ask mono" : "ask"} title={text}>
      {cut}
      {tail !== "" && <Shown text={tail} />}
    </span>
  );
}

const HOLD_MS = 500;
const STILL_PX = 10;

/** A touch that stays selects; so does a tap, once selecting has begun. Shift and a click select a range. */
function useHold(id: string, picking: boolean) {
  const from = useRef<{ x: number; y: number; timer: ReturnType<typeof setTimeout> } | null>(null);
  const held = useRef(false);
  const end = () => {
    if (from.current) clearTimeout(from.current.timer);
    from.current = null;
  };
  return {
    onPointerDown: (event: PointerEvent) => {
      end();
      held.current = false;
      if (event.pointerType !== "touch") return;
      const timer = setTimeout(() => {
        held.current = true;
        pick(id);
      }, HOLD_MS);
      from.current = { x: event.clientX, y: event.clientY, timer };
    },
    onPointerMove: (event: PointerEvent) => {
      const at = from.current;
      if (at && Math.hypot(event.clientX - at.x, event.clientY - at.y) > STILL_PX) end();
    },
    onPointerUp: end,
    onPointerCancel: end,
    onContextMenu: (event: MouseEvent) => {
      if (from.current || held.current) event.preventDefault();
    },
    onClickCapture: (event: MouseEvent) => {
      const box = event.target instanceof HTMLInputElement;
      const tapped = picking && isPhone();
      if (held.current || (!box && tapped) || event.shiftKey) {
        event.preventDefault();
        event.stopPropagation();
        // A click of the keyboard comes with the keys that are held; a held touch has selected already.
        if (event.shiftKey) pickHere(id);
        else if (!held.current) pick(id);
      }
      held.current = false;
    },
  };
}
