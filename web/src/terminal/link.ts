import { SearchAddon } from "@xterm/addon-search";
import { Unicode11Addon } from "@xterm/addon-unicode11";
import { WebLinksAddon } from "@xterm/addon-web-links";
import { type ITerminalOptions, Terminal } from "@xterm/xterm";
import { currentToken, tokenRefused } from "../api/token";
import { prefs, theme } from "../state/prefs";
import { createStore, patch } from "../state/store";
import { keysUp } from "../state/ui";
import { keepTyped, takeTyped } from "./ahead";
import { Connection } from "./connection";
import { consents } from "./consents";
import { isLeave } from "./leave";
import { follow, options } from "./options";
import { fits, latin1 } from "./protocol";
import { clipboardText, isFocusReport, isMouseReport, safeLink, silence } from "./queries";
import { touchScroll } from "./touch";
import { FastRenderer } from "./webgl";

export interface PaneState {
  focused: boolean;
  /** A paste that waits for a yes: the program does not mark pastes, so each line may run. */
  paste: string | null;
  /** A text that the program wants in the clipboard. */
  clipboard: string | null;
  /** A link that was pressed and whose target its text does not tell. */
  link: string | null;
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
/** What comes so soon after a connection began may be from the time before it. */
const CATCH_UP_MS = 1000;

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
    link: null,
    find: false,
    ctrl: "off",
    own: true,
  });
  private readonly host = document.createElement("div");
  private box: HTMLElement | null = null;
  private watch: ResizeObserver | null = null;
  private settle: ReturnType<typeof setTimeout> | null = null;
  private readonly fast: FastRenderer;
  private boxSize = "";
  private typed = false;
  /** What is drawn now may be old. */
  private catchingUp = false;
  private readonly stops: (() => void)[] = [];
  /** The rows of the box without the on-screen keyboard. */
  private rows = 0;

  constructor(id: string, url: string) {
    this.id = id;
    this.host.className = "screen";
    this.term = new Terminal(options());
    this.fast = new FastRenderer(this.term, this.host, () => requestAnimationFrame(() => this.compare()));
    this.connection = new Connection(
      {
        snapshot: (cols, rows, data, done) => {
          // In the stream of writes, so that what was written before is not drawn after it.
          this.term.write("\x1bc", () => this.setSize(cols, rows));
          this.term.write(data, done);
        },
        output: (bytes, done) => this.term.write(bytes, done),
        size: (cols, rows) => this.term.write("", () => this.setSize(cols, rows)),
        resumed: (cols, rows) => this.resumed(cols, rows),
        fit: () => this.fit(),
        tokenRefused,
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
    // The text of such a link is the program's, and need not be its target.
    term.options.linkHandler = {
      activate: (_event, uri) => patch(this.pane, { link: safeLink(uri) }),
      hover: (_event, uri) => {
        this.host.title = uri;
      },
      leave: () => {
        this.host.title = "";
      },
    };
    term.onData((data) => this.data(data));
    term.onBinary((data) => this.connection.input(latin1(data)));
    term.attachCustomKeyEventHandler((event) => this.key(event));
    this.stops.push(
      theme.subscribe(() => this.restyle()),
      prefs.subscribe(() => this.restyle()),
      this.connection.state.subscribe(() => this.connected()),
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
    if (prefs.get().renderer !== "dom") await this.fast.load(() => this.box !== null);
    await new Promise((done) => requestAnimationFrame(done));
    this.compare();
  }

  unmount() {
    this.watch?.disconnect();
    this.watch = null;
    if (this.settle) clearTimeout(this.settle);
    this.fast.drop();
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
    if (!fits(text)) {
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

  answerLink(yes: boolean) {
    const uri = this.pane.get().link;
    patch(this.pane, { link: null });
    if (yes && uri !== null) follow(uri);
  }

  answerClipboard(yes: boolean) {
    const text = this.pane.get().clipboard;
    consents.set((old) => ({ ...old, [this.id]: yes ? "allow" : "deny" }));
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
    if (this.connection.mayWait) keepTyped(this.id, data);
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

  /** What was typed before the first attach is sent with it. */
  private connected() {
    const { mayType, mayWait } = this.connection;
    this.term.options.disableStdin = !(mayType || mayWait);
    // When it did not come about at once, nobody can tell any more what the keys would meet.
    const early = mayWait ? "" : takeTyped(this.id);
    if (early !== "" && mayType) this.data(early);
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
  claimSize() {
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

  private resumed(cols: number, rows: number) {
    this.catchingUp = true;
    this.term.write("", () => this.setSize(cols, rows));
    // In the stream of writes, so that it is over once what came meanwhile is drawn.
    setTimeout(() => this.term.write("", () => (this.catchingUp = false)), CATCH_UP_MS);
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
    for (const key of ["theme", "fontSize", "minimumContrastRatio", "screenReaderMode"] as const) {
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
    // The page's own handler of keys takes it from here.
    if (isLeave(event)) return false;
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
    if (text === null || !this.box) return;
    const consent = consents.get()[this.id] ?? "ask";
    // An old text must not take the place of what was copied since.
    if (consent === "allow" && !this.catchingUp) void toClipboard(text);
    else if (consent === "ask") patch(this.pane, { clipboard: text });
  }

  private focused(yes: boolean) {
    patch(this.pane, { focused: yes });
  }
}

async function toClipboard(text: string) {
  const { copyText } = await import("../parts/copy");
  await copyText(text);
}

function clamp(n: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, n));
}
