import type { ProblemBody } from "../api/types";
import { Shown, Words } from "../parts/text";

/** A problem that belongs to no field. */
export function Unplaced({ problem }: { problem: ProblemBody }) {
  return (
    <div style={{ padding: "10px 12px 0 20px" }} role="alert">
      <p className="hint bad">
        <Shown text={problem.title} />
      </p>
      <p className="hint">
        <Words text={problem.hint} />
      </p>
    </div>
  );
}
