import { type KeyboardEvent, useMemo, useRef, useState } from "react";
import type { DiffFile } from "../api/types";
import { Icon } from "../parts/icons";
import { useLayout } from "../parts/layout";
import { number } from "../parts/number";
import { Keys, Shown, Stat } from "../parts/text";
import { useScroll } from "../parts/window";
import { fileWord, treeRows } from "./tree";

const MORE = 12;

/** The changed files by folder. Only the rows that are seen are made: there may be thousands. */
export function FileTree({
  files,
  open,
  onOpen,
}: {
  files: DiffFile[];
  open: string | null;
  onOpen(path: string): void;
}) {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => treeRows(files, closed), [files, closed]);
  const box = useRef<HTMLDivElement>(null);
  const phone = useLayout() === "phone";
  const high = phone ? 44 : 26;
  const { top, height } = useScroll(box);
  const first = Math.max(0, Math.floor(top / high) - MORE);
  const end = Math.min(rows.length, Math.ceil((top + height) / high) + MORE);
  const additions = files.reduce((n, f) => n + (f.additions ?? 0), 0);
  const deletions = files.reduce((n, f) => n + (f.deletions ?? 0), 0);
  const toggle = (path: string) => {
    const next = new Set(closed);
    if (!next.delete(path)) next.add(path);
    setClosed(next);
  };
  const openRow = rows.findIndex((r) => r.kind === "file" && r.file.path === open);
  const stop = openRow >= first && openRow < end ? openRow : first;
  const onKey = (event: KeyboardEvent) => {
    const all = [...(box.current?.querySelectorAll<HTMLElement>("[role=treeitem]") ?? [])];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const at = all.indexOf(document.activeElement as HTMLElement);
    if (step === undefined || at < 0) return;
    event.preventDefault();
    all[at + step]?.focus();
  };
  return (
    <section aria-label="Changed files">
      <div className="tools">
        <span className="strong num">{number(files.length, "file")}</span>
        <Stat additions={additions} deletions={deletions} />
      </div>
      <div className="scroll" ref={box}>
        <div
          role="tree"
          tabIndex={-1}
          aria-label="Changed files"
          onKeyDown={onKey}
          style={{ paddingTop: first * high, paddingBottom: (rows.length - end) * high }}
        >
          {rows.slice(first, end).map((row, i) => {
            const indent = { paddingInlineStart: 14 + row.depth * 14 };
            const tabIndex = first + i === stop ? 0 : -1;
            if (row.kind === "dir")
              return (
                <div
                  key={`${row.path}/`}
                  role="treeitem"
                  aria-level={row.depth + 1}
                  aria-expanded={!row.closed}
                  aria-selected={false}
                  tabIndex={tabIndex}
                  className="file dir"
                  style={indent}
                  onClick={() => toggle(row.path)}
                  onKeyDown={(event) => {
                    if (event.key === "Enter" || event.key === " ") {
                      event.preventDefault();
                      toggle(row.path);
                    }
                  }}
                >
                  <Icon name={row.closed ? "fwd" : "down"} />
                  <span className="n cut">
                    <Shown text={row.name} />
                  </span>
                </div>
              );
            const { file } = row;
            const word = fileWord(file);
            return (
              <div
                key={file.path}
                role="treeitem"
                aria-level={row.depth + 1}
                aria-selected={file.path === open}
                tabIndex={tabIndex}
                className="file"
                style={indent}
                title={file.path}
                onClick={() => onOpen(file.path)}
                onKeyDown={(event) => {
                  if (event.key === "Enter" || event.key === " ") {
                    event.preventDefault();
                    onOpen(file.path);
                  }
                }}
              >
                <Icon name="file" />
                <span className="n cut">
                  <Shown text={row.name} />
                </span>
                <span className="end">
                  {word && <span>{word}</span>}
                  {!file.binary && file.additions !== null && (
                    <Stat additions={file.additions} deletions={file.deletions ?? 0} wide />
                  )}
                </span>
              </div>
            );
          })}
        </div>
      </div>
      <div className="foot">
        <Keys keys={["N", "P"]} />
        <span>next, previous change</span>
      </div>
    </section>
  );
}
