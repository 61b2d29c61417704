import type { Action, ProblemBody, SessionView } from "../api/types";
import { number } from "../parts/number";
import { act, actsOf, capital, goOnOf, newBatch, WORDS } from "./acts";
import { isOpen } from "./groups";
import { sessions } from "./sessions";
import { createStore } from "./store";
import { say } from "./ui";

/** The sessions that were selected for something to be done to all of them. */
export interface Picked {
  /** Selecting goes on, perhaps with none selected yet. */
  on: boolean;
  ids: ReadonlySet<string>;
  /** Where a range begins. */
  anchor: string | null;
}

const NONE: Picked = { on: false, ids: new Set(), anchor: null };

export const picked = createStore<Picked>(NONE);

export function endPicking() {
  picked.set(NONE);
}

export function beginPicking() {
  picked.set((old) => ({ ...old, on: true }));
}

/** Selects one, or takes it out. With none left, selecting goes on until it is ended. */
export function pick(id: string) {
  picked.set((old) => {
    const ids = new Set(old.ids);
    if (!ids.delete(id)) ids.add(id);
    return { on: true, ids, anchor: id };
  });
  tell();
}

/** Selects all from where the range begins to here; it begins at `from` when there is none yet. */
export function pickTo(rows: readonly string[], to: string, from: string | null) {
  picked.set((old) => {
    const anchor = [old.anchor, from].find((id) => id !== null && rows.includes(id)) ?? to;
    const ends = [rows.indexOf(anchor), rows.indexOf(to)].sort((a, b) => a - b);
    const [first = -1, last = -1] = ends;
    if (first < 0) return old;
    return { on: true, ids: new Set([...old.ids, ...rows.slice(first, last + 1)]), anchor };
  });
  tell();
}

export function pickAll(rows: readonly string[]) {
  picked.set((old) => ({ on: true, ids: new Set(rows), anchor: old.anchor }));
  tell();
}

/** Those that are selected and still there. */
export function pickedOf({ ids }: Picked, byId: ReadonlyMap<string, SessionView>): SessionView[] {
  return [...ids].flatMap((id) => {
    const session = byId.get(id);
    return session && isOpen(session) ? [session] : [];
  });
}

function tell() {
  say(`${pickedOf(picked.get(), sessions.get().byId).length} selected`);
}

const ORDER: readonly Action[] = ["pause", "hibernate", "wake", "resume", "restart"];

/** What all of them can take, with the delete at the end. */
export function actsOfAll(all: readonly SessionView[]): Action[] {
  if (all.length === 0) return [];
  return [...ORDER.filter((action) => all.every((one) => actsOf(one).includes(action))), "trash"];
}

/** What goes on with all of them, if it is the same for all. */
export function goOnOfAll(all: readonly SessionView[]): Action | null {
  const [first] = all;
  const action = first ? goOnOf(first) : null;
  return all.every((one) => goOnOf(one) === action) ? action : null;
}

export interface Refused {
  id: string;
  title: string;
  problem: ProblemBody;
}

export interface Refusals {
  words: string;
  refused: Refused[];
}

/** What came of the last act on several, if any was refused; null hides it. */
export const refusedMany = createStore<Refusals | null>(null);

interface Ended {
  id: string;
  title: string;
  problem: ProblemBody | null;
}

/** Shows who was refused, and why. `words` say what was to be done. */
export function showRefused(words: string, ended: readonly Ended[]): Refusals | null {
  const refused = ended.flatMap(({ id, title, problem }) => (problem ? [{ id, title, problem }] : []));
  const told =
    refused.length > 0 ? { words: `${words}: ${refused.length} of ${ended.length} refused`, refused } : null;
  refusedMany.set(told);
  return told;
}

/** Tells who was refused, and why. */
export function refusedOf(action: Action, ended: readonly Ended[]) {
  const { verb, done } = WORDS[action];
  const told = showRefused(capital(verb), ended);
  say(told?.words ?? `${number(ended.length, "session")} ${ended.length === 1 ? "is" : "are"} ${done}`);
}

/** Does the same to several; each is tried. What was done is undone in one go. */
export async function actOnAll(all: readonly SessionView[], action: Action): Promise<void> {
  refusedMany.set(null);
  const batch = newBatch();
  const ids = new Set(all.map(({ id }) => id));
  // A shell goes before the session in whose files it works: later it would be gone with it.
  const inside = (one: SessionView) => one.parent !== null && ids.has(one.parent);
  const run = async (one: SessionView) => {
    const now = sessions.get().byId.get(one.id) ?? one;
    return { id: one.id, title: one.title, problem: await act(now, action, batch) };
  };
  const first = await Promise.all(all.filter(inside).map(run));
  const then = await Promise.all(all.filter((one) => !inside(one)).map(run));
  refusedOf(action, [...first, ...then]);
}
