import { hiddenCount } from "../parts/hidden";

/** So many lines are pasted without a look by a program that marks pastes; more are shown first. */
export const MANY_LINES = 10;
/** So much of a paste is drawn; of the rest it is said how much it is. */
const DRAWN = 20_000;

const END = "\x1b[201~";

/** The text that the program gets: the daemon takes the mark of a paste's end out, and sends CR for line ends. */
export function typedAs(text: string, marked: boolean): string {
  const ends = text.replace(/\r\n?/g, "\n");
  if (!marked || !ends.includes(END)) return ends;
  const out: string[] = [];
  for (const letter of ends) {
    out.push(letter);
    // Taking one mark out can put another together, which ends later.
    if (letter === "~" && out.slice(-END.length).join("") === END) out.length -= END.length;
  }
  return out.join("");
}

/** Whether a paste is shown before it is sent. `marked`: the program tells pastes from keys. */
export function asksFirst(text: string, marked: boolean): boolean {
  if (!marked && /[\r\n]/.test(text)) return true;
  return linesOf(text) > MANY_LINES || hiddenCount(text.replace(/[\r\n]/g, "")) > 0;
}

export function linesOf(text: string): number {
  const lines = text.split(/\r\n|\r|\n/);
  return lines.length > 1 && lines.at(-1) === "" ? lines.length - 1 : lines.length;
}

/** The lines that are drawn, and how many characters are not. */
export function preview(text: string): { lines: string[]; more: number } {
  const shown = text.slice(0, DRAWN);
  const lines = shown.split("\n");
  return { lines, more: text.length - shown.length };
}
