import { useEffect, useMemo, useRef, useState } from "react";
import type { DiffFile } from "../api/types";
import { hiddenCount } from "../parts/hidden";
import { Icon } from "../parts/icons";
import { number } from "../parts/number";
import { Loading, Problem } from "../parts/problem";
import { useScroll } from "../parts/window";
import { useStore } from "../state/store";
import { CodeLine } from "./line";
import { type Hunk, type Line, parsePatch, widest } from "./parse";
import type { DiffModel } from "./state";
import { bytes } from "./tree";
import { partners } from "./words";

const LINE = 20;
const MORE = 20;
const TOO_LARGE = "Too large to be shown";

/** One file: its lines, or why there are none to show. */
export function FileView({
  model,
  file,
  from,
  onLeave,
}: {
  model: DiffModel;
  file: DiffFile;
  from: "start" | "end";
  onLeave(by: 1 | -1): boolean;
}) {
  const read = useStore(model.patches, (all) => all.get(file.path));
  const [shownAnyway, setAnyway] = useState(false);
  const blocked = (file.large || file.binary) && !shownAnyway;
  useEffect(() => model.use(file.path), [model, file.path]);
  useEffect(() => {
    if (!read && !blocked) void model.read(file, file.large);
  }, [model, file, read, blocked]);

  if (file.binary)
    return (
      <Plain title="Binary file" onLeave={onLeave}>
        {file.size !== null && `It has ${bytes(file.size)} now.`} Its bytes are not shown.
      </Plain>
    );
  if (blocked)
    return (
      <Plain title={file.size === null ? "Too large" : `Too large: ${bytes(file.size)}`} onLeave={onLeave}>
        It is not shown unasked.
        <span className="acts">
          <button type="button" className="btn" onClick={() => setAnyway(true)}>
            Show anyway
          </button>
        </span>
      </Plain>
    );
  if (!read) return <Loading what={`Reading ${file.path}`} />;
  if (read.problem)
    return (
      <div className="blank">
        <Problem problem={read.problem}>
          <button type="button" className="btn" onClick={() => void model.read(file)}>
            Try again
          </button>
        </Problem>
      </div>
    );
  const patch = read.patch;
  // A file that only moved, or only changed its mode, has a head and no hunk.
  if (!patch || !/^@@ /m.test(patch.patch))
    return <Plain title={patch?.truncated ? TOO_LARGE : emptyWords(file)} onLeave={onLeave} />;
  const all = model.isWhole(file.path);
  return (
    <>
      {patch.truncated && (
        <div className="banner plain" role="status">
          <Icon name="warn" />
          <span>
            <span className="strong">Cut.</span>{" "}
            {all
              ? "More than this is not shown: its end, or those of very long lines, are left out."
              : patch.size !== null && `The whole patch has ${bytes(patch.size)}.`}
          </span>
          {!all && (
            <span className="acts">
              <button type="button" className="btn" onClick={() => void model.read(file, true)}>
                Show anyway
              </button>
            </span>
          )}
        </div>
      )}
      <Code text={patch.patch} path={file.path} from={from} onLeave={onLeave} />
    </>
  );
}

function emptyWords(file: DiffFile): string {
  if (file.old_mode !== null && file.new_mode !== null && file.old_mode !== file.new_mode)
    return `Only its mode changed: ${file.old_mode} → ${file.new_mode}`;
  if (file.status === "renamed") return "Moved, with nothing changed in it";
  if (file.status === "copied") return "Copied, with nothing changed in it";
  return "An empty file";
}

function Plain({
  title,
  onLeave,
  children,
}: {
  title: string;
  onLeave(by: 1 | -1): boolean;
  children?: React.ReactNode;
}) {
  useChangeKeys((by) => onLeave(by));
  return (
    <div className="blank">
      <h2>{title}</h2>
      <div className="mid">{children}</div>
    </div>
  );
}

type Row =
  | { kind: "hunk"; hunk: Hunk; closed: boolean }
  | { kind: "line"; line: Line; mate: Line | undefined };

function Code({
  text,
  path,
  from,
  onLeave,
}: {
  text: string;
  path: string;
  from: "start" | "end";
  onLeave(by: 1 | -1): boolean;
}) {
  const hunks = useMemo(() => parsePatch(text), [text]);
  const [closed, setClosed] = useState<ReadonlySet<number>>(new Set());
  const rows = useMemo(() => {
    const out: Row[] = [];
    hunks.forEach((hunk, n) => {
      const shut = closed.has(n);
      out.push({ kind: "hunk", hunk, closed: shut });
      if (shut) return;
      const mates = partners(hunk.lines);
      for (const line of hunk.lines) out.push({ kind: "line", line, mate: mates.get(line) });
    });
    return out;
  }, [hunks, closed]);
  const changes = useMemo(() => changeStarts(rows), [rows]);
  const columns = useMemo(() => widest(hunks), [hunks]);
  const hidden = useMemo(
    () =>
      hunks.reduce(
        (n, h) => n + h.lines.reduce((m, l) => m + (l.kind === "add" ? hiddenCount(l.text) : 0), 0),
        0,
      ),
    [hunks],
  );
  const box = useRef<HTMLDivElement>(null);
  const { top, height } = useScroll(box);
  const [here, setHere] = useState(-1);
  const first = Math.max(0, Math.floor(top / LINE) - MORE);
  const end = Math.min(rows.length, Math.ceil((top + height) / LINE) + MORE);

  const jump = (index: number) => {
    setHere(index);
    const row = changes[index];
    if (row !== undefined) box.current?.scrollTo({ top: Math.max(0, row * LINE - 80) });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the way in decides, once per file
  useEffect(() => {
    if (from === "end") jump(changes.length - 1);
  }, [path]);
  useChangeKeys((by) => {
    const next = here + by;
    if (next >= 0 && next < changes.length) jump(next);
    else onLeave(by);
  });
  const toggle = (hunk: Hunk) => {
    const n = hunks.indexOf(hunk);
    const next = new Set(closed);
    if (!next.delete(n)) next.add(n);
    setClosed(next);
  };

  return (
    <>
      {hidden > 0 && (
        <div className="banner" role="status">
          <Icon name="warn" />
          <span>
            <span className="strong">{number(hidden, "hidden character")}</span> in added lines, drawn as code
            points.
          </span>
        </div>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with keys */}
      <section className="code" ref={box} aria-label={`Changes of ${path}`} tabIndex={0}>
        <div className="hunk" style={{ minWidth: `max(100%, calc(112px + ${columns + 2}ch))` }}>
          <div style={{ height: first * LINE }} />
          {rows.slice(first, end).map((row, i) => {
            const at = first + i;
            if (row.kind === "hunk")
              return (
                <button
                  type="button"
                  className="l at"
                  key={`h${row.hunk.oldStart}:${row.hunk.newStart}`}
                  aria-expanded={!row.closed}
                  onClick={() => toggle(row.hunk)}
                >
                  <Icon name={row.closed ? "fwd" : "down"} size="xs" />
                  <span />
                  <span />
                  <span>
                    <span>@@ {row.hunk.context}</span>
                    <span>line {row.hunk.newStart}</span>
                    {row.hunk.skipped > 0 && <span>{number(row.hunk.skipped, "line")} unchanged</span>}
                  </span>
                </button>
              );
            return (
              <CodeLine
                key={`${row.line.old ?? ""}:${row.line.now ?? ""}:${row.line.kind}:${row.line.kind === "note" ? at : ""}`}
                line={row.line}
                mate={row.mate}
                here={here >= 0 && changes[here] === at}
              />
            );
          })}
          <div style={{ height: (rows.length - end) * LINE }} />
        </div>
      </section>
    </>
  );
}

function changeStarts(rows: Row[]): number[] {
  const out: number[] = [];
  let inside = false;
  rows.forEach((row, i) => {
    const changed = row.kind === "line" && (row.line.kind === "add" || row.line.kind === "del");
    if (changed && !inside) out.push(i);
    inside = changed;
  });
  return out;
}

/** The page's keys n and p, as events: the file that is open answers them. */
function useChangeKeys(step: (by: 1 | -1) => void) {
  const run = useRef(step);
  run.current = step;
  useEffect(() => {
    const next = () => run.current(1);
    const previous = () => run.current(-1);
    addEventListener("qd:next-change", next);
    addEventListener("qd:previous-change", previous);
    return () => {
      removeEventListener("qd:next-change", next);
      removeEventListener("qd:previous-change", previous);
    };
  }, []);
}
