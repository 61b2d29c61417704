import { getSession, listSessions, listTrash } from "../api/calls";
import { asProblem, Failure } from "../api/client";
import type { Sink } from "../api/stream";
import type { ProblemBody, SessionView } from "../api/types";
import { createStore } from "./store";
import { daemonNow } from "./time";

export interface Sessions {
  /** All that are known, those in the trash too. */
  byId: ReadonlyMap<string, SessionView>;
  state: "loading" | "ready" | "failed";
  problem: ProblemBody | null;
  /** When the list was last known to be right, epoch ms by the daemon's clock. */
  readAt: number;
}

export const sessions = createStore<Sessions>({
  byId: new Map(),
  state: "loading",
  problem: null,
  readAt: 0,
});

/** So many changed sessions are read one by one; more, and the lists are read anew. */
const ONE_BY_ONE = 8;
const GATHER_MS = 30;
/** So often at most what the stream tells is put into the lists, ms: fifty that change at once are drawn once. */
const TOLD_MS = 100;

const dirty = new Set<string>();
/** When something was last told of a session, as the number of what was told. */
const told = new Map<string, number>();
let count = 0;
let waiting = false;
/** What the stream told and the lists do not have yet. */
const news = new Map<string, SessionView>();
let newsAt = 0;
let newsTimer: ReturnType<typeof setTimeout> | null = null;
let reading: Promise<void> | null = null;
let again = false;

/** Reads the lists anew. Calls that come while it reads are answered by one more reading. */
export function refresh(): Promise<void> {
  if (reading) {
    again = true;
    return reading;
  }
  reading = readAll().finally(() => {
    reading = null;
    if (again) {
      again = false;
      void refresh();
    }
  });
  return reading;
}

async function readAll() {
  const began = count;
  try {
    const [open, trash] = await Promise.all([listSessions(), listTrash()]);
    sessions.set((old) => {
      const byId = new Map<string, SessionView>();
      for (const session of [...open, ...trash]) {
        const before = old.byId.get(session.id);
        if (before || !toldSince(session.id, began)) byId.set(session.id, newer(before, session));
      }
      for (const [id, session] of old.byId) if (!byId.has(id) && toldSince(id, began)) byId.set(id, session);
      return { byId, state: "ready", problem: null, readAt: daemonNow() };
    });
  } catch (error) {
    sessions.set((old) => ({
      ...old,
      state: old.state === "ready" ? "ready" : "failed",
      problem: asProblem(error),
    }));
  }
}

/** Whether a session came or went since: an answer that was asked for before does not know. */
function toldSince(id: string, began: number): boolean {
  return (told.get(id) ?? 0) > began;
}

/** An answer that was overtaken by a later one must not win. */
function newer(old: SessionView | undefined, next: SessionView): SessionView {
  return old && old.version > next.version ? old : next;
}

export function keep(session: SessionView) {
  told.set(session.id, ++count);
  sessions.set((old) => {
    const byId = new Map(old.byId);
    byId.set(session.id, newer(old.byId.get(session.id), session));
    return { ...old, byId, readAt: daemonNow() };
  });
}

/** Takes what the stream tells: the first at once, what follows soon together. */
function hear(session?: SessionView) {
  if (session) {
    told.set(session.id, ++count);
    news.set(session.id, newer(news.get(session.id), session));
  }
  if (newsTimer === null) newsTimer = setTimeout(takeNews, Math.max(0, newsAt + TOLD_MS - Date.now()));
}

function takeNews() {
  newsTimer = null;
  newsAt = Date.now();
  sessions.set((old) => {
    if (news.size === 0) return { ...old, readAt: daemonNow() };
    const byId = new Map(old.byId);
    for (const [id, session] of news) byId.set(id, newer(byId.get(id), session));
    return { ...old, byId, readAt: daemonNow() };
  });
  news.clear();
}

function forget(id: string) {
  told.set(id, ++count);
  news.delete(id);
  sessions.set((old) => {
    if (!old.byId.has(id)) return old;
    const byId = new Map(old.byId);
    byId.delete(id);
    return { ...old, byId };
  });
}

/**
 * Waits until nothing is under way with a session any more, in a later version than the one given.
 * The session as it is then; nothing when it is gone.
 */
export function settled(id: string, version: number): Promise<SessionView | undefined> {
  return new Promise((done) => {
    const look = () => {
      const session = sessions.get().byId.get(id);
      if (session && (session.pending !== null || session.version <= version)) return false;
      stop();
      done(session);
      return true;
    };
    let stop: () => void = () => undefined;
    if (!look()) stop = sessions.subscribe(look);
  });
}

/** What the event stream tells, put into the lists. */
export const sink: Omit<Sink, "silent"> = {
  gap: () => void refresh(),
  log(record, replayed) {
    hear();
    if (record.kind === "purged") forget(record.session);
    // One that is made now is sent in a moment, and cannot be read before.
    else if (replayed || record.kind !== "created") touch(record.session);
  },
  session(session) {
    // No need to read what has just been sent.
    dirty.delete(session.id);
    hear(session);
  },
  gone(id) {
    dirty.delete(id);
    forget(id);
  },
};

/** Reads one session anew, soon. */
export function touch(id: string) {
  dirty.add(id);
  if (waiting) return;
  waiting = true;
  setTimeout(flush, GATHER_MS);
}

async function flush() {
  waiting = false;
  const ids = [...dirty];
  dirty.clear();
  if (ids.length > ONE_BY_ONE) return refresh();
  const began = count;
  await Promise.all(
    ids.map(async (id) => {
      try {
        const session = await getSession(id);
        if (sessions.get().byId.has(id) || !toldSince(id, began)) keep(session);
      } catch (error) {
        if (error instanceof Failure && error.status === 404) forget(id);
      }
    }),
  );
}
