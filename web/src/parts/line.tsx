import type { ReactNode } from "react";
import { Copy } from "./copy";
import { Shown } from "./text";

/** A command to copy, such as the one that does the same as a dialog; without one, words on what is wrong. */
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
