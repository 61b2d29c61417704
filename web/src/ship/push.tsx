import { useEffect } from "react";
import type { ShipView } from "../api/types";
import { KeyOf } from "../keys/cap";
import { number } from "../parts/number";
import { Shown } from "../parts/text";
import type { ShipModel } from "./state";

/** Where the branch goes, and sending it there. */
export function Push({ view, model, off }: { view: ShipView; model: ShipModel; off: boolean }) {
  const { remote, foreign, tip } = view;
  const upToDate = remote?.commit === tip;
  const can = remote !== null && !upToDate && !remote.others && view.commits.length > 0 && !off;
  useEffect(() => {
    const push = () => {
      if (can && foreign === 0) void model.push(tip, false);
    };
    addEventListener("qd:ship-push", push);
    return () => removeEventListener("qd:ship-push", push);
  }, [model, can, foreign, tip]);
  return (
    <section aria-labelledby="ship-push">
      <header>
        <h2 id="ship-push">Push</h2>
        {remote && (
          <span className="mono small mid cut">
            <Shown text={`${remote.name}/${remote.branch}`} />
          </span>
        )}
      </header>
      {remote === null ? (
        <p className="mid">
          {view.branch === null
            ? "HEAD is detached: there is no branch to push."
            : "This repository has no remote."}
        </p>
      ) : (
        <div className="acts">
          <span className="mid small">{standing(view)}</span>
          {foreign > 0 && (
            <button
              type="button"
              className="btn bare"
              disabled={!can}
              onClick={() => void model.push(tip, true)}
            >
              Push all {view.commits.length}
            </button>
          )}
          <button
            type="button"
            className="btn ink right"
            disabled={!can || foreign > 0}
            title={foreign > 0 ? "Keep the commits out that are not of this session, or push all" : undefined}
            onClick={() => void model.push(tip, false)}
          >
            Push <KeyOf id="ship-push" />
          </button>
        </div>
      )}
    </section>
  );
}

function standing({ remote, tip, commits }: ShipView): string {
  if (!remote) return "";
  if (remote.commit === null)
    return commits.length === 0 ? "There is nothing to push yet." : "Not pushed yet.";
  if (remote.commit === tip) return "Up to date.";
  if (remote.others)
    return `It has ${number(remote.behind, "commit")} that were never here: take them in with \`git pull --rebase\` first.`;
  const lacks = `It lacks ${number(remote.ahead, "commit")}`;
  return remote.behind > 0 ? `${lacks}, and has ${number(remote.behind, "commit")} of before.` : `${lacks}.`;
}
