import { useEffect, useMemo, useState } from "react";
import { AWAY } from "../api/client";
import { live } from "../api/stream";
import type { ProblemBody, SessionView } from "../api/types";
import { Dialog } from "../parts/dialog";
import { plain } from "../parts/hidden";
import { Loading, Problem } from "../parts/problem";
import { Shown } from "../parts/text";
import { act } from "../state/acts";
import { nameOf } from "../state/groups";
import { forGood, losses, readLoss } from "../state/loss";
import { go, sessionPath } from "../state/router";
import { refresh, sessions } from "../state/sessions";
import { useStore } from "../state/store";
import { clock } from "../state/time";

/** What was deleted, and what is kept of it. */
export function TrashPlace() {
  const { byId, state, problem } = useStore(sessions);
  const list = useMemo(
    () =>
      [...byId.values()]
        .filter((s) => s.state === "trashed")
        .sort((a, b) => Date.parse(b.changed_at) - Date.parse(a.changed_at)),
    [byId],
  );
  const [purging, setPurging] = useState<SessionView | null>(null);
  return (
    <main className="page" id="main" tabIndex={-1}>
      <header>
        <h1>Trash</h1>
        <span className="dim num">{list.length > 0 ? list.length : ""}</span>
      </header>
      {state === "loading" && <Loading what="Reading the trash" />}
      {state === "failed" && problem && (
        <Problem problem={problem}>
          <button type="button" className="btn" onClick={() => void refresh()}>
            Try again
          </button>
        </Problem>
      )}
      {state === "ready" && list.length === 0 && (
        <p className="mid">
          The trash is empty. A session that you delete comes here, with its branch and its changes.
        </p>
      )}
      <ul>
        {list.map((session) => (
          <TrashRow key={session.id} session={session} onPurge={() => setPurging(session)} />
        ))}
      </ul>
      {purging && <PurgeDialog session={purging} onClose={() => setPurging(null)} />}
    </main>
  );
}

function TrashRow({ session, onPurge }: { session: SessionView; onPurge(): void }) {
  const [problem, setProblem] = useState<ProblemBody | null>(null);
  const offline = useStore(live, (l) => l.state === "offline");
  const why = `away-${session.id}`;
  const busy = session.pending !== null;
  const back = async () => {
    const failed = await act(session, "restore");
    setProblem(failed);
    if (!failed) go(sessionPath(session.id));
  };
  return (
    <li className="trash-row">
      <h2 className="cut">
        <Shown text={session.title} />
      </h2>
      <p className="mid small">
        <Shown text={`${session.agent} in ${nameOf(session.repo)}`} />, deleted {clock(session.changed_at)}.{" "}
        {session.kept && <Shown text={session.kept} />}
      </p>
      <span className="acts">
        <button
          type="button"
          className="btn"
          disabled={busy || offline}
          aria-describedby={offline ? why : undefined}
          onClick={() => void back()}
        >
          {session.pending === "restore" ? "Coming back" : "Restore"}
        </button>
        <button
          type="button"
          className="btn danger"
          disabled={busy || offline}
          aria-describedby={offline ? why : undefined}
          onClick={onPurge}
        >
          {session.pending === "purge" ? "Purging" : "Purge"}
        </button>
      </span>
      {offline && (
        <p className="dim small" id={why} style={{ gridColumn: "1 / -1", marginTop: 6 }}>
          {AWAY}.
        </p>
      )}
      {(problem ?? session.problem) && (
        <div style={{ gridColumn: "1 / -1", marginTop: 6 }}>
          <Problem problem={(problem ?? session.problem) as ProblemBody} />
        </div>
      )}
    </li>
  );
}

/** There is no undo for this, so it asks: the title has to be typed. */
function PurgeDialog({ session, onClose }: { session: SessionView; onClose(): void }) {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<ProblemBody | null>(null);
  const offline = useStore(live, (l) => l.state === "offline");
  // What is not seen cannot be typed.
  const name = plain(session.title).trim() || session.id;
  const fits = plain(text).trim() === name;
  const run = async () => {
    if (!fits || offline) return;
    const failed = await act(session, "purge");
    setProblem(failed);
    if (!failed) onClose();
  };
  return (
    <Dialog slim title="Purge for good" onClose={onClose}>
      <form
        className="inner"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <p className="mid" style={{ marginBottom: 10 }}>
          What the trash keeps of “<Shown text={session.title} />” is deleted. There is no undo.
        </p>
        <Lost session={session} />
        <label htmlFor="purge-title">Type its title</label>
        <div className="field typed">
          <input
            id="purge-title"
            data-first
            autoComplete="off"
            value={text}
            placeholder={name}
            onChange={(event) => setText(event.target.value)}
          />
        </div>
        {problem && (
          <div style={{ marginTop: 10 }}>
            <Problem problem={problem} />
          </div>
        )}
        {offline && (
          <p className="dim small" role="status" style={{ marginTop: 10 }}>
            {AWAY}.
          </p>
        )}
        <div className="go" style={{ padding: "16px 0 0", justifyContent: "flex-end" }}>
          <button type="button" className="btn tall" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="btn danger tall" disabled={!fits || offline}>
            <span className="cut">
              Purge “<Shown text={name} />”
            </span>
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** What is gone for good, and what stays. */
function Lost({ session }: { session: SessionView }) {
  const { id, kept } = session;
  const loss = useStore(losses, (known) => known[id]);
  const [read, setRead] = useState(false);
  useEffect(() => {
    void readLoss(id).then(() => setRead(true));
  }, [id]);
  if (!read) return <Loading what="Counting what would be lost" ghosts={false} />;
  if (!loss)
    return (
      <p className="mid lost">
        What is in it could not be counted. <Shown text={kept ?? ""} />
      </p>
    );
  const { gone, commits, stays } = forGood(loss);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with keys
    <section className="lost" aria-label="What is lost" tabIndex={0}>
      <h2>Gone for good</h2>
      <ul>
        {gone.map((words) => (
          <li key={words}>
            <Shown text={words} />
          </li>
        ))}
        {commits.length > 0 && (
          <li>
            <ul>
              {commits.map((commit) => (
                <li key={commit.id}>
                  <span className="mono">{commit.id.slice(0, 10)}</span> <Shown text={commit.subject} />
                </li>
              ))}
            </ul>
          </li>
        )}
        <li>The history of its terminal</li>
      </ul>
      {stays.length > 0 && (
        <>
          <h2>Stays</h2>
          <ul>
            {stays.map((words) => (
              <li key={words}>
                <Shown text={words} />
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
