import type { Terminal } from "@xterm/xterm";
import { prefs } from "../state/prefs";
import { patch } from "../state/store";
import type { Fit } from "./fit";
import { smaller } from "./options";

const HOLD_MS = 450;
const STILL_PX = 10;
/** How large letters can be made with two fingers, px. */
const FONT_LEAST = 9;
const FONT_MOST = 18;
/** Two fingers that move apart by less than this share pan. */
const PINCHED = 0.06;

interface Point {
  x: number;
  y: number;
}

type Doing =
  | { what: "nothing" }
  | { what: "touch"; from: Point; timer: ReturnType<typeof setTimeout> }
  | { what: "scroll"; y: number; rest: number }
  | { what: "select"; col: number; line: number; length: number }
  | { what: "two"; from: Point; apart: number; font: number; pinched: boolean };

/**
 * Fingers on a terminal: one scrolls the output, or selects once it was held; two pan, and make the
 * letters larger or smaller.
 */
export class Touch {
  private readonly host: HTMLElement;
  private readonly term: Terminal;
  private readonly size: Fit;
  private doing: Doing = { what: "nothing" };

  constructor(host: HTMLElement, term: Terminal, size: Fit) {
    this.host = host;
    this.term = term;
    this.size = size;
  }

  listen() {
    const { host } = this;
    host.addEventListener("touchstart", (event) => this.start(event), { passive: false });
    host.addEventListener("touchmove", (event) => this.move(event), { passive: false });
    host.addEventListener("touchend", (event) => this.up(event), { passive: false });
    host.addEventListener("touchcancel", () => this.end());
    // What is held is selected here, not by the browser.
    host.addEventListener("contextmenu", (event) => {
      if (this.doing.what === "touch" || this.doing.what === "select") event.preventDefault();
    });
  }

  end() {
    if (this.doing.what === "touch") clearTimeout(this.doing.timer);
    if (this.doing.what === "two" && this.doing.pinched) this.keepFont();
    this.doing = { what: "nothing" };
  }

  private start(event: TouchEvent) {
    this.end();
    const [one, two] = points(event);
    if (one && two) {
      event.preventDefault();
      const font = this.term.options.fontSize ?? FONT_LEAST;
      this.doing = { what: "two", from: between(one, two), apart: apart(one, two), font, pinched: false };
    } else if (one) {
      const timer = setTimeout(() => this.select(one), HOLD_MS);
      this.doing = { what: "touch", from: one, timer };
    }
  }

  private move(event: TouchEvent) {
    const { doing } = this;
    const [one, two] = points(event);
    if (!one) return;
    if (doing.what === "touch") {
      if (apart(one, doing.from) <= STILL_PX) return;
      clearTimeout(doing.timer);
      this.doing = { what: "scroll", y: doing.from.y, rest: 0 };
      this.scroll(one);
    } else if (doing.what === "scroll") this.scroll(one);
    else if (doing.what === "select") this.extend(doing, one);
    else if (doing.what === "two" && two) this.both(doing, one, two);
    if (event.cancelable) event.preventDefault();
  }

  private up(event: TouchEvent) {
    const { what } = this.doing;
    // Else a click follows, which would end the selection or bring the keyboard up.
    if (what !== "touch" && what !== "nothing" && event.cancelable) event.preventDefault();
    // The finger that is left of two does nothing more.
    if (event.touches.length === 0 || what === "two") this.end();
  }

  /** The output follows the finger; a program that follows the wheel, or has no history, gets turns of one. */
  private scroll(to: Point) {
    const { doing, term } = this;
    if (doing.what !== "scroll") return;
    const deltaY = doing.y - to.y;
    doing.y = to.y;
    if (deltaY === 0) return;
    if (term.buffer.active.type === "normal" && term.modes.mouseTrackingMode === "none") {
      const { y: height } = this.size.cell();
      if (!(height > 0)) return;
      doing.rest += deltaY;
      const lines = Math.trunc(doing.rest / height);
      doing.rest -= lines * height;
      if (lines !== 0) term.scrollLines(lines);
      return;
    }
    const at = { deltaY, clientX: to.x, clientY: to.y };
    term.element
      ?.querySelector(".xterm-screen")
      ?.dispatchEvent(new WheelEvent("wheel", { ...at, bubbles: true, cancelable: true }));
  }

  private both(doing: Extract<Doing, { what: "two" }>, one: Point, two: Point) {
    const middle = between(one, two);
    const share = apart(one, two) / Math.max(1, doing.apart);
    if (Math.abs(share - 1) > PINCHED) doing.pinched = true;
    if (doing.pinched) {
      const font = clamp(Math.round(doing.font * share), FONT_LEAST, FONT_MOST);
      if (font !== this.term.options.fontSize) this.term.options.fontSize = font;
    } else {
      const box = this.host.parentElement;
      box?.scrollBy(doing.from.x - middle.x, doing.from.y - middle.y);
    }
    doing.from = middle;
  }

  /** The device keeps the size of the letters, and the program learns how many fit now. */
  private keepFont() {
    patch(prefs, { fontSize: (this.term.options.fontSize ?? FONT_LEAST) + smaller() });
    this.size.soon();
  }

  /** Selects the word that is held. */
  private select(at: Point) {
    const { col, row } = this.size.cellAt(at.x, at.y);
    const line = this.term.buffer.active.viewportY + row;
    const cells = this.term.buffer.active.getLine(line);
    // The second half of a wide letter has none of its own.
    const letters = Array.from({ length: this.term.cols }, (_, x) => {
      const cell = cells?.getCell(x);
      return cell?.getWidth() === 0 ? "_" : (cell?.getChars() ?? "");
    });
    const [from, length] = wordAt(letters, col);
    this.doing = { what: "select", col: from, line, length };
    this.term.select(from, line, length);
    navigator.vibrate?.(10);
  }

  private extend(doing: Extract<Doing, { what: "select" }>, at: Point) {
    const { cols } = this.term;
    const { col, row } = this.size.cellAt(at.x, at.y);
    const begin = doing.line * cols + doing.col;
    const here = (this.term.buffer.active.viewportY + row) * cols + col;
    const from = Math.min(begin, here);
    const to = Math.max(begin + doing.length, here + 1);
    this.term.select(from % cols, Math.floor(from / cols), to - from);
  }
}

/** Where the word at a column begins, and how many cells it has; between words, one. */
export function wordAt(letters: readonly string[], col: number): [number, number] {
  const inWord = (x: number) => (letters[x] ?? "").trim() !== "";
  if (!inWord(col)) return [col, 1];
  let from = col;
  let to = col + 1;
  while (from > 0 && inWord(from - 1)) from -= 1;
  while (inWord(to)) to += 1;
  return [from, to - from];
}

function points({ touches }: TouchEvent): Point[] {
  return [...touches].map(({ clientX, clientY }) => ({ x: clientX, y: clientY }));
}

function between(a: Point, b: Point): Point {
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
}

function apart(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

function clamp(n: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, n));
}
