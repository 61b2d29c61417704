import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { doubt, follow, live, outdated, type Sink } from "../src/api/stream";
import { keepToken } from "../src/api/token";

const HEAD = 'event: head\ndata: {"latest":1,"version":"1"}\n\n';

/** A daemon whose streams say what a test has them say. */
class Fake {
  streams: ReadableStreamDefaultController<Uint8Array>[] = [];
  page = '<script type="module" src="/assets/index-1.js"></script>';
  fetch = async (url: string, { signal }: { signal?: AbortSignal }) => {
    if (url === "/") return new Response(this.page);
    const body = new ReadableStream<Uint8Array>({
      start: (stream) => {
        this.streams.push(stream);
        signal?.addEventListener("abort", () => stream.error(new Error("aborted")));
      },
    });
    return new Response(body);
  };
  async say(text: string) {
    this.streams.at(-1)?.enqueue(new TextEncoder().encode(text));
    await vi.advanceTimersByTimeAsync(1);
  }
}

describe("the event stream", () => {
  let daemon: Fake;
  let stop: AbortController;
  let silent: number;
  beforeEach(async () => {
    vi.useFakeTimers();
    daemon = new Fake();
    silent = 0;
    vi.stubGlobal("fetch", daemon.fetch);
    vi.stubGlobal("document", { querySelector: () => ({ getAttribute: () => "/assets/index-1.js" }) });
    keepToken("t");
    stop = new AbortController();
    const nothing = () => undefined;
    const sink: Sink = {
      silent: () => silent++,
      gap: nothing,
      log: nothing,
      session: nothing,
      gone: nothing,
    };
    void follow(sink, stop.signal);
    await vi.advanceTimersByTimeAsync(1);
    await daemon.say(HEAD);
  });
  afterEach(async () => {
    stop.abort();
    await vi.advanceTimersByTimeAsync(1);
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it("that says nothing for long is left, and told of", async () => {
    for (let i = 0; i < 4; i += 1) {
      await vi.advanceTimersByTimeAsync(15_000);
      await daemon.say(":\n");
    }
    expect(silent).toBe(0);
    expect(live.get().state).toBe("live");
    await vi.advanceTimersByTimeAsync(50_000);
    expect(silent).toBe(1);
    expect(daemon.streams).toHaveLength(2);
    await daemon.say(HEAD);
    expect(live.get().state).toBe("live");
  });

  it("is doubted after a sleep, and at once when the network is another one", async () => {
    doubt();
    expect(silent).toBe(0);
    vi.setSystemTime(Date.now() + 3_600_000);
    doubt();
    expect(silent).toBe(1);
    await vi.advanceTimersByTimeAsync(500);
    await daemon.say(HEAD);
    vi.setSystemTime(Date.now() + 1);
    doubt(0);
    expect(silent).toBe(2);
  });

  it("that begins anew tells whether there is another page", async () => {
    const again = async () => {
      daemon.streams.at(-1)?.close();
      await vi.advanceTimersByTimeAsync(500);
      await daemon.say(HEAD);
    };
    await again();
    expect(outdated.get()).toBe(false);
    daemon.page = '<script type="module" src="/assets/index-2.js"></script>';
    await again();
    expect(outdated.get()).toBe(true);
  });
});
