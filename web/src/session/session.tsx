import type { SessionView } from "../api/types";
import { reuseDraft } from "../create/draft";
import { DiffPane } from "../diff/pane";
import { KeyOf } from "../keys/cap";
import { removeAndGoOn } from "../list/remove";
import { late } from "../parts/boundary";
import { Icon } from "../parts/icons";
import { useLayout } from "../parts/layout";
import { Loading, Problem } from "../parts/problem";
import { Shown, Stat } from "../parts/text";
import { act, capital, doingOf, refusals } from "../state/acts";
import { go, sessionPath, type Tab } from "../state/router";
import { STEPS } from "../state/steps";
import { useStore } from "../state/store";
import { dialog, full } from "../state/ui";
import { awaited } from "../terminal/ahead";
import { Head, PhoneHead } from "./head";
import { GoOn, Refusal } from "./rest";

const loadPane = () => import("../terminal/pane");
const loadChips = () => import("../terminal/chips");
const TerminalPane = late(loadPane, { wait: <Loading what="Reading the terminal" ghosts={false} /> });
const TerminalChips = late(loadChips, { quiet: true });

/** Reads the code of the terminal before it is needed. */
export function preloadTerminal() {
  for (const load of [loadPane, loadChips]) load().catch(() => undefined);
}

/** One session: its head, its tabs, and the tab that is open. */
export function Session({ session, tab }: { session: SessionView; tab: Tab }) {
  const phone = useLayout() === "phone";
  const bare = useStore(full);
  const live = ["running", "exited", "paused", "hibernated"].includes(session.state);
  const inPane = live && tab === "terminal";
  const refused = useStore(refusals, (all) => all[session.id]);
  return (
    <>
      {phone ? <PhoneHead session={session} /> : <Head session={session} />}
      <Tabs session={session} tab={tab} live={live} phone={phone} />
      {refused && !inPane && <Refusal session={session} problem={refused} />}
      {tab === "diff" && live && session.worktree !== null && !bare ? (
        <DiffPane key={session.id} session={session} />
      ) : live ? (
        <TerminalPane session={session} />
      ) : (
        <NotLive session={session} />
      )}
    </>
  );
}

function Tabs({
  session,
  tab,
  live,
  phone,
}: {
  session: SessionView;
  tab: Tab;
  live: boolean;
  phone: boolean;
}) {
  // Nobody types to a program that does not run, and its size is what it was.
  const chips = tab === "terminal" && session.state === "running" && <TerminalChips session={session} />;
  return (
    <>
      <nav className="tabs" aria-label="Session">
        <a href={sessionPath(session.id)} aria-current={tab === "terminal" ? "page" : undefined}>
          Terminal
        </a>
        {live && session.worktree !== null && (
          <a href={sessionPath(session.id, "diff")} aria-current={tab === "diff" ? "page" : undefined}>
            Diff
            {session.diff_stat && (
              <Stat additions={session.diff_stat.additions} deletions={session.diff_stat.deletions} />
            )}
          </a>
        )}
        {!phone && (
          <span className="chips num" id="chips">
            {chips}
          </span>
        )}
      </nav>
      {phone && chips && <div className="pstat num">{chips}</div>}
    </>
  );
}

/** What stands in the terminal's place while there is none. */
function NotLive({ session }: { session: SessionView }) {
  const typed = useStore(awaited, (id) => id === session.id);
  if (session.state === "creating") {
    const at = STEPS.findIndex(([step]) => step === session.pending);
    return (
      <div className="blank mid-page">
        <h2>Creating</h2>
        <ol className="steps">
          {STEPS.map(([step, words], i) => (
            <li key={step} className={i < at ? "past" : ""} aria-current={i === at ? "step" : undefined}>
              <Icon name={i < at ? "check" : i === at ? "fwd" : "minus"} size="s" />
              {i + 1} of {STEPS.length}: {words}
            </li>
          ))}
        </ol>
        {typed && (
          <p className="mid">
            What you type goes to its program once it runs. <KeyOf id="leave" loud /> leaves.
          </p>
        )}
        <Messages session={session} />
      </div>
    );
  }
  if (session.state === "failed")
    return (
      <div className="blank">
        <Problem
          problem={
            session.problem ?? {
              code: "internal",
              title: "It could not be started.",
              hint: "Look at the daemon's log.",
            }
          }
        >
          {session.worktree === null ? (
            <button
              type="button"
              className="btn"
              onClick={() => {
                reuseDraft(session);
                dialog.set("create");
              }}
            >
              Try again
            </button>
          ) : (
            <GoOn session={session} />
          )}
          <button type="button" className="btn" onClick={() => removeAndGoOn(session)}>
            Delete
          </button>
        </Problem>
        <Messages session={session} />
      </div>
    );
  if (session.state === "trashed")
    return (
      <div className="blank mid-page">
        <h2>In the trash</h2>
        {session.kept && (
          <p className="mid">
            <Shown text={session.kept} />
          </p>
        )}
        {session.problem && <Problem problem={session.problem} />}
        <div className="acts">
          {session.pending === null ? (
            <button type="button" className="btn ink" onClick={() => void act(session, "restore")}>
              Restore
            </button>
          ) : (
            <span className="mid">{capital(doingOf(session) ?? "")}</span>
          )}
          <button type="button" className="btn" onClick={() => go("/trash")}>
            Open the trash
          </button>
        </div>
      </div>
    );
  return null;
}

function Messages({ session }: { session: SessionView }) {
  if (session.messages.length === 0) return null;
  return (
    <ul className="mid small">
      {session.messages.map((words) => (
        <li key={words}>
          <Shown text={words} />
        </li>
      ))}
    </ul>
  );
}
