import type { Line } from "./parse";

/** A part of a line, and whether it changed. */
export interface Span {
  text: string;
  changed: boolean;
}

/** Above so many words a line is compared by its two ends only. */
const MOST_WORDS = 300;
/** Lines that share less than this are two lines, not one that changed. */
const ALIKE = 0.3;

const WORD = /[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu;

/** The changed words of two lines; null when the lines have too little in common. */
export function wordDiff(before: string, after: string): { before: Span[]; after: Span[] } | null {
  const a = before.match(WORD) ?? [];
  const b = after.match(WORD) ?? [];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end])
    end += 1;
  const midA = a.slice(start, a.length - end);
  const midB = b.slice(start, b.length - end);
  const same = midA.length * midB.length <= MOST_WORDS * MOST_WORDS ? common(midA, midB) : [];
  const shared =
    size(a.slice(0, start)) +
    size(a.slice(a.length - end)) +
    same.reduce((n, [i]) => n + solid(midA[i] ?? ""), 0);
  const most = Math.max(size(a), size(b));
  if (most === 0 || shared / most < ALIKE) return null;
  const mark = (words: string[], mid: string[], kept: Set<number>) =>
    join(
      words.map((text, i) => ({
        text,
        changed: i >= start && i < start + mid.length && !kept.has(i - start),
      })),
    );
  return {
    before: mark(a, midA, new Set(same.map(([i]) => i))),
    after: mark(b, midB, new Set(same.map(([, j]) => j))),
  };
}

const solid = (word: string) => (/\s/.test(word) ? 0 : word.length);
const size = (words: string[]) => words.reduce((n, word) => n + solid(word), 0);

function join(spans: Span[]): Span[] {
  const out: Span[] = [];
  for (const span of spans) {
    const last = out.at(-1);
    if (last && last.changed === span.changed) last.text += span.text;
    else out.push({ ...span });
  }
  return out;
}

/** The longest common subsequence, as pairs of places. */
function common(a: string[], b: string[]): [number, number][] {
  const width = b.length + 1;
  const table = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      table[i * width + j] =
        a[i] === b[j]
          ? (table[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(table[(i + 1) * width + j] ?? 0, table[i * width + j + 1] ?? 0);
  const out: [number, number][] = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      out.push([i, j]);
      i += 1;
      j += 1;
    } else if ((table[(i + 1) * width + j] ?? 0) >= (table[i * width + j + 1] ?? 0)) i += 1;
    else j += 1;
  }
  return out;
}

/** For each line that was changed into another, that other line: the first taken out with the first put in, and so on. */
export function partners(lines: Line[]): Map<Line, Line> {
  const out = new Map<Line, Line>();
  for (let i = 0; i < lines.length; ) {
    const dels: Line[] = [];
    const adds: Line[] = [];
    while (lines[i]?.kind === "del" || lines[i]?.kind === "note") take(lines[i++], dels);
    while (lines[i]?.kind === "add" || lines[i]?.kind === "note") take(lines[i++], adds);
    for (let n = 0; n < Math.min(dels.length, adds.length); n += 1) {
      const [del, add] = [dels[n], adds[n]];
      if (del && add) out.set(del, add).set(add, del);
    }
    if (dels.length === 0 && adds.length === 0) i += 1;
  }
  return out;
}

function take(line: Line | undefined, into: Line[]) {
  if (line && line.kind !== "note") into.push(line);
}
