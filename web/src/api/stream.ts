import { createStore, patch } from "../state/store";
import { backoffMs } from "./backoff";
import { bearer } from "./client";
import { EventParser } from "./sse";
import { access, dropToken } from "./token";
import type { EventRecord, GoneEvent, SessionView, StreamHead } from "./types";

/** A stream that says nothing for so long is dead: the daemon sends a comment more often. */
const SILENCE_MS = 40_000;

export interface Live {
  state: "connecting" | "live" | "offline";
  /** The number of the try that runs or comes next. */
  tries: number;
  /** When the next try begins, epoch ms. */
  nextAt: number | null;
  /** When the connection was lost, epoch ms. */
  since: number | null;
  /** The time of one request and its answer. */
  pingMs: number | null;
}

export const live = createStore<Live>({
  state: "connecting",
  tries: 0,
  nextAt: null,
  since: null,
  pingMs: null,
});

export interface Sink {
  /** Something may have been missed: read everything anew. */
  gap(): void;
  /** An entry of the event log. */
  log(record: EventRecord): void;
  /** A session as it is now. */
  session(session: SessionView): void;
  gone(id: string): void;
}

let lastId: number | null = null;
let version: string | null = null;
let wake: (() => void) | null = null;

/** Ends the wait before the next try. */
export function tryNow() {
  wake?.();
}

/** Reads the event stream until the signal aborts, over and over. */
export async function follow(sink: Sink, signal: AbortSignal) {
  let tries = 0;
  while (!signal.aborted) {
    try {
      await readOnce(sink, signal, () => {
        tries = 0;
        patch(live, { state: "live", tries: 0, nextAt: null, since: null });
      });
    } catch {
      // Whatever ended it, the answer is the same: try again.
    }
    if (signal.aborted || access.get() !== "ok") return;
    tries += 1;
    const wait = backoffMs(tries);
    const since = live.get().since ?? Date.now();
    patch(live, { state: "offline", tries, nextAt: Date.now() + wait, since, pingMs: null });
    await pause(wait, signal);
    patch(live, { nextAt: null });
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", finish);
      wake = null;
      done();
    };
    const timer = setTimeout(finish, ms);
    signal.addEventListener("abort", finish);
    wake = finish;
  });
}

async function readOnce(sink: Sink, signal: AbortSignal, up: () => void) {
  const mine = new AbortController();
  const stop = () => mine.abort();
  signal.addEventListener("abort", stop);
  let watch = setTimeout(stop, SILENCE_MS);
  try {
    const headers: Record<string, string> = { Accept: "text/event-stream", ...bearer() };
    if (lastId !== null) headers["Last-Event-ID"] = String(lastId);
    const response = await fetch("/api/v1/events", {
      headers,
      signal: mine.signal,
      credentials: "omit",
      cache: "no-store",
    });
    if (response.status === 401) dropToken("refused");
    if (!response.ok || !response.body) return;
    const parser = new EventParser();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let first = true;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(watch);
      watch = setTimeout(stop, SILENCE_MS);
      if (first) {
        first = false;
        up();
      }
      for (const event of parser.feed(value)) take(event.event, event.data, sink);
    }
  } finally {
    clearTimeout(watch);
    signal.removeEventListener("abort", stop);
    mine.abort();
  }
}

function take(name: string, data: string, sink: Sink) {
  const value: unknown = JSON.parse(data);
  switch (name) {
    case "head": {
      const head = value as StreamHead;
      // The daemon was replaced by another version: its page may be another, too.
      if (version !== null && version !== head.version) location.reload();
      version = head.version;
      // Nothing seen yet, or a log that begins anew: the lists must be read.
      if (lastId === null || lastId > head.latest) {
        lastId = head.latest;
        sink.gap();
      }
      return;
    }
    case "log": {
      const record = value as EventRecord;
      const gap = lastId !== null && record.number > lastId + 1;
      if (lastId === null || record.number > lastId) lastId = record.number;
      if (gap) sink.gap();
      else sink.log(record);
      return;
    }
    case "session":
      sink.session(value as SessionView);
      return;
    case "gone":
      sink.gone((value as GoneEvent).id);
      return;
    case "resync":
      sink.gap();
  }
}

/** Measures the time of a request now and then, while the page is seen. */
export function measure(signal: AbortSignal) {
  const once = async () => {
    if (document.hidden || live.get().state !== "live") return;
    const start = performance.now();
    try {
      const response = await fetch("/healthz", { signal, credentials: "omit", cache: "no-store" });
      await response.arrayBuffer();
      if (response.ok) patch(live, { pingMs: Math.max(1, Math.round(performance.now() - start)) });
    } catch {
      patch(live, { pingMs: null });
    }
  };
  // The first requests of a page wait for each other: not a measure of anything.
  let soon: ReturnType<typeof setTimeout> | null = null;
  const first = () => {
    soon = null;
    void once();
  };
  const timer = setInterval(once, 10_000);
  const stop = live.subscribe(() => {
    if (live.get().state === "live" && live.get().pingMs === null && !soon) soon = setTimeout(first, 1500);
  });
  signal.addEventListener("abort", () => {
    clearInterval(timer);
    if (soon) clearTimeout(soon);
    stop();
  });
}
