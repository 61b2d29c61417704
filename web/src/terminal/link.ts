import { SearchAddon } from "@xterm/addon-search";
import { Unicode11Addon } from "@xterm/addon-unicode11";
import { WebLinksAddon } from "@xterm/addon-web-links";
import { type ITerminalOptions, Terminal } from "@xterm/xterm";
import { currentToken, tokenRefused } from "../api/token";
import { highContrast, prefs, theme } from "../state/prefs";
import { createStore, patch } from "../state/store";
import { keepTyped, takeTyped } from "./ahead";
import { toClipboard } from "./clip";
import { Connection } from "./connection";
import { consents } from "./consents";
import { Fit } from "./fit";
import { latched, spent, tapped } from "./latch";
import { isLeave } from "./leave";
import { follow, options } from "./options";
import { type PaneState, PLAIN_PANE } from "./pane-state";
import { asksFirst } from "./paste";
import { fits, latin1 } from "./protocol";
import { clipboardText, isFocusReport, isMouseReport, safeLink, silence } from "./queries";
import { Touch } from "./touch";
import { FastRenderer } from "./webgl";

/** What comes so soon after a connection began may be from the time before it. */
const CATCH_UP_MS = 1000;

const encoder = new TextEncoder();

/** One terminal: the cells, the connection, and what stands around them. It lives outside React. */
export class TerminalLink {
  readonly id: string;
  readonly term: Terminal;
  readonly search = new SearchAddon();
  readonly connection: Connection;
  readonly size: Fit;
  readonly pane = createStore<PaneState>(PLAIN_PANE);
  private readonly host = document.createElement("div");
  private box: HTMLElement | null = null;
  private readonly fast: FastRenderer;
  private readonly touch: Touch;
  private typed = false;
  /** What is drawn now may be old. */
  private catchingUp = false;
  private readonly stops: (() => void)[] = [];

  constructor(id: string, url: string) {
    this.id = id;
    this.host.className = "screen";
    this.term = new Terminal(options());
    this.fast = new FastRenderer(this.term, this.host, () =>
      requestAnimationFrame(() => this.size.compare()),
    );
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
        fit: () => this.size.want(),
        tokenRefused,
      },
      { url, token: currentToken },
    );
    this.size = new Fit(this.term, this.host, this.connection, (own) => patch(this.pane, { own }));
    this.touch = new Touch(this.host, this.term, this.size);
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
    term.onSelectionChange(() => patch(this.pane, { selected: term.hasSelection() }));
    term.attachCustomKeyEventHandler((event) => this.key(event));
    this.stops.push(
      theme.subscribe(() => this.restyle()),
      highContrast.subscribe(() => this.restyle()),
      prefs.subscribe(() => this.restyle()),
      this.connection.state.subscribe(() => this.connected()),
    );
  }

  /** Whether it stands on the page. */
  get shown(): boolean {
    return this.box !== null;
  }

  /** Shows the terminal in a box. Resolves when it is known how large a cell is. */
  async mount(box: HTMLElement) {
    this.box = box;
    box.append(this.host);
    if (!this.term.element) {
      this.term.open(this.host);
      this.term.textarea?.setAttribute("aria-label", "Terminal input");
      this.term.textarea?.addEventListener("focus", () => patch(this.pane, { focused: true }));
      this.term.textarea?.addEventListener("blur", () => patch(this.pane, { focused: false }));
      this.host.addEventListener("paste", (event) => this.pasted(event), true);
      this.touch.listen();
    }
    this.size.begin(box);
    if (prefs.get().renderer !== "dom") await this.fast.load(() => this.box !== null);
    await new Promise((done) => requestAnimationFrame(done));
    this.size.compare();
  }

  unmount() {
    this.size.end();
    this.touch.end();
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

  tapLatch(which: "ctrl" | "alt") {
    patch(this.pane, { [which]: tapped(this.pane.get()[which]) });
  }

  /** Sends text as a paste, and asks first where it should be seen before. */
  paste(text: string) {
    if (!this.connection.mayType || text === "") return;
    if (!fits(text)) {
      this.connection.refuse("That paste is too long: one message holds 1 MiB.");
      return;
    }
    if (asksFirst(text, this.term.modes.bracketedPasteMode)) patch(this.pane, { paste: text });
    else this.sendPaste(text);
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

  /** Takes the input, and makes the program's screen as large as this viewer's. */
  fitToMe() {
    const { lease } = this.connection.state.get();
    if (lease !== null && lease !== "you") this.connection.lease(true);
    const { cols, rows } = this.size.want();
    this.connection.resize(cols, rows);
  }

  copySelection() {
    if (this.term.hasSelection()) void toClipboard(this.term.getSelection());
  }

  /** The one who types sets the size. */
  claimSize() {
    this.typed = true;
    this.size.claim();
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
    const mouse = isMouseReport(data);
    if (!mouse) this.claimSize();
    this.connection.input(encoder.encode(mouse ? data : this.withLatches(data)));
  }

  private withLatches(data: string): string {
    const { ctrl, alt } = this.pane.get();
    const sent = latched(data, { ctrl, alt });
    if (sent === null) return data;
    patch(this.pane, spent({ ctrl, alt }));
    return sent;
  }

  /** What was typed before the first attach is sent with it. */
  private connected() {
    const { mayType, mayWait } = this.connection;
    this.term.options.disableStdin = !(mayType || mayWait);
    // When it did not come about at once, nobody can tell any more what the keys would meet.
    const early = mayWait ? "" : takeTyped(this.id);
    if (early !== "" && mayType) this.data(early);
  }

  private setSize(cols: number, rows: number) {
    if (cols !== this.term.cols || rows !== this.term.rows) this.term.resize(cols, rows);
    requestAnimationFrame(() => this.size.compare());
  }

  private resumed(cols: number, rows: number) {
    this.catchingUp = true;
    this.term.write("", () => this.setSize(cols, rows));
    // In the stream of writes, so that it is over once what came meanwhile is drawn.
    setTimeout(() => this.term.write("", () => (this.catchingUp = false)), CATCH_UP_MS);
  }

  private restyle() {
    const next = options();
    for (const key of ["theme", "fontSize", "minimumContrastRatio", "screenReaderMode"] as const) {
      if (JSON.stringify(this.term.options[key]) !== JSON.stringify(next[key])) this.set(key, next);
    }
    requestAnimationFrame(() => this.size.compare());
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
    if (!event.ctrlKey || !event.shiftKey) return true;
    switch (event.code) {
      case "KeyF":
        patch(this.pane, { find: true });
        break;
      case "KeyC":
        this.copySelection();
        break;
      // The page's own handler goes on to the next pane.
      case "KeyO":
      // The browser pastes; the paste event is ours.
      case "KeyV":
        return false;
      default:
        return true;
    }
    event.preventDefault();
    return false;
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
}
