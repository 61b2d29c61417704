import { useEffect, useState } from "react";
import { asProblem } from "../api/client";
import type { MergeView, MergeWay, ProblemBody, ShipView } from "../api/types";
import { KeyOf } from "../keys/cap";
import { Dialog } from "../parts/dialog";
import { number } from "../parts/number";
import { Loading, Problem } from "../parts/problem";
import { Shown } from "../parts/text";
import type { ShipModel } from "./state";

/** Bringing the work into the base. */
export function Merge({ view, model, off }: { view: ShipView; model: ShipModel; off: boolean }) {
  const [asks, setAsks] = useState(false);
  const can = view.branch !== null && view.commits.length > 0 && !off;
  useEffect(() => {
    const ask = () => can && setAsks(true);
    addEventListener("qd:ship-merge", ask);
    return () => removeEventListener("qd:ship-merge", ask);
  }, [can]);
  return (
    <section aria-labelledby="ship-merge">
      <header>
        <h2 id="ship-merge">Merge</h2>
        <span className="mono small mid cut">
          <Shown text={view.base.name} />
        </span>
      </header>
      <div className="acts">
        <span className="mid small">
          {view.commits.length === 0
            ? "There is nothing to merge yet."
            : "Into the base, when it is reviewed."}
        </span>
        <button type="button" className="btn right" disabled={!can} onClick={() => setAsks(true)}>
          Merge <KeyOf id="ship-merge" />
        </button>
      </div>
      {asks && <MergeDialog model={model} onClose={() => setAsks(false)} />}
    </section>
  );
}

const WAYS: readonly [MergeWay, string, string][] = [
  ["merge", "Merge commit", "All commits of the branch, joined by a merge commit."],
  ["squash", "Squash", "One new commit with all that the branch changed."],
  ["rebase", "Rebase", "Only the commits of this session, made anew on the base."],
];

/** What a merge would do, before it is made. */
function MergeDialog({ model, onClose }: { model: ShipModel; onClose(): void }) {
  const [way, setWay] = useState<MergeWay>("merge");
  const [plan, setPlan] = useState<MergeView | null>(null);
  const [problem, setProblem] = useState<ProblemBody | null>(null);
  const [message, setMessage] = useState<string | null>(null);
  const [along, setAlong] = useState(false);
  useEffect(() => {
    let there = true;
    setPlan(null);
    setProblem(null);
    setAlong(false);
    model.mergePreview(way).then(
      (plan) => there && setPlan(plan),
      (error: unknown) => there && setProblem(asProblem(error)),
    );
    return () => {
      there = false;
    };
  }, [model, way]);
  const words = message ?? plan?.message ?? "";
  const ready =
    plan?.ready === true && (plan.foreign === 0 || along) && (way === "rebase" || words.trim() !== "");
  const merge = () => {
    if (!plan || !ready) return;
    void model.merge({
      tip: plan.tip,
      onto_commit: plan.onto_commit,
      way,
      with_foreign: along,
      ...(way === "rebase" ? {} : { message: words }),
    });
    onClose();
  };
  return (
    <Dialog title="Merge into the base" onClose={onClose}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with keys */}
      <div className="inner merging" tabIndex={0}>
        <div className="seg" role="radiogroup" aria-label="How">
          {WAYS.map(([name, words]) => (
            <label key={name}>
              <input
                type="radio"
                name="way"
                checked={way === name}
                onChange={() => {
                  setWay(name);
                  setMessage(null);
                }}
              />
              {words}
            </label>
          ))}
        </div>
        <p className="mid">{WAYS.find(([name]) => name === way)?.[2]}</p>
        {problem && <Problem problem={problem} />}
        {!plan && !problem && <Loading what="Trying it aside" />}
        {plan && <Plan plan={plan} />}
        {plan && plan.foreign > 0 && plan.conflicts.length === 0 && (
          <label className="check">
            <input type="checkbox" checked={along} onChange={(event) => setAlong(event.target.checked)} />
            Let {number(plan.foreign, "commit")} go along that {plan.foreign === 1 ? "is" : "are"} not of this
            session
          </label>
        )}
        {plan?.ready && way !== "rebase" && (
          <div className="field area">
            <textarea
              aria-label="Message of the merge"
              rows={4}
              value={words}
              onChange={(event) => setMessage(event.target.value)}
              onKeyDown={(event) => {
                if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
                  event.preventDefault();
                  merge();
                }
              }}
            />
          </div>
        )}
      </div>
      <footer className="go">
        <span className="dim small">
          {plan?.remote ? "It is pushed at once." : "The base moves at once, with the files of its checkout."}
        </span>
        <button type="button" className="btn ink right" disabled={!ready} onClick={merge}>
          Merge into <Shown text={plan?.onto ?? "the base"} />
        </button>
      </footer>
    </Dialog>
  );
}

function Plan({ plan }: { plan: MergeView }) {
  const onto = (
    <span className="mono">
      <Shown text={plan.onto} />
    </span>
  );
  if (plan.needless) return <p>{onto} has all of it already.</p>;
  if (plan.conflicts.length > 0)
    return (
      <p className="warned" role="alert">
        It does not fit onto {onto}:{" "}
        <span className="mono">
          <Shown text={plan.conflicts.join(", ")} />
        </span>{" "}
        would conflict. Have the agent take the base in, and solve it there.
      </p>
    );
  return (
    <p>
      {number(plan.commits, "commit")} would get into {onto}. Nothing conflicts.
    </p>
  );
}
