import type { ProblemBody } from "../api/types";
import { hiddenCount } from "../parts/hidden";
import { Shown, Words } from "../parts/text";

/** What is wrong with a field, below it. */
export function FieldProblem({ field, problem }: { field: string; problem: ProblemBody | null }) {
  if (!problem || problem.field !== field) return null;
  return (
    <div role="alert">
      <p className="hint bad">
        <Shown text={problem.title} />
      </p>
      {problem.hint !== "" && (
        <p className="hint">
          <Words text={problem.hint} />
        </p>
      )}
    </div>
  );
}

/** A problem that belongs to no field. */
export function Unplaced({ problem }: { problem: ProblemBody }) {
  return (
    <div className="unplaced" role="alert">
      <p className="hint bad">
        <Shown text={problem.title} />
      </p>
      <p className="hint">
        <Words text={problem.hint} />
      </p>
    </div>
  );
}

/** Letters of a text with hidden characters that are drawn again below its field. */
const DRAWN_MOST = 160;

/** A text field draws no hidden character: what has some is drawn again below it. */
export function HiddenIn({ text }: { text: string }) {
  if (hiddenCount(text) === 0) return null;
  return (
    <p className="hint hidden-in">
      Has characters that do not show:{" "}
      <span className="mono">
        <Shown text={text.slice(0, DRAWN_MOST)} />
        {text.length > DRAWN_MOST ? "…" : ""}
      </span>
    </p>
  );
}

/** Puts the focus on a field of the dialog, and what is said of it into sight. */
export function focusField(field: string) {
  const find = () => document.getElementById(`f-${field}`);
  const there = find();
  // What is typed next is already on its way; only what is not drawn yet has to be waited for.
  there?.focus();
  requestAnimationFrame(() => {
    if (!there?.isConnected) find()?.focus();
    // The words stand below the field: on a phone that is out of sight.
    document.querySelector("#create [role=alert]")?.scrollIntoView({ block: "nearest" });
  });
}
