import type { ProblemBody, ShippingView } from "../api/types";
import { Icon } from "../parts/icons";
import { Problem } from "../parts/problem";
import { Shown } from "../parts/text";

const DOING: Readonly<Record<string, string>> = {
  commit: "Committing",
  push: "Pushing",
  rebuild: "Rebuilding",
  undo: "Undoing",
  merge: "Merging",
};

/** The step that is under way, with what it says and how to stop it; else how the last one ended. */
export function Step({
  shipping,
  off,
  onStop,
}: {
  shipping: ShippingView | null;
  off: boolean;
  onStop(): void;
}) {
  if (!shipping) return null;
  if (shipping.state === "running")
    return (
      <div className="step" role="status">
        <Icon name="clock" />
        <span className="cut">
          <span className="strong">{DOING[shipping.what] ?? "Working"}</span>{" "}
          {shipping.said !== null && (
            <span className="mono mid">
              <Shown text={shipping.said} />
            </span>
          )}
        </span>
        <button type="button" className="btn low" disabled={off} onClick={onStop}>
          Stop
        </button>
      </div>
    );
  if (shipping.problem) return <Problem problem={shipping.problem as ProblemBody} />;
  return (
    <div className="step" role="status">
      <Icon name="check" />
      <span className="said">
        <Shown text={shipping.said ?? "Done."} />
      </span>
    </div>
  );
}
