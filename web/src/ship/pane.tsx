import { useEffect, useMemo, useRef, useState } from "react";
import { AWAY } from "../api/client";
import { live } from "../api/stream";
import type { SessionView, ShipView } from "../api/types";
import { KeyOf } from "../keys/cap";
import { number } from "../parts/number";
import { Loading, Problem } from "../parts/problem";
import { Shown } from "../parts/text";
import { Banner } from "../session/banner";
import { useStore } from "../state/store";
import { clock } from "../state/time";
import { CommitForm } from "./commit";
import { Commits } from "./commits";
import { KeepOut } from "./keep-out";
import { Merge } from "./merge";
import { Push } from "./push";
import { ShipModel } from "./state";
import { Step } from "./step";

/** What a session would deliver, whose each commit is, and the steps on its way to others. */
export function ShipPane({ session }: { session: SessionView }) {
  const model = useMemo(() => new ShipModel(session.id), [session.id]);
  const { view, problem, reading, refused } = useStore(model.state);
  const offline = useStore(live, (l) => l.state === "offline");
  const [previews, setPreviews] = useState(false);
  const shipping = session.shipping;
  const runs = shipping?.state === "running";

  useEffect(() => {
    void model.open();
  }, [model]);

  // What is here may have changed: by a step that has ended, by the agent, or by somebody elsewhere.
  const stat = session.diff_stat;
  const changed = `${runs} ${stat?.files} ${stat?.additions} ${stat?.deletions}`;
  const before = useRef(changed);
  useEffect(() => {
    if (before.current === changed) return;
    before.current = changed;
    void model.read(false);
  }, [model, changed]);
  useEffect(() => {
    const again = () => {
      if (!document.hidden) void model.read(false);
    };
    addEventListener("focus", again);
    return () => removeEventListener("focus", again);
  }, [model]);
  const foreign = view?.foreign ?? 0;
  useEffect(() => {
    const keepOut = () => foreign > 0 && setPreviews(true);
    addEventListener("qd:ship-keep-out", keepOut);
    return () => removeEventListener("qd:ship-keep-out", keepOut);
  }, [foreign]);

  if (!view)
    return problem ? (
      <div className="blank">
        <Problem problem={problem}>
          <button type="button" className="btn" onClick={() => void model.open()}>
            Try again
          </button>
        </Problem>
      </div>
    ) : (
      <Loading what="Reading what would be delivered" />
    );

  const off = offline || runs;
  return (
    <>
      {foreign > 0 && (
        <Banner
          icon="warn"
          acts={
            <button
              type="button"
              className="btn ink"
              disabled={off || view.branch === null}
              title={offline ? AWAY : undefined}
              onClick={() => setPreviews(true)}
            >
              Keep out <KeyOf id="ship-keep-out" />
            </button>
          }
        >
          <span className="strong">
            {number(foreign, "commit")} {foreign === 1 ? "is" : "are"} not of this session.
          </span>{" "}
          {foreign === 1 ? "It" : "They"} would go along with a push.
        </Banner>
      )}
      {foreign === 0 && view.undo && (
        <Banner
          tone="plain"
          icon="branch"
          acts={
            <button type="button" className="btn" disabled={off} onClick={() => void model.undo()}>
              Undo
            </button>
          }
        >
          <span className="strong">Rebuilt of its own commits only.</span> The branch as it was is kept.
        </Banner>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with keys */}
      <div className="ship" tabIndex={0}>
        <Base view={view} reading={reading} off={offline || reading} onFetch={() => void model.read(true)} />
        {problem && <Problem problem={problem} />}
        <Step shipping={shipping} onStop={() => void model.stop()} off={offline} />
        {refused && <Problem problem={refused} />}
        <Commits view={view} />
        <CommitForm session={session} view={view} model={model} off={off} />
        <Push view={view} model={model} off={off} />
        <Merge view={view} model={model} off={off} />
      </div>
      {previews && <KeepOut model={model} onClose={() => setPreviews(false)} />}
    </>
  );
}

function Base({
  view,
  reading,
  off,
  onFetch,
}: {
  view: ShipView;
  reading: boolean;
  off: boolean;
  onFetch(): void;
}) {
  const { base } = view;
  return (
    <section aria-labelledby="ship-base">
      <header>
        <h2 id="ship-base">
          {view.branch === null ? "Detached HEAD" : <Shown text={view.branch} />}
          <span className="dim"> onto </span>
          <span className="mono">
            <Shown text={base.name} />
          </span>
        </h2>
        <button type="button" className="btn bare low right" disabled={off} onClick={onFetch}>
          {reading ? "Reading" : "Fetch"}
        </button>
      </header>
      <p className="mid small">
        <Shown text={base.note} />{" "}
        {base.behind > 0 && `It has ${number(base.behind, "commit")} that the branch does not. `}
        {base.rewritten && "It was rewritten: commits that it had are gone. "}
        {base.merge_base === null &&
          (base.shallow
            ? "Where the two part is not known: only a part of the history was fetched. "
            : "The two have no commit in common. ")}
        <span className="dim">Read at {clock(view.read_at)}.</span>
      </p>
      {view.under_way !== null && (
        <p className="warned">
          Git is half-way through a {view.under_way} in this worktree: nothing is shipped before it ends.
        </p>
      )}
    </section>
  );
}
