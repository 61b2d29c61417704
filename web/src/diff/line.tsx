import { memo } from "react";
import { hiddenCount } from "../parts/hidden";
import { Shown } from "../parts/text";
import type { Line } from "./parse";
import { wordDiff } from "./words";

const SIGNS = { add: "+", del: "−", same: "", note: "" } as const;
const CLASSES = { add: "a", del: "d", same: "", note: "note" } as const;
/** Longer lines are cut: a browser lays them out slowly. */
const MOST = 4000;

export const CodeLine = memo(function CodeLine({
  line,
  mate,
  here,
}: {
  line: Line;
  mate: Line | undefined;
  here: boolean;
}) {
  const flag = line.kind === "add" && hiddenCount(line.text) > 0;
  return (
    <div className={`l ${CLASSES[line.kind]} ${flag ? "flag" : ""} ${here ? "here" : ""}`}>
      <span className="ln">{line.old}</span>
      <span className="ln">{line.now}</span>
      <span className="sg">{SIGNS[line.kind]}</span>
      <span>
        <Words line={line} mate={mate} />
      </span>
    </div>
  );
});

function Words({ line, mate }: { line: Line; mate: Line | undefined }) {
  if (line.text.length > MOST)
    return (
      <>
        <Shown text={line.text.slice(0, MOST)} />
        <span className="dim"> … {line.text.length - MOST} more characters</span>
      </>
    );
  const words =
    mate &&
    (line.kind === "del" ? wordDiff(line.text, mate.text)?.before : wordDiff(mate.text, line.text)?.after);
  if (!words) return <Shown text={line.text} />;
  return words.map((span, i) =>
    span.changed ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one line have no other name
      <mark key={i}>
        <Shown text={span.text} />
      </mark>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: as above
      <span key={i}>
        <Shown text={span.text} />
      </span>
    ),
  );
}
