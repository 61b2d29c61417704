import type { ShipCommit, ShipView } from "../api/types";
import { number } from "../parts/number";
import { Shown } from "../parts/text";
import { sessionPath } from "../state/router";
import { clock } from "../state/time";

/** The commits that would be delivered: the session's own, then those of others. */
export function Commits({ view }: { view: ShipView }) {
  const own = view.commits.filter((commit) => commit.whose === "own");
  const foreign = view.commits.filter((commit) => commit.whose !== "own");
  return (
    <>
      <List id="ship-own" title="To deliver" commits={own} none="No commit of this session yet." />
      {foreign.length > 0 && <List id="ship-foreign" title="Not of this session" commits={foreign} />}
      {view.truncated && <p className="dim small">The list was cut: there are more.</p>}
    </>
  );
}

function List({
  id,
  title,
  commits,
  none,
}: {
  id: string;
  title: string;
  commits: ShipCommit[];
  none?: string;
}) {
  return (
    <section aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {commits.length > 0 && <span className="dim num small">{number(commits.length, "commit")}</span>}
      </header>
      {commits.length === 0 ? (
        <p className="mid">{none}</p>
      ) : (
        <ul className="commits" aria-labelledby={id}>
          {commits.map((commit) => (
            <li key={commit.id}>
              <code className="mono dim">{commit.id.slice(0, 10)}</code>
              <span className="cut" title={commit.subject}>
                <Shown text={commit.subject} />
              </span>
              <Whose commit={commit} />
              <span className="dim small num when">{clock(commit.at)}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Whose({ commit }: { commit: ShipCommit }) {
  if (commit.session)
    return (
      <a className="tag open cut" href={sessionPath(commit.session.id, "ship")}>
        <span className="cut">
          <Shown text={commit.session.title} />
        </span>
      </a>
    );
  if (commit.on !== null)
    return (
      <span className="tag">
        on{" "}
        <span className="mono cut">
          <Shown text={commit.on} />
        </span>
      </span>
    );
  return commit.merge ? <span className="tag">merge</span> : <span />;
}
