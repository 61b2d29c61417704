import type { Terminal } from "@xterm/xterm";
import { isPhone } from "../parts/layout";
import { keysUp } from "../state/ui";
import type { Connection } from "./connection";

/** Room around the cells: 14 px on each side (on the right for the scroll bar), 10 above and below. */
const PAD = { x: 28, y: 20 };
const PAD_PHONE = { x: 20, y: 16 };
const SETTLE_MS = 150;

interface Cells {
  cols: number;
  rows: number;
}

/** How many cells the box of a terminal has room for, and when the program is told. */
export class Fit {
  private readonly term: Terminal;
  private readonly host: HTMLElement;
  private readonly connection: Connection;
  /** Whether the screen is as large as this viewer would have it. */
  private readonly compared: (own: boolean) => void;
  private box: HTMLElement | null = null;
  private boxSize = "";
  private watch: ResizeObserver | null = null;
  private settle: ReturnType<typeof setTimeout> | null = null;
  /** The rows of the box without the on-screen keyboard. */
  private rows = 0;

  constructor(term: Terminal, host: HTMLElement, connection: Connection, compared: (own: boolean) => void) {
    this.term = term;
    this.host = host;
    this.connection = connection;
    this.compared = compared;
  }

  begin(box: HTMLElement) {
    this.box = box;
    this.boxSize = "";
    this.watch = new ResizeObserver(() => this.boxChanged());
    this.watch.observe(box);
  }

  end() {
    this.watch?.disconnect();
    this.watch = null;
    if (this.settle) clearTimeout(this.settle);
    this.box = null;
  }

  /** The size that fills the box; a screen in its own size tells how large a cell is. */
  want(): Cells {
    const cell = this.cell();
    const box = this.box;
    if (!box || !(cell.x > 0) || !(cell.y > 0)) return { cols: this.term.cols, rows: this.term.rows };
    const pad = isPhone() ? PAD_PHONE : PAD;
    // A banner and the on-screen keyboard come and go: the program's screen stays as it is then,
    // with its lower end in sight.
    let height = box.clientHeight - pad.y;
    for (const banner of box.parentElement?.querySelectorAll<HTMLElement>(":scope > .banner") ?? [])
      height += banner.offsetHeight;
    const rows = clamp(Math.floor(height / cell.y), 5, 300);
    if (!keysUp.get() || this.rows === 0) this.rows = rows;
    return { cols: clamp(Math.floor((box.clientWidth - pad.x) / cell.x), 20, 500), rows: this.rows };
  }

  /** How large a cell is, px; nothing while it is not drawn. */
  cell(): { x: number; y: number } {
    const screen = this.screen();
    if (!screen) return { x: 0, y: 0 };
    return { x: screen.clientWidth / this.term.cols, y: screen.clientHeight / this.term.rows };
  }

  /** The cell under a point of the window; beside the screen, the nearest one. */
  cellAt(x: number, y: number): { col: number; row: number } {
    const cell = this.cell();
    const at = this.screen()?.getBoundingClientRect();
    if (!at || !(cell.x > 0) || !(cell.y > 0)) return { col: 0, row: 0 };
    return {
      col: clamp(Math.floor((x - at.left) / cell.x), 0, this.term.cols - 1),
      row: clamp(Math.floor((y - at.top) / cell.y), 0, this.term.rows - 1),
    };
  }

  /** The one who types sets the size. */
  claim() {
    const want = this.want();
    const { size } = this.connection.state.get();
    if (size && (size.cols !== want.cols || size.rows !== want.rows))
      this.connection.resize(want.cols, want.rows);
  }

  compare() {
    if (!this.box) return;
    const want = this.want();
    this.compared(want.cols === this.term.cols && want.rows === this.term.rows);
  }

  /** A deliberate change of the window or of the letters: the program follows, unless another viewer types. */
  soon() {
    if (this.settle) clearTimeout(this.settle);
    this.settle = setTimeout(() => {
      if (this.box && this.connection.mayType) this.claim();
    }, SETTLE_MS);
  }

  private screen(): HTMLElement | null {
    return this.host.querySelector<HTMLElement>(".xterm-screen");
  }

  private boxChanged() {
    const box = this.box;
    if (!box) return;
    const size = `${box.offsetWidth}x${box.offsetHeight}`;
    const first = this.boxSize === "";
    if (size === this.boxSize) return;
    this.boxSize = size;
    this.compare();
    // Being shown is not a change of the window: looking does not set the size. Whoever set it
    // already has it follow into another place of the page.
    if (first && this.connection.state.get().size?.by !== "you") return;
    this.soon();
  }
}

function clamp(n: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, n));
}
