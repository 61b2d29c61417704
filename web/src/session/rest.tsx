import { AWAY } from "../api/client";
import { live } from "../api/stream";
import type { ProblemBody, SessionView } from "../api/types";
import { KeyOf } from "../keys/cap";
import type { IconName } from "../parts/icons";
import { Shown, Words } from "../parts/text";
import { capital, doingOf, forgetRefusal, goOnOf, perform, WORDS } from "../state/acts";
import { exitWords } from "../state/groups";
import { useStore } from "../state/store";
import { Banner } from "./banner";
import { HIBERNATED } from "./why";

/** What was refused, above what it concerns. */
export function Refusal({ session, problem }: { session: SessionView; problem: ProblemBody }) {
  return (
    <Banner
      tone="bad"
      icon="warn"
      loud
      acts={
        <button type="button" className="btn" onClick={() => forgetRefusal(session.id)}>
          Close
        </button>
      }
    >
      <span className="strong">
        <Shown text={problem.title} />
      </span>{" "}
      <Words text={problem.hint} />
    </Banner>
  );
}

/** Why the program does not run, or is about not to, what is kept, and how to go on. */
export function RestBanner({
  session,
  exit,
}: {
  session: SessionView;
  /** What the terminal was told, perhaps before the list was. */
  exit: { code: number | null; signal: number | null } | null;
}) {
  const doing = doingOf(session);
  const { problem, state, pending } = session;
  if (doing !== null && pending !== null)
    return (
      <Banner tone="info" icon="clock" acts={<GoOn session={session} />}>
        <span className="strong">{capital(doing)}.</span> {WORDS[pending as keyof typeof WORDS].about}.
      </Banner>
    );
  if (problem)
    return (
      <Banner tone="bad" icon="warn" loud acts={<GoOn session={session} />}>
        <span className="strong">{capital(ENDED[state] ?? state)}.</span> <Shown text={problem.title} />{" "}
        <Words text={problem.hint} />
      </Banner>
    );
  const [head, rest] = wordsOf(session, exit);
  return (
    <Banner tone="plain" icon={ICONS[state] ?? "term"} acts={<GoOn session={session} />}>
      <span className="strong">{head}</span> <Shown text={rest} />
    </Banner>
  );
}

const ICONS: Partial<Record<SessionView["state"], IconName>> = { paused: "pause", hibernated: "moon" };
const ENDED: Partial<Record<SessionView["state"], string>> = { exited: "ended" };

function wordsOf(session: SessionView, told: SessionView["exit"]): [string, string] {
  if (session.state === "paused") return ["Paused.", session.kept ?? ""];
  if (session.state === "hibernated") return ["Hibernated.", HIBERNATED];
  const exit = told ?? session.exit;
  return [exit ? exitWords(exit) : "Ended.", "The screen is kept."];
}

/** What goes on with a session whose program does not run. */
export function GoOn({ session }: { session: SessionView }) {
  const offline = useStore(live, (l) => l.state === "offline");
  const action = goOnOf(session);
  if (action === null) return null;
  return (
    <button
      type="button"
      className="btn ink"
      disabled={offline}
      title={offline ? AWAY : undefined}
      onClick={() => perform(session, action)}
    >
      {WORDS[action].verb} <KeyOf id="go-on" />
    </button>
  );
}
