import type { ReactNode } from "react";
import { Copy } from "./copy";
import { Shown } from "./text";

/** Commands to copy, such as the one that does the same as a dialog; without one, words on what is wrong. */
export function Line({ text, children }: { text: string | string[] | null; children?: ReactNode }) {
  const lines = text === null ? [] : [text].flat();
  return (
    <div className="cli">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with keys */}
      <pre tabIndex={0}>
        {text === null ? (
          <span className="words">{children}</span>
        ) : (
          lines.map((line) => (
            <code key={line}>
              <span className="dim">$</span> <Shown text={line} />
            </code>
          ))
        )}
      </pre>
      {text !== null && <Copy text={lines.join("\n")} label="Copy" />}
    </div>
  );
}
