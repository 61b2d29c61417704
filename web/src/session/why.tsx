import type { SessionView } from "../api/types";
import { Glyph } from "../parts/glyph";
import { Icon } from "../parts/icons";
import { Shown } from "../parts/text";
import { doingOf, wordOf } from "../state/acts";
import { exitWords, shownState, sinceOf, sureWord } from "../state/groups";
import { useStore } from "../state/store";
import { age, clock, longAge, now } from "../state/time";

const SOURCES: Record<string, string> = {
  hook: "Hook",
  "status-sequence": "Status",
  "status-file": "Status file",
  "agent-api": "Agent API",
  transcript: "Transcript",
  title: "Title",
  screen: "Screen",
  process: "Process",
  none: "Nothing",
};

/** The state of a session, for how long, and how sure that is. */
export function StateLine({
  session,
  title: Title = "h2",
}: {
  session: SessionView;
  title?: "h2" | "strong";
}) {
  const time = useStore(now);
  // How long the state before it held says nothing of what is under way.
  const underWay = doingOf(session) !== null;
  return (
    <>
      <Glyph state={shownState(session)} />
      <Title>{wordOf(session)}</Title>
      {!underWay && (
        <span className="dim num" title={clock(sinceOf(session))}>
          for {longAge(time - Date.parse(sinceOf(session)))}
        </span>
      )}
      {!underWay && isSeen(session) && (
        <span className="tag right">{sureWord(session.attention.confidence)}</span>
      )}
    </>
  );
}

/** Why a session is in its state: in a sentence, and source by source. */
export function Reasons({ session }: { session: SessionView }) {
  const time = useStore(now);
  const { evidence } = session.attention;
  return (
    <>
      <p className="small mid">
        <Shown text={whyOf(session)} />
      </p>
      {session.state === "running" && evidence.length > 0 && (
        <ul className="proof">
          {evidence.map((proof) => (
            <li key={`${proof.source} ${proof.says}`}>
              <Icon name="check" size="xs" />
              <span>{sourceWord(proof.source)}</span>
              <span className="mid cut" title={proof.says}>
                <Shown text={proof.says} />
              </span>
              <span className="dim num">{age(time - Date.parse(proof.at))}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** Whether something tells of the program of a session what it does. */
export function isSeen({ state, attention }: SessionView): boolean {
  return state === "running" && attention.source !== "none";
}

export function sourceWord(source: string): string {
  return SOURCES[source] ?? source;
}

function whyOf(session: SessionView): string {
  if (session.state === "running") return session.attention.why;
  if (session.state === "failed") return session.problem?.title ?? "";
  if (session.state === "trashed" || session.state === "paused") return session.kept ?? "";
  if (session.state === "hibernated") return HIBERNATED;
  return session.exit ? exitWords(session.exit) : "";
}

export const HIBERNATED = "Its program was ended to free memory; its files are where they were.";
