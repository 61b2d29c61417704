import { number } from "../parts/number";

/** Characters of a title that is made from a task. */
const TITLE_MOST = 60;
/** Characters of any title. */
const LONGEST = 200;
/** Letters of the part of a branch that is made from a title. */
const BRANCH_MOST = 50;

/** Cuts a text to so many characters, and no emoji or letter with its marks in two. */
export function cutTo(text: string, most: number): string {
  // No character is longer than two units; only its beginning is looked at.
  const near = text.slice(0, most * 2 + 2);
  if ([...near].length <= most && near === text) return text;
  let out = "";
  let count = 0;
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(near)) {
    count += [...segment].length;
    if (count > most) break;
    out += segment;
  }
  return out;
}

/** The first sentence of a task, cut at a word. */
export function titleFrom(task: string): string {
  const first =
    task
      .trim()
      .split(/\n|[.!?](?=\s|$)/)[0]
      ?.replace(/[\p{Cc}\s]+/gu, " ")
      .trim() ?? "";
  const head = cutTo(first, TITLE_MOST);
  if (head === first) return first;
  // Cut at a word, and not after a short one such as "of the".
  const cut = `${head}${first[head.length] ?? ""}`.replace(/\s+\S*$/, "").replace(/(?:\s+\S{1,3})+$/, "");
  return cut === "" || cut.length > head.length ? head : cut;
}

/** A name that is not taken: the same, or with the first number that makes it so. */
function free(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name;
  let n = 2;
  while (taken.includes(`${name}-${n}`)) n += 1;
  return `${name}-${n}`;
}

/** What a branch takes of a text: small letters, digits and dashes. */
export function wordsOf(text: string, most = 6): string {
  const words = text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  return words?.slice(0, most).join("-") ?? "";
}

/** A branch from a title: short, and not one that is there. */
export function branchFrom(title: string, taken: readonly string[], more = ""): string {
  if (title.trim() === "" && more === "") return "";
  const end = more === "" ? "" : `-${more}`;
  // A title without a letter that a branch takes: the daemon calls it so, too.
  const words = wordsOf(cutTo(title, LONGEST)) || "session";
  const stem = `qd/${words}`.slice(0, BRANCH_MOST - end.length).replace(/-+$/, "");
  return free(`${stem}${end}`, taken);
}

/** The same branch for another of several sessions. */
export function branchBeside(branch: string, more: string, taken: readonly string[]): string {
  return free(`${branch}-${more}`, taken);
}

/** The title of one of several sessions: what they have in common, and what it is. */
export function titleBeside(common: string, more: string): string {
  return common === "" ? more : `${cutTo(common, LONGEST - more.length - 3)} (${more})`;
}

/** Why a text cannot be a title, in the words of the daemon. */
export function titleWrong(title: string): string | null {
  const because = (why: string) => `The title cannot be used: ${why}.`;
  const all = [...title];
  const at = all.findIndex((c) => /\p{Cc}/u.test(c));
  if (at >= 0) {
    const code = (all[at]?.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    return because(`it has the control character U+${code} at place ${at + 1}`);
  }
  const length = [...title.trim()].length;
  if (length <= LONGEST) return null;
  return because(
    `it has ${number(length, "character").replace(/\B(?=(\d{3})+ )/, ",")}; ${LONGEST} is the most`,
  );
}

/** What the daemon makes of a name for a folder. */
function slug(text: string): string {
  const letters = [...text].map((c) => (/[A-Za-z0-9._]/.test(c) ? c : "-"));
  return (
    letters
      .slice(0, 60)
      .join("")
      .replace(/^[.-]+/, "") || "x"
  );
}

/** Where the worktree of a branch will be, but for the id of its session at the end. */
export function folderFor(worktrees: string, branch: string): string {
  return `${worktrees}/${slug(branch)}-`;
}
