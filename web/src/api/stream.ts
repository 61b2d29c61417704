import { createStore, patch } from "../state/store";
import { daemonNow, learnClock } from "../state/time";
import { backoffMs } from "./backoff";
import { bearer } from "./client";
import { EventParser } from "./sse";
import { access, currentToken, tokenRefused } from "./token";
import type { EventRecord, GoneEvent, SessionView, StreamHead } from "./types";

/** A stream that says nothing for so long is dead: the daemon sends a comment more often. */
const SILENCE_MS = 40_000;
/** After so little it is asked anew when there is a reason for doubt. */
const DOUBT_MS = 20_000;
const LOOK_MS = 2000;

export interface Live {
  state: "connecting" | "live" | "offline";
  /** The number of the try that runs or comes next. */
  tries: number;
  /** When the next try begins, epoch ms. */
  nextAt: number | null;
  /** When the connection was lost, epoch ms by the daemon's clock. */
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
  /** Nothing was heard for too long: every other connection of the page may be as dead. */
  silent(): void;
  /** Something may have been missed: read everything anew. */
  gap(): void;
  /** An entry of the event log. */
  /** `replayed`: it was there when the stream began. */
  log(record: EventRecord, replayed: boolean): void;
  /** A session as it is now. */
  session(session: SessionView): void;
  gone(id: string): void;
}

/** Whether the daemon has another page than this one. */
export const outdated = createStore(false);

let lastId: number | null = null;
let headed = false;
/** The newest event when the stream began. */
let headLatest = 0;
let wake: (() => void) | null = null;
let heardAt = 0;
let giveUp: (() => void) | null = null;

/** Ends the wait before the next try. */
export function tryNow() {
  wake?.();
}

/** Tries at once, and on a new connection if the one there has been silent for a while. */
export function doubt(ms = DOUBT_MS) {
  wake?.();
  // By the clock on the wall: no timer runs while a machine sleeps.
  if (Date.now() - heardAt > ms) giveUp?.();
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
    const since = live.get().since ?? daemonNow();
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
  heardAt = Date.now();
  const leave = () => {
    sink.silent();
    stop();
  };
  giveUp = leave;
  const watch = setInterval(() => doubt(SILENCE_MS), LOOK_MS);
  const token = currentToken();
  try {
    const headers: Record<string, string> = { Accept: "text/event-stream", ...bearer(token) };
    if (lastId !== null) headers["Last-Event-ID"] = String(lastId);
    const response = await fetch("/api/v1/events", {
      headers,
      signal: mine.signal,
      credentials: "omit",
      cache: "no-store",
    });
    if (response.status === 401 && token !== null) tokenRefused(token);
    if (!response.ok || !response.body) return;
    const parser = new EventParser();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let first = true;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      heardAt = Date.now();
      if (first) {
        first = false;
        up();
      }
      for (const event of parser.feed(value)) take(event.event, event.data, sink);
    }
  } finally {
    clearInterval(watch);
    if (giveUp === leave) giveUp = null;
    signal.removeEventListener("abort", stop);
    mine.abort();
  }
}

function take(name: string, data: string, sink: Sink) {
  const value: unknown = JSON.parse(data);
  switch (name) {
    case "head": {
      const head = value as StreamHead;
      // The daemon began anew, or another one did: its page may be another, too.
      if (headed) void lookForNewPage();
      headed = true;
      headLatest = head.latest;
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
      else sink.log(record, record.number <= headLatest);
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

/** The names of the page's files follow from what is in them: another page names another script. */
async function lookForNewPage() {
  const script = document.querySelector<HTMLScriptElement>("script[type=module][src]")?.getAttribute("src");
  if (!script) return;
  try {
    const response = await fetch("/", { headers: { Accept: "text/html" }, cache: "no-store" });
    if (response.ok) outdated.set(!(await response.text()).includes(script));
  } catch {
    // The next head asks again.
  }
}

/** Measures the time of a request now and then, while the page is seen. */
export function measure(signal: AbortSignal) {
  const once = async () => {
    if (document.hidden || live.get().state !== "live") return;
    const start = performance.now();
    const asked = Date.now();
    try {
      const response = await fetch("/healthz", { signal, credentials: "omit", cache: "no-store" });
      learnClock(response.headers.get("date"), asked, Date.now());
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
