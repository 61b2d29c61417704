/** A line of a unified diff. */
export interface Line {
  kind: "same" | "add" | "del" | "note";
  text: string;
  /** Its number before, from 1. */
  old: number | null;
  /** Its number now. */
  now: number | null;
}

export interface Hunk {
  /** What git found around it, such as a function's head. */
  context: string;
  oldStart: number;
  newStart: number;
  /** Unchanged lines between the hunk before and this one. */
  skipped: number;
  lines: Line[];
}

/** The columns of the widest line, a tab as four. A patch may have more lines than a call takes arguments. */
export function widest(hunks: readonly Hunk[]): number {
  let most = 0;
  for (const hunk of hunks) for (const line of hunk.lines) most = Math.max(most, widthOf(line.text));
  return most;
}

function widthOf(text: string): number {
  let tabs = 0;
  for (const c of text) if (c === "\t") tabs += 1;
  return text.length + tabs * 3;
}

const HEAD = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;

/** Reads the hunks of one file's patch. What stands before the first hunk is left out. */
export function parsePatch(patch: string): Hunk[] {
  const hunks: Hunk[] = [];
  let hunk: Hunk | null = null;
  let old = 0;
  let now = 0;
  let oldEnd = 1;
  const lines = patch.split("\n");
  if (lines.at(-1) === "") lines.pop();
  for (const line of lines) {
    // No line of a hunk begins so: each has a sign or a blank before its text.
    const head = HEAD.exec(line);
    if (head) {
      const [, oldStart, oldCount, newStart, , context] = head;
      old = Number(oldStart);
      now = Number(newStart);
      hunk = {
        context: context ?? "",
        oldStart: old,
        newStart: now,
        skipped: Math.max(0, old - oldEnd),
        lines: [],
      };
      oldEnd = old + (oldCount === undefined ? 1 : Number(oldCount));
      hunks.push(hunk);
      continue;
    }
    if (!hunk) continue;
    const text = line.slice(1);
    switch (line[0]) {
      case "+":
        hunk.lines.push({ kind: "add", text, old: null, now });
        now += 1;
        break;
      case "-":
        hunk.lines.push({ kind: "del", text, old, now: null });
        old += 1;
        break;
      case "\\":
        hunk.lines.push({ kind: "note", text: text.trim(), old: null, now: null });
        break;
      default:
        // Some tools take the blank off an empty unchanged line.
        hunk.lines.push({ kind: "same", text, old, now });
        old += 1;
        now += 1;
    }
  }
  return hunks;
}
