import type { ReactNode } from "react";
import type { ProblemBody } from "../api/types";
import { Copy } from "../parts/copy";
import { Shown, Words } from "../parts/text";

/** The command that does the same as the dialog, to copy; without one, words on what is wrong. */
export function Line({ text, children }: { text: string | null; children?: ReactNode }) {
  return (
    <div className="cli">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with keys */}
      <pre tabIndex={0}>
        {text === null ? (
          <span className="words">{children}</span>
        ) : (
          <code>
            <span className="dim">$</span> <Shown text={text} />
          </code>
        )}
      </pre>
      {text !== null && <Copy text={text} label="Copy" />}
    </div>
  );
}

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
