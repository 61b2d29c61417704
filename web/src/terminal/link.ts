import { SearchAddon } from "@xterm/addon-search";
import { Unicode11Addon } from "@xterm/addon-unicode11";
import { WebLinksAddon } from "@xterm/addon-web-links";
import { type ITerminalOptions, Terminal } from "@xterm/xterm";
import { currentToken, dropToken } from "../api/token";
import { prefs, theme } from "../state/prefs";
import { createStore, patch } from "../state/store";
import { keysUp } from "../state/ui";
import { Connection } from "./connection";
import { follow, options } from "./options";
import { latin1 } from "./protocol";
import { clipboardText, isFocusReport, isMouseReport, silence } from "./queries";
import { touchScroll } from "./touch";

export interface PaneState {
  focused: boolean;
  /** A paste that waits for a yes: the program does not mark pastes, so each line may run. */
  paste: string | null;
  /** A text that the program wants in the clipboard. */
  clipboard: string | null;
  find: boolean;
  /** The Ctrl key of the key bar: off, for one key, or until it is pressed again. */
  ctrl: "off" | "once" | "locked";
  /** Whether the screen is as large as this viewer would have it. */
  own: boolean;
}

/** Room around the cells: 14 px on each side (on the right for the scroll bar), 10 above and below. */
const PAD = { x: 28, y: 20 };
const PAD_PHONE = { x: 20, y: 16 };
const SETTLE_MS = 150;
/** Characters of a paste; in JSON, and as UTF-8, they take more room than here. */
const PASTE_MOST = 300_000;
const encoder = new TextEncoder();

/** One terminal: the cells, the connection, and what stands around them. It lives outside React. */
export class TerminalLink {
  readonly id: string;
  readonly term: Terminal;
  readonly search = new SearchAddon();
  readonly connection: Connection;
  readonly pane = createStore<PaneState>({
    focused: false,
    paste: null,
    clipboard: null,
    find: false,
    ctrl: "off",
    own: true,
  });
  private readonly host = document.createElement("div");
  private box: HTMLElement | null = null;
  private watch: ResizeObserver | null = null;
  private settle: ReturnType<typeof setTimeout> | null = null;
  private webgl: { dispose(): void } | null = null;
  private boxSize = "";
  private typed = false;
  private consent: "ask" | "allow" | "deny" = "ask";
  private readonly stops: (() => void)[] = [];
  /** The rows of the box without the on-screen keyboard. */
  private rows = 0;

  constructor(id: string, url: string) {
    this.id = id;
    this.host.className = "screen";
    this.term = new Terminal(options());
    this.connection = new Connection(
      {
        snapshot: (cols, rows, data, done) => {
          // In the stream of writes, so that what was written before is not drawn after it.
          this.term.write("\x1bc", () => this.setSize(cols, rows));
          this.term.write(data, done);
        },
        output: (bytes, done) => this.term.write(bytes, done),
        size: (cols, rows) => this.term.write("", () => this.setSize(cols, rows)),
        fit: () => this.fit(),
        tokenRefused: () => dropToken("refused"),
      },
      { url, token: currentToken },
    );
    this.wire();
  }

  private wire() {
    const { term } = this;
    silence(term.parser);
    term.parser.registerOscHandler(52, (data) => {
      this.wantsClipboard(clipboardText(data));
      return true;
    });
    term.loadAddon(this.search);
    term.loadAddon(new Unicode11Addon());
    term.unicode.activeVersion = "11";
    term.loadAddon(new WebLinksAddon((_event, uri) => follow(uri)));
    term.onData((data) => this.data(data));
    term.onBinary((data) => this.connection.input(latin1(data)));
    term.attachCustomKeyEventHandler((event) => this.key(event));
    this.stops.push(
      theme.subscribe(() => this.restyle()),
      prefs.subscribe(() => this.restyle()),
      this.connection.state.subscribe(() => {
        term.options.disableStdin = !this.connection.mayType;
      }),
    );
  }

  /** Shows the terminal in a box. Resolves when it is known how large a cell is. */
  async mount(box: HTMLElement) {
    this.box = box;
    box.append(this.host);
    if (!this.term.element) {
      this.term.open(this.host);
      this.term.textarea?.setAttribute("aria-label", "Terminal input");
      this.term.textarea?.addEventListener("focus", () => this.focused(true));
      this.term.textarea?.addEventListener("blur", () => this.focused(false));
      this.host.addEventListener("paste", (event) => this.pasted(event), true);
      touchScroll(this.host, this.term);
    }
    this.boxSize = "";
    this.watch = new ResizeObserver(() => this.boxChanged());
    this.watch.observe(box);
    await this.loadWebgl();
    await new Promise((done) => requestAnimationFrame(done));
    this.compare();
  }

  unmount() {
    this.watch?.disconnect();
    this.watch = null;
    if (this.settle) clearTimeout(this.settle);
    this.dropWebgl();
    this.host.remove();
    this.box = null;
    patch(this.pane, { focused: false });
  }

  dispose() {
    this.unmount();
    for (const stop of this.stops) stop();
    this.connection.stop();
    this.term.dispose();
  }

  focus() {
    this.term.focus();
  }

  /** Keys of the page, such as the key bar. */
  press(text: string) {
    this.data(text);
  }

  arrow(letter: "A" | "B" | "C" | "D") {
    this.data(`${this.term.modes.applicationCursorKeysMode ? "\x1bO" : "\x1b["}${letter}`);
  }

  cycleCtrl() {
    const next = { off: "once", once: "locked", locked: "off" } as const;
    patch(this.pane, { ctrl: next[this.pane.get().ctrl] });
  }

  /** Sends text as a paste, and asks first when the program would run its lines one by one. */
  paste(text: string) {
    if (!this.connection.mayType || text === "") return;
    if (text.length > PASTE_MOST) {
      this.connection.refuse("That paste is too long: one message holds 1 MiB.");
      return;
    }
    if (/[\r\n]/.test(text) && !this.term.modes.bracketedPasteMode) {
      patch(this.pane, { paste: text });
      return;
    }
    this.sendPaste(text);
  }

  answerPaste(yes: boolean) {
    const text = this.pane.get().paste;
    patch(this.pane, { paste: null });
    if (yes && text !== null) this.sendPaste(text);
    this.focus();
  }

  /** A message: the text as a paste, then Enter. False when it cannot be sent now. */
  message(text: string): boolean {
    if (!this.connection.mayType) return false;
    this.claimSize();
    this.connection.paste(text);
    this.connection.input(encoder.encode("\r"));
    return true;
  }

  answerClipboard(yes: boolean) {
    const text = this.pane.get().clipboard;
    this.consent = yes ? "allow" : "deny";
    patch(this.pane, { clipboard: null });
    if (yes && text !== null) void toClipboard(text);
  }

  /** Makes the program's screen as large as this viewer's. */
  fitToMe() {
    const { cols, rows } = this.fit();
    this.connection.resize(cols, rows);
  }

  /** The size that fills the box; a screen in its own size tells how large a cell is. */
  fit(): { cols: number; rows: number } {
    const cell = this.cell();
    const box = this.box;
    if (!box || !(cell.x > 0) || !(cell.y > 0)) return { cols: this.term.cols, rows: this.term.rows };
    const pad = matchMedia("(max-width: 767px)").matches ? PAD_PHONE : PAD;
    // A banner and the on-screen keyboard come and go: the program's screen stays as it is then,
    // with its lower end in sight.
    let height = box.clientHeight - pad.y;
    for (const banner of box.parentElement?.querySelectorAll<HTMLElement>(":scope > .banner") ?? [])
      height += banner.offsetHeight;
    const rows = clamp(Math.floor(height / cell.y), 5, 300);
    if (!keysUp.get() || this.rows === 0) this.rows = rows;
    return { cols: clamp(Math.floor((box.clientWidth - pad.x) / cell.x), 20, 500), rows: this.rows };
  }

  private cell(): { x: number; y: number } {
    const screen = this.host.querySelector<HTMLElement>(".xterm-screen");
    if (!screen) return { x: 0, y: 0 };
    return { x: screen.clientWidth / this.term.cols, y: screen.clientHeight / this.term.rows };
  }

  private sendPaste(text: string) {
    this.claimSize();
    this.connection.paste(text);
  }

  private data(data: string) {
    if (!this.connection.mayType) return;
    // Each viewer would report its own focus; the program should hear of the one who types.
    if (isFocusReport(data)) {
      if (this.connection.state.get().lease === "you" || this.typed)
        this.connection.input(encoder.encode(data));
      return;
    }
    if (!isMouseReport(data)) this.claimSize();
    this.connection.input(encoder.encode(this.withCtrl(data)));
  }

  private withCtrl(data: string): string {
    const { ctrl } = this.pane.get();
    if (ctrl === "off" || data.length !== 1) return data;
    if (ctrl === "once") patch(this.pane, { ctrl: "off" });
    const code = data.toUpperCase().charCodeAt(0);
    if (code >= 0x40 && code <= 0x5f) return String.fromCharCode(code & 0x1f);
    return data === " " ? "\0" : data;
  }

  /** The one who types sets the size. */
  private claimSize() {
    this.typed = true;
    const want = this.fit();
    const { size } = this.connection.state.get();
    if (size && (size.cols !== want.cols || size.rows !== want.rows))
      this.connection.resize(want.cols, want.rows);
  }

  private setSize(cols: number, rows: number) {
    if (cols !== this.term.cols || rows !== this.term.rows) this.term.resize(cols, rows);
    requestAnimationFrame(() => this.compare());
  }

  private compare() {
    if (!this.box) return;
    const want = this.fit();
    patch(this.pane, { own: want.cols === this.term.cols && want.rows === this.term.rows });
  }

  private boxChanged() {
    const box = this.box;
    if (!box) return;
    const size = `${box.offsetWidth}x${box.offsetHeight}`;
    const first = this.boxSize === "";
    if (size === this.boxSize) return;
    this.boxSize = size;
    this.compare();
    // Being shown is not a change of the window: looking does not set the size.
    if (first) return;
    if (this.settle) clearTimeout(this.settle);
    this.settle = setTimeout(() => {
      const { size: now } = this.connection.state.get();
      const want = this.fit();
      if (!this.connection.mayType) return;
      if (now && (now.cols !== want.cols || now.rows !== want.rows))
        this.connection.resize(want.cols, want.rows);
    }, SETTLE_MS);
  }

  private restyle() {
    const next = options();
    for (const key of ["theme", "fontSize", "minimumContrastRatio"] as const) {
      if (JSON.stringify(this.term.options[key]) !== JSON.stringify(next[key])) this.set(key, next);
    }
    requestAnimationFrame(() => this.compare());
  }

  private set<K extends keyof ITerminalOptions>(key: K, next: ITerminalOptions) {
    this.term.options[key] = next[key];
  }

  private key(event: KeyboardEvent): boolean {
    if (event.type !== "keydown") return true;
    const mac = /Mac|iP/.test(navigator.platform);
    if (mac && event.metaKey) return false;
    if (
      event.ctrlKey &&
      !event.altKey &&
      !event.shiftKey &&
      (event.key === "]" || event.code === "BracketRight")
    ) {
      // The page's own handler of keys takes it from here.
      return false;
    }
    if (event.ctrlKey && event.shiftKey && event.code === "KeyF") {
      patch(this.pane, { find: true });
      event.preventDefault();
      return false;
    }
    if (event.ctrlKey && event.shiftKey && event.code === "KeyC") {
      if (this.term.hasSelection()) void toClipboard(this.term.getSelection());
      event.preventDefault();
      return false;
    }
    // The browser pastes; the paste event is ours.
    if (event.ctrlKey && event.shiftKey && event.code === "KeyV") return false;
    return true;
  }

  private pasted(event: ClipboardEvent) {
    event.preventDefault();
    event.stopPropagation();
    this.paste(event.clipboardData?.getData("text/plain") ?? "");
  }

  private wantsClipboard(text: string | null) {
    if (text === null || this.consent === "deny" || !this.box) return;
    if (this.consent === "allow") void toClipboard(text);
    else patch(this.pane, { clipboard: text });
  }

  private focused(yes: boolean) {
    patch(this.pane, { focused: yes });
  }

  /** The fast renderer, for the terminal that is seen; the other one is always there. */
  private async loadWebgl() {
    if (this.webgl || prefs.get().renderer === "dom") return;
    try {
      const { WebglAddon } = await import("@xterm/addon-webgl");
      if (this.webgl || !this.box) return;
      // This renderer cuts the width of a cell down to whole pixels: add one when that is nearer.
      const width = this.cell().x * devicePixelRatio;
      this.term.options.letterSpacing = width % 1 >= 0.5 ? 1 : 0;
      const addon = new WebglAddon();
      addon.onContextLoss(() => this.dropWebgl());
      this.term.loadAddon(addon);
      this.webgl = addon;
      requestAnimationFrame(() => this.compare());
    } catch {
      // No WebGL here.
      this.dropWebgl();
    }
  }

  private dropWebgl() {
    const addon = this.webgl;
    this.webgl = null;
    this.term.options.letterSpacing = 0;
    addon?.dispose();
  }
}

async function toClipboard(text: string) {
  const { copyText } = await import("../parts/copy");
  await copyText(text);
}

function clamp(n: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, n));
}
