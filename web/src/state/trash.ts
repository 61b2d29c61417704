import { purgeSession, restoreSession, trashSession } from "../api/calls";
import { asProblem } from "../api/client";
import type { ProblemBody, SessionView } from "../api/types";
import { keep, touch } from "./sessions";
import { createStore } from "./store";
import { say } from "./ui";

const SHOWN_MS = 20_000;
const REMEMBERED = 10;

export interface Undo {
  /** The last ones deleted, newest last. */
  done: { id: string; title: string }[];
  /** How many the strip speaks of; 0 hides it. */
  shown: number;
  problem: ProblemBody | null;
}

export const undoStrip = createStore<Undo>({ done: [], shown: 0, problem: null });

let timer: ReturnType<typeof setTimeout> | null = null;

/** The strip stays while it is pointed at or focused. */
export function holdStrip(held: boolean) {
  if (timer) clearTimeout(timer);
  timer = held ? null : setTimeout(hideStrip, SHOWN_MS);
}

export function hideStrip() {
  undoStrip.set((old) => ({ ...old, shown: 0, problem: null }));
}

/** Moves a session to the trash. The list shows it gone at once, and back if the daemon refuses. */
export async function remove(session: SessionView) {
  keep({ ...session, pending: "trash" });
  try {
    await trashSession(session.id);
    undoStrip.set((old) => ({
      done: [...old.done, { id: session.id, title: session.title }].slice(-REMEMBERED),
      shown: old.shown + 1,
      problem: null,
    }));
    say(`${session.title} is in the trash`);
  } catch (error) {
    undoStrip.set((old) => ({ ...old, problem: asProblem(error) }));
  }
  holdStrip(false);
  touch(session.id);
}

/** Brings back the one that was deleted last. Its id, if there was one. */
export async function undo(): Promise<string | null> {
  const last = undoStrip.get().done.at(-1);
  if (!last) return null;
  undoStrip.set((old) => ({
    done: old.done.slice(0, -1),
    shown: Math.max(0, old.shown - 1),
    problem: null,
  }));
  const failed = await restore(last.id);
  if (failed) undoStrip.set((old) => ({ ...old, problem: failed }));
  return last.id;
}

export async function restore(id: string): Promise<ProblemBody | null> {
  try {
    await restoreSession(id);
    return null;
  } catch (error) {
    return asProblem(error);
  } finally {
    touch(id);
  }
}

export async function purge(id: string): Promise<ProblemBody | null> {
  try {
    await purgeSession(id);
    return null;
  } catch (error) {
    return asProblem(error);
  } finally {
    touch(id);
  }
}
