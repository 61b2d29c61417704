import { useEffect, useState } from "react";
import { asProblem } from "../api/client";
import type { ProblemBody, RebuildCommit, RebuildView } from "../api/types";
import { Dialog } from "../parts/dialog";
import { number } from "../parts/number";
import { Loading, Problem } from "../parts/problem";
import { Shown } from "../parts/text";
import type { ShipModel } from "./state";

/** What a rebuild would do, before it is made. */
export function KeepOut({ model, onClose }: { model: ShipModel; onClose(): void }) {
  const [plan, setPlan] = useState<RebuildView | null>(null);
  const [problem, setProblem] = useState<ProblemBody | null>(null);
  useEffect(() => {
    let there = true;
    model.preview().then(
      (plan) => there && setPlan(plan),
      (error: unknown) => there && setProblem(asProblem(error)),
    );
    return () => {
      there = false;
    };
  }, [model]);
  return (
    <Dialog title="Keep foreign commits out" onClose={onClose}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with keys */}
      <div className="inner keep-out" tabIndex={0}>
        {problem && <Problem problem={problem} />}
        {!plan && !problem && <Loading what="Trying it aside" />}
        {plan && <Plan plan={plan} />}
      </div>
      <footer className="go">
        <span className="dim small">What is not committed stays. It can be undone.</span>
        <button
          type="button"
          className="btn ink right"
          disabled={!plan?.ready || plan.needless}
          onClick={() => {
            if (plan) void model.rebuild(plan.tip);
            onClose();
          }}
        >
          Keep out
        </button>
      </footer>
    </Dialog>
  );
}

function Plan({ plan }: { plan: RebuildView }) {
  const conflict = plan.own.find((commit) => commit.outcome === "conflict");
  return (
    <>
      <p>
        The branch begins at <Name text={plan.onto} /> as it is now, with only the commits of this session.
      </p>
      {conflict && (
        <p className="warned" role="alert">
          “<Shown text={conflict.subject} />” does not fit: <Name text={conflict.paths.join(", ")} /> would
          conflict. Have the agent rebase, and solve it there.
        </p>
      )}
      {plan.in_the_way.length > 0 && (
        <p className="warned" role="alert">
          Not committed and in the way: <Name text={plan.in_the_way.join(", ")} />. Commit first.
        </p>
      )}
      <h2>Stays</h2>
      {plan.own.length === 0 && <p className="mid">Nothing: no commit is of this session.</p>}
      <ul className="commits">
        {plan.own.map((commit) => (
          <li key={commit.id}>
            <code className="mono dim">{commit.id.slice(0, 10)}</code>
            <span className="cut">
              <Shown text={commit.subject} />
            </span>
            <Outcome commit={commit} />
          </li>
        ))}
      </ul>
      <h2>Left out</h2>
      <p className="dim small num">{number(plan.left_out.length, "commit")}</p>
      <ul className="commits">
        {plan.left_out.map((commit) => (
          <li key={commit.id}>
            <code className="mono dim">{commit.id.slice(0, 10)}</code>
            <span className="cut">
              <Shown text={commit.subject} />
            </span>
            {commit.on !== null ? (
              <span className="tag">
                on <Name text={commit.on} />
              </span>
            ) : (
              <span />
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

function Name({ text }: { text: string }) {
  return (
    <span className="mono">
      <Shown text={text} />
    </span>
  );
}

const OUTCOMES: Readonly<Record<string, string>> = {
  "in-base": "in the base already",
  "plain-merge": "merge, not needed",
  conflict: "conflict",
  "not-tried": "not tried",
};

function Outcome({ commit }: { commit: RebuildCommit }) {
  const word = OUTCOMES[commit.outcome];
  if (!word) return <span />;
  return <span className={commit.outcome === "conflict" ? "tag warn" : "tag"}>{word}</span>;
}
