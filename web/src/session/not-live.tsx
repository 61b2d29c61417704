import type { SessionView } from "../api/types";
import { reuseDraft } from "../create/draft";
import { KeyOf } from "../keys/cap";
import { removeAndGoOn } from "../list/remove";
import { Icon } from "../parts/icons";
import { Problem } from "../parts/problem";
import { Shown } from "../parts/text";
import { act, capital, doingOf } from "../state/acts";
import { go } from "../state/router";
import { STEPS } from "../state/steps";
import { useStore } from "../state/store";
import { dialog } from "../state/ui";
import { awaited } from "../terminal/ahead";
import { GoOn } from "./rest";

/** What stands in the terminal's place while there is none. */
export function NotLive({ session }: { session: SessionView }) {
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
