import { backoffMs } from "../api/backoff";
import type { ClientFrame, ServerFrame } from "../api/types";
import { createStore, patch } from "../state/store";
import { daemonNow } from "../state/time";
import { type LinkState, type Options, type Sink, type Socket, START } from "./link-state";
import { fromBase64, onClose, readFrame, readOutput, subprotocols, writeFrame } from "./protocol";

/** Acknowledge each time so many bytes were drawn; the daemon stops after 1 MiB without. */
const ACK_BYTES = 64 * 1024;
const ECHO_MS = 2000;
/** So long a fresh socket may take in the place of one that looked well. */
const RENEW_MS = 3000;
const ECHOES = 20;
const OPEN = 1;

/** The terminal WebSocket of one session: it comes back by itself and asks for what it missed. */
export class Connection {
  readonly state = createStore<LinkState>(START);
  private socket: Socket | null = null;
  /** The socket that a fresh one takes the place of, and what is sent meanwhile. */
  private old: Socket | null = null;
  private held: (string | Uint8Array<ArrayBuffer>)[] | null = null;
  private timer: ReturnType<typeof setTimeout> | null = null;
  /** The number of the next byte, once one is known. */
  private next: number | null = null;
  private drawn = 0;
  private acked = 0;
  /** Drawings from before a snapshot must not count for what came after it. */
  private era = 0;
  private keyAt: number | null = null;
  private echoes: number[] = [];
  private readonly sink: Sink;
  private readonly options: Options;

  constructor(sink: Sink, options: Options) {
    this.sink = sink;
    this.options = options;
  }

  start() {
    const { status } = this.state.get();
    if (status !== "off" && status !== "stopped") return;
    patch(this.state, { stopped: null, tries: 0 });
    this.connect();
  }

  /** Leaves; what was drawn stays, and `start` goes on from there. */
  stop() {
    this.clear();
    this.drop();
    patch(this.state, { status: "off", nextAt: null, tries: 0, lease: null });
  }

  /** Tries at once instead of waiting. */
  tryNow() {
    if (this.state.get().status === "waiting") this.connect();
  }

  /**
   * Takes a fresh socket where the one there may lead nowhere, which nothing tells. What is typed
   * meanwhile waits for it; the old one goes last, so that the daemon never sees this viewer gone.
   */
  renew() {
    this.tryNow();
    if (!this.live || this.held) return;
    this.old = this.socket;
    this.held = [];
    this.open();
    this.timer = setTimeout(() => this.closed(1006), RENEW_MS);
  }

  get live(): boolean {
    return this.state.get().status === "live";
  }

  /** Whether keys go to the program: connected, and nobody else has the input. */
  get mayType(): boolean {
    const { lease, exit } = this.state.get();
    return this.live && exit === null && (lease === null || lease === "you");
  }

  /** Whether keys are kept for the first attach, which is under way: it begins, and has not failed yet. */
  get mayWait(): boolean {
    const { status, tries } = this.state.get();
    return this.next === null && tries === 0 && (status === "off" || status === "connecting");
  }

  input(bytes: Uint8Array<ArrayBuffer>) {
    if (!this.mayType) return;
    this.keyAt ??= performance.now();
    this.put(bytes);
  }

  paste(text: string) {
    if (this.mayType) this.send({ type: "paste", text });
  }

  resize(cols: number, rows: number) {
    this.send({ type: "resize", cols, rows });
  }

  lease(take: boolean) {
    this.send(take ? { type: "lease", take: true } : { type: "lease", release: true });
  }

  /** Says of something that it was not sent. */
  refuse(message: string) {
    patch(this.state, { refused: { code: "bad_request", message } });
  }

  forgetRefused() {
    patch(this.state, { refused: null });
  }

  forgetSkipped() {
    patch(this.state, { skipped: false });
  }

  private connect() {
    this.clear();
    this.drop();
    if (this.options.token() === null) return;
    patch(this.state, { status: "connecting", nextAt: null });
    this.open();
  }

  private open() {
    const token = this.options.token();
    if (token === null) return;
    const open = this.options.open ?? ((url, protocols) => new WebSocket(url, protocols) as Socket);
    const socket = open(this.options.url, subprotocols(token));
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      const attach: ClientFrame = { type: "attach", from: this.next, ...this.sink.fit() };
      if (this.socket === socket) socket.send(writeFrame(attach));
    };
    socket.onmessage = ({ data }) => {
      if (this.socket !== socket) return;
      if (data instanceof ArrayBuffer) this.output(data);
      else if (typeof data === "string") this.frame(readFrame(data));
    };
    socket.onclose = ({ code }) => {
      if (this.socket === socket) this.closed(code, token);
    };
    this.socket = socket;
  }

  private send(frame: ClientFrame) {
    this.put(writeFrame(frame));
  }

  private put(data: string | Uint8Array<ArrayBuffer>) {
    if (this.held) this.held.push(data);
    else if (this.socket?.readyState === OPEN) this.socket.send(data);
  }

  private clear() {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }

  private drop() {
    const socket = this.socket;
    this.socket = null;
    this.keyAt = null;
    this.held = null;
    socket?.close(1000);
    this.dropOld();
  }

  private dropOld() {
    const old = this.old;
    this.old = null;
    old?.close(1000);
  }

  private closed(code: number, token = "") {
    this.clear();
    this.drop();
    const fate = onClose(code, this.state.get().refused?.message);
    if (fate.again === "never") {
      patch(this.state, { status: "stopped", stopped: fate, nextAt: null });
      if (fate.token) this.sink.tokenRefused(token);
      return;
    }
    const tries = this.state.get().tries + 1;
    const wait = fate.again === "soon" && tries === 1 ? 50 : backoffMs(tries);
    patch(this.state, { status: "waiting", tries, nextAt: Date.now() + wait });
    this.timer = setTimeout(() => this.connect(), wait);
  }

  private frame(frame: ServerFrame | null) {
    switch (frame?.type) {
      case "snapshot":
        this.begin(frame.seq, frame.cols, frame.rows);
        this.sink.snapshot(frame.cols, frame.rows, fromBase64(frame.data), () => undefined);
        return;
      case "resume":
        this.begin(frame.seq, frame.cols, frame.rows);
        this.sink.resumed(frame.cols, frame.rows);
        return;
      case "resync":
        if (frame.reason === "slow") patch(this.state, { skipped: true });
        // Another program runs on the same terminal.
        if (frame.reason === "restarted") patch(this.state, { exit: null, refused: null, latencyMs: null });
        return;
      case "size":
        patch(this.state, { size: { cols: frame.cols, rows: frame.rows, by: frame.by } });
        this.sink.size(frame.cols, frame.rows);
        return;
      case "exit":
        patch(this.state, { exit: { code: frame.code, signal: frame.signal } });
        return;
      case "lease":
        if (frame.holder !== this.state.get().lease) this.forgetRefused();
        patch(this.state, { lease: frame.holder });
        return;
      case "error":
        patch(this.state, { refused: { code: frame.code, message: frame.message } });
        return;
    }
  }

  private begin(seq: number, cols: number, rows: number) {
    // Else it is a connection that is there, and its screen is drawn anew.
    const isNew = !this.live;
    this.clear();
    this.era += 1;
    this.next = seq;
    this.drawn = seq;
    this.acked = seq;
    const old = this.state.get().size;
    const size = old?.cols === cols && old.rows === rows ? old : { cols, rows, by: old?.by ?? "" };
    patch(this.state, {
      status: "live",
      tries: 0,
      nextAt: null,
      size,
      lastByteAt: daemonNow(),
    });
    // A program that has ended is told of again, behind this; another one may have begun meanwhile.
    if (isNew || this.held) patch(this.state, { exit: null });
    if (isNew) this.forgetRefused();
    if (!this.held) return;
    const held = this.held;
    this.held = null;
    // A viewer that goes leaves the size to the one before it: this one takes its own over first.
    if (size.by === "you") this.resize(cols, rows);
    for (const data of held) this.put(data);
    this.dropOld();
  }

  private output(frame: ArrayBuffer) {
    const out = readOutput(frame);
    if (!out || this.next === null) return;
    const end = out.seq + out.bytes.length;
    // A hole: what came after it cannot be drawn. Come back and ask from where it begins.
    if (out.seq > this.next) {
      this.closed(1006);
      return;
    }
    if (end <= this.next) return;
    const bytes = out.bytes.subarray(this.next - out.seq);
    this.next = end;
    this.echo();
    patch(this.state, { lastByteAt: daemonNow() });
    const era = this.era;
    this.sink.output(bytes, () => {
      if (era !== this.era) return;
      this.drawn = end;
      if (this.drawn - this.acked >= ACK_BYTES) {
        this.acked = this.drawn;
        this.send({ type: "ack", seq: this.drawn });
      }
    });
  }

  private echo() {
    if (this.keyAt === null) return;
    const took = performance.now() - this.keyAt;
    this.keyAt = null;
    if (took > ECHO_MS) return;
    this.echoes = [...this.echoes, took].slice(-ECHOES);
    const sorted = [...this.echoes].sort((a, b) => a - b);
    patch(this.state, { latencyMs: Math.round(sorted[sorted.length >> 1] ?? 0) });
  }
}
