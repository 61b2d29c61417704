import { memo } from "react";
import type { SessionView } from "../api/types";
import { Glyph } from "../parts/glyph";
import { hiddenCount } from "../parts/hidden";
import { Icon } from "../parts/icons";
import { Shown, Stat } from "../parts/text";
import { doingOf, wordOf } from "../state/acts";
import { askOf, nameOf, type Room, shownState, sinceOf, sureWord } from "../state/groups";
import { go, sessionPath } from "../state/router";
import { useStore } from "../state/store";
import { age, clock, now, spokenAge } from "../state/time";
import { focusSoon } from "../state/ui";

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
}: {
  session: SessionView;
  room: Room;
  index: number;
  selected: boolean;
  /** The one row that the Tab key comes to. */
  stop: boolean;
}) {
  const shown = shownState(session);
  const since = sinceOf(session);
  // Drawn anew only when the words change.
  const short = useStore(now, (time) => age(time - Date.parse(since)));
  const repo = nameOf(session.repo);
  const name = [
    wordOf(session),
    spokenAge(Date.now() - Date.parse(since)),
    session.title,
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
      data-id={session.id}
      aria-level={2}
      aria-rowindex={index}
      aria-selected={selected}
      aria-label={name}
      tabIndex={stop ? 0 : -1}
      className={`row ${room}`}
      onKeyDown={(event) => {
        if (event.key !== "Enter" || event.target !== event.currentTarget) return;
        event.preventDefault();
        go(sessionPath(session.id));
        focusSoon(".term textarea");
      }}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: see the grid */}
      <div role="gridcell" className="cells">
        <Glyph state={shown} />
        <span className={guess ? "since guess" : "since"} title={clock(since)}>
          {short}
        </span>
        <span className="title">
          <a className="cut" href={sessionPath(session.id)} tabIndex={-1}>
            <Shown text={session.title} />
          </a>
          {session.pinned && <Icon name="pin" size="xs" />}
          {hiddenCount(session.title) > 0 && <Icon name="warn" size="xs" />}
        </span>
        {stat ? <Stat additions={stat.additions} deletions={stat.deletions} wide /> : <span />}
        {room === "hot" && (
          <span className={shown === "permission" ? "ask cut mono" : "ask cut"}>
            <Shown text={askOf(session)} />
          </span>
        )}
        {room !== "rest" && (
          <span className="meta">
            <span className="cut">
              <Shown text={session.agent} />
            </span>
            <span className="cut">
              <Shown text={repo} />
            </span>
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
