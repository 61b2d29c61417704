import { useMemo } from "react";
import { Dialog } from "../parts/dialog";
import { hiddenCount } from "../parts/hidden";
import { number } from "../parts/number";
import { Shown } from "../parts/text";
import { useStore } from "../state/store";
import type { TerminalLink } from "./link";
import { linesOf, preview, typedAs } from "./paste";

/** What would be typed, before it is. */
export function PasteSheet({ link }: { link: TerminalLink }) {
  const text = useStore(link.pane, (p) => p.paste);
  return text === null ? null : <Sheet link={link} text={text} />;
}

function Sheet({ link, text }: { link: TerminalLink; text: string }) {
  const marked = link.term.modes.bracketedPasteMode;
  const { lines, more, hidden, count } = useMemo(() => {
    const typed = typedAs(text, marked);
    const hidden = hiddenCount(typed.replaceAll("\n", ""));
    return { ...preview(typed), hidden, count: linesOf(typed) };
  }, [text, marked]);
  return (
    <Dialog title={`Paste ${number(count, "line")}?`} onClose={() => link.answerPaste(false)}>
      <div className="inner paste-sheet">
        <p className="mid">
          {marked
            ? "The program tells pastes from keys: it gets all of it as one."
            : "The program does not tell pastes from keys: each line may run at once."}
          {hidden > 0 && ` ${number(hidden, "character")} in it would not be seen.`}
        </p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with keys */}
        <section className="paste-text mono" aria-label="What would be typed" tabIndex={0}>
          {lines.map((line, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one text have no other name
            <div key={i}>
              <Shown text={line} />
              {(i < lines.length - 1 || more > 0) && (
                <span className="end" title="Line end" aria-hidden="true">
                  ↵
                </span>
              )}
            </div>
          ))}
          {more > 0 && <p className="dim">and {number(more, "more character")}, not drawn here</p>}
        </section>
      </div>
      <footer>
        <div className="go">
          <span className="dim">{number(text.length, "character")}</span>
          <button type="button" className="btn right" onClick={() => link.answerPaste(false)}>
            Cancel
          </button>
          <button type="button" className="btn ink" data-first="" onClick={() => link.answerPaste(true)}>
            Paste
          </button>
        </div>
      </footer>
    </Dialog>
  );
}
