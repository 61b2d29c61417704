import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Connection } from "../src/terminal/connection";
import type { Sink, Socket } from "../src/terminal/link-state";
import { fits, latin1, onClose, readOutput } from "../src/terminal/protocol";

class FakeSocket implements Socket {
  binaryType: BinaryType = "blob";
  readyState = 0;
  onopen: (() => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  sent: (string | Uint8Array)[] = [];
  constructor(
    readonly url: string,
    readonly protocols: string[],
  ) {}
  send(data: string | Uint8Array<ArrayBuffer>) {
    this.sent.push(data);
  }
  close() {
    this.readyState = 3;
  }
  open() {
    this.readyState = 1;
    this.onopen?.();
  }
  frame(value: object) {
    this.onmessage?.({ data: JSON.stringify(value) });
  }
  bytes(seq: number, text: string) {
    const body = latin1(text);
    const frame = new ArrayBuffer(8 + body.length);
    const view = new DataView(frame);
    view.setUint32(0, Math.floor(seq / 2 ** 32));
    view.setUint32(4, seq % 2 ** 32);
    new Uint8Array(frame, 8).set(body);
    this.onmessage?.({ data: frame });
  }
  die(code: number) {
    this.readyState = 3;
    this.onclose?.({ code });
  }
  frames(type: string) {
    return this.sent
      .filter((s): s is string => typeof s === "string")
      .map((s) => JSON.parse(s) as Record<string, unknown>)
      .filter((f) => f.type === type);
  }
}

function setup(drawAtOnce = true) {
  const sockets: FakeSocket[] = [];
  const drawn: string[] = [];
  const pending: (() => void)[] = [];
  const sizes: string[] = [];
  const sink: Sink & { refused: boolean } = {
    refused: false,
    snapshot(cols, rows, data, done) {
      drawn.push(`[${cols}x${rows}]${String.fromCharCode(...data)}`);
      done();
    },
    output(bytes, done) {
      drawn.push(bytes.length > 100 ? `${bytes.length} bytes` : String.fromCharCode(...bytes));
      if (drawAtOnce) done();
      else pending.push(done);
    },
    size: (cols, rows) => sizes.push(`${cols}x${rows}`),
    resumed: (cols, rows) => sizes.push(`${cols}x${rows}`),
    fit: () => ({ cols: 100, rows: 30 }),
    tokenRefused() {
      sink.refused = true;
    },
  };
  const connection = new Connection(sink, {
    url: "ws://host/terminal",
    token: () => "tok",
    open(url, protocols) {
      const socket = new FakeSocket(url, protocols);
      sockets.push(socket);
      return socket;
    },
  });
  const last = () => sockets.at(-1) as FakeSocket;
  return { connection, sockets, last, drawn, pending, sizes, sink };
}

const snapshot = (seq: number) => ({ type: "snapshot", seq, cols: 80, rows: 24, data: btoa("screen") });

describe("terminal connection", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("attaches with its own size, the token and the sub-protocol", () => {
    const { connection, last } = setup();
    connection.start();
    expect(last().protocols).toEqual(["qd.terminal.v1", "qd.bearer.tok"]);
    last().open();
    expect(last().frames("attach")).toEqual([{ type: "attach", from: null, cols: 100, rows: 30 }]);
    expect(connection.live).toBe(false);
    last().frame(snapshot(1000));
    expect(connection.live).toBe(true);
  });

  it("keeps keys for the first attach, as long as that has not failed", () => {
    const { connection, last } = setup();
    expect(connection.mayWait).toBe(true);
    connection.start();
    last().open();
    expect(connection.mayWait).toBe(true);
    last().die(1006);
    expect(connection.mayWait).toBe(false);
    vi.advanceTimersByTime(5000);
    expect(connection.mayWait).toBe(false);
    last().open();
    last().frame(snapshot(1000));
    last().die(1006);
    expect(connection.mayWait).toBe(false);
  });

  it("draws the snapshot, then the bytes after it", () => {
    const { connection, last, drawn } = setup();
    connection.start();
    last().open();
    last().frame(snapshot(1000));
    last().bytes(1000, "abc");
    last().bytes(1003, "def");
    expect(drawn).toEqual(["[80x24]screen", "abc", "def"]);
  });

  it("comes back and asks for what it missed", () => {
    const { connection, sockets, last, drawn } = setup();
    connection.start();
    last().open();
    last().frame(snapshot(1000));
    last().bytes(1000, "abc");
    last().die(1006);
    expect(connection.state.get()).toMatchObject({ status: "waiting", tries: 1 });
    vi.advanceTimersByTime(1000);
    expect(sockets).toHaveLength(2);
    last().open();
    expect(last().frames("attach")[0]).toMatchObject({ from: 1003 });
    last().frame({ type: "resume", seq: 1003, cols: 80, rows: 24 });
    last().bytes(1003, "def");
    expect(drawn.join("")).toBe("[80x24]screenabcdef");
    expect(connection.state.get()).toMatchObject({ status: "live", tries: 0 });
  });

  it("draws no byte twice and none out of order", () => {
    const { connection, sockets, last, drawn } = setup();
    connection.start();
    last().open();
    last().frame(snapshot(10));
    last().bytes(10, "abcd");
    last().bytes(8, "zzabcd");
    last().bytes(12, "cdef");
    expect(drawn.slice(1)).toEqual(["abcd", "ef"]);
    // A hole: it must not be drawn over, but asked for.
    last().bytes(40, "later");
    expect(drawn.slice(1)).toEqual(["abcd", "ef"]);
    vi.advanceTimersByTime(1000);
    expect(sockets).toHaveLength(2);
    last().open();
    expect(last().frames("attach")[0]).toMatchObject({ from: 16 });
  });

  it("reads numbers above 2^32", () => {
    const { connection, last, drawn } = setup();
    const at = 2 ** 40 + 5;
    connection.start();
    last().open();
    last().frame(snapshot(at));
    last().bytes(at, "x");
    expect(drawn.at(-1)).toBe("x");
    const over = new ArrayBuffer(9);
    new DataView(over).setUint32(0, 2 ** 31);
    expect(readOutput(over)).toBeNull();
    expect(readOutput(new ArrayBuffer(4))).toBeNull();
  });

  it("acknowledges what was drawn, at least each 128 KiB, and not what only came", () => {
    const { connection, last, pending } = setup(false);
    connection.start();
    last().open();
    last().frame(snapshot(0));
    const part = "x".repeat(32 * 1024);
    for (let i = 0; i < 6; i += 1) last().bytes(i * part.length, part);
    expect(last().frames("ack")).toEqual([]);
    for (const done of pending.splice(0)) done();
    expect(
      last()
        .frames("ack")
        .map((f) => f.seq),
    ).toEqual([2 * part.length, 4 * part.length, 6 * part.length]);
  });

  it("does not count old drawings after a new snapshot", () => {
    const { connection, last, pending } = setup(false);
    connection.start();
    last().open();
    last().frame(snapshot(0));
    last().bytes(0, "x".repeat(200 * 1024));
    last().frame({ type: "resync", reason: "slow" });
    last().frame(snapshot(900_000));
    for (const done of pending.splice(0)) done();
    expect(last().frames("ack")).toEqual([]);
    expect(connection.state.get().skipped).toBe(true);
  });

  it("sends no key while it is not connected, or another has the input", () => {
    const { connection, last } = setup();
    const keys = () => last().sent.filter((s) => typeof s !== "string").length;
    connection.start();
    connection.input(latin1("a"));
    last().open();
    connection.input(latin1("a"));
    expect(keys()).toBe(0);
    last().frame(snapshot(0));
    connection.input(latin1("a"));
    expect(keys()).toBe(1);
    last().frame({ type: "lease", holder: "the phone" });
    connection.input(latin1("a"));
    connection.paste("text");
    expect(keys()).toBe(1);
    expect(last().frames("paste")).toEqual([]);
    connection.lease(true);
    expect(last().frames("lease")).toEqual([{ type: "lease", take: true }]);
    last().frame({ type: "lease", holder: "you" });
    connection.input(latin1("a"));
    expect(keys()).toBe(2);
    last().frame({ type: "exit", code: 0, signal: null });
    connection.input(latin1("a"));
    expect(keys()).toBe(2);
  });

  it("stops for good where trying again cannot help", () => {
    for (const code of [4401, 4403, 4404, 4409]) {
      const { connection, sockets, last, sink } = setup();
      connection.start();
      last().open();
      last().die(code);
      vi.advanceTimersByTime(60_000);
      expect(sockets).toHaveLength(1);
      expect(connection.state.get().status).toBe("stopped");
      expect(sink.refused).toBe(code === 4401);
    }
  });

  it("comes back for all other codes, ever more slowly", () => {
    for (const code of [1001, 1006, 4408, 4500]) expect(onClose(code).again).not.toBe("never");
    const { connection, sockets, last } = setup();
    connection.start();
    for (let i = 0; i < 8; i += 1) {
      last().die(1006);
      vi.advanceTimersByTime(15_000);
    }
    expect(sockets).toHaveLength(9);
    last().die(1006);
    expect(connection.state.get().tries).toBe(9);
    const wait = (connection.state.get().nextAt ?? 0) - Date.now();
    expect(wait).toBeGreaterThan(7000);
    connection.tryNow();
    expect(sockets).toHaveLength(10);
  });

  it("ignores a socket that it has left", () => {
    const { connection, sockets, last, drawn } = setup();
    connection.start();
    last().open();
    last().frame(snapshot(0));
    const old = last();
    connection.stop();
    connection.start();
    expect(sockets).toHaveLength(2);
    old.die(1006);
    expect(connection.state.get().status).toBe("connecting");
    old.bytes(0, "late");
    expect(drawn).toEqual(["[80x24]screen"]);
  });

  it("takes a fresh socket for one that may be dead, and loses no key of meanwhile", () => {
    const { connection, sockets, last, drawn } = setup();
    connection.start();
    last().open();
    last().frame(snapshot(0));
    last().frame({ type: "size", cols: 80, rows: 24, by: "you" });
    const old = last();
    connection.renew();
    expect(sockets).toHaveLength(2);
    connection.renew();
    expect(sockets).toHaveLength(2);
    expect(connection.live).toBe(true);
    connection.input(latin1("k"));
    connection.refuse("too long");
    old.bytes(0, "late");
    last().open();
    expect(last().frames("attach")[0]).toMatchObject({ from: 0 });
    expect(old.readyState).toBe(1);
    last().frame({ type: "resume", seq: 0, cols: 80, rows: 24 });
    last().bytes(0, "late");
    expect(drawn).toEqual(["[80x24]screen", "late"]);
    expect(old.readyState).toBe(3);
    expect(old.sent.filter((s) => typeof s !== "string")).toEqual([]);
    last().frame({ type: "lease", holder: null });
    expect(connection.state.get().refused?.message).toBe("too long");
    // Its size first, as the old viewer's size goes with it; then the key.
    expect(last().frames("resize")).toEqual([{ type: "resize", cols: 80, rows: 24 }]);
    expect(last().sent.at(-1)).toEqual(latin1("k"));
    vi.advanceTimersByTime(60_000);
    expect(sockets).toHaveLength(2);
  });

  it("tells that it is lost when no fresh socket is to be had", () => {
    const { connection, sockets, last } = setup();
    connection.start();
    last().open();
    last().frame(snapshot(0));
    const old = last();
    connection.renew();
    vi.advanceTimersByTime(3000);
    expect(connection.state.get().status).toBe("waiting");
    expect(connection.mayType).toBe(false);
    expect(old.readyState).toBe(3);
    connection.renew();
    expect(sockets).toHaveLength(3);
    last().open();
    last().frame({ type: "resume", seq: 0, cols: 80, rows: 24 });
    expect(connection.live).toBe(true);
  });

  it("keeps what it said was refused when the screen is drawn anew, and not over a loss", () => {
    const { connection, last } = setup();
    connection.start();
    last().open();
    last().frame(snapshot(1000));
    connection.refuse("too long");
    last().frame({ type: "resync", reason: "resized" });
    last().frame(snapshot(1001));
    expect(connection.state.get().refused?.message).toBe("too long");
    last().die(1006);
    vi.advanceTimersByTime(1000);
    last().open();
    last().frame(snapshot(1001));
    expect(connection.state.get().refused).toBeNull();
  });

  it("says how long an echo takes", () => {
    const { connection, last } = setup();
    connection.start();
    last().open();
    last().frame(snapshot(0));
    let seq = 0;
    for (const ms of [10, 30, 20]) {
      connection.input(latin1("a"));
      vi.advanceTimersByTime(ms);
      last().bytes(seq, "a");
      seq += 1;
    }
    expect(connection.state.get().latencyMs).toBe(20);
  });

  it("forgets how the last program ended once another one runs", () => {
    const { connection, last } = setup();
    const exit = () => connection.state.get().exit;
    connection.start();
    last().open();
    last().frame(snapshot(1000));
    last().frame({ type: "exit", code: 1, signal: null });
    expect(exit()).toEqual({ code: 1, signal: null });
    expect(connection.mayType).toBe(false);
    last().frame({ type: "resync", reason: "restarted" });
    last().frame(snapshot(1001));
    expect(exit()).toBeNull();
    expect(connection.mayType).toBe(true);
    // It began while nobody listened: who comes back is told of an end only if there is one.
    last().frame({ type: "exit", code: 2, signal: null });
    last().die(1006);
    vi.advanceTimersByTime(1000);
    last().open();
    last().frame(snapshot(2000));
    expect(exit()).toBeNull();
  });
});

describe("the length of a text", () => {
  it("is what it takes as JSON in UTF-8", () => {
    expect(fits("x".repeat(1_000_000))).toBe(true);
    expect(fits("x".repeat(1_100_000))).toBe(false);
    expect(fits("\n".repeat(600_000))).toBe(false);
    expect(fits("日".repeat(400_000))).toBe(false);
  });
});
