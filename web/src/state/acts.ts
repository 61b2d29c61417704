import { actOn } from "../api/calls";
import { asProblem } from "../api/client";
import { live } from "../api/stream";
import type { Action, ProblemBody, SessionView } from "../api/types";
import { number } from "../parts/number";
import { isOpen, shownState, stateWord } from "./groups";
import { heldWords, type losses, readLoss } from "./loss";
import { keep, sessions, settled, touch } from "./sessions";
import { createStore } from "./store";
import { say } from "./ui";

const SHOWN_MS = 20_000;
const REMEMBERED = 10;

/** What is said of an action: its button, while it goes on, once it is done, and what takes it back. */
interface Words {
  verb: string;
  doing: string;
  done: string;
  about: string;
  undo?: Action;
}

export const WORDS: Record<Action, Words> = {
  trash: {
    verb: "Delete",
    doing: "going to the trash",
    done: "in the trash",
    about: "To the trash, which gives all back",
    undo: "restore",
  },
  restore: { verb: "Restore", doing: "coming back", done: "back", about: "Out of the trash" },
  purge: { verb: "Purge", doing: "being purged", done: "purged", about: "There is no undo" },
  pause: {
    verb: "Pause",
    doing: "pausing",
    done: "paused",
    about: "Ends the program, puts the worktree away, frees the branch",
    undo: "resume",
  },
  resume: {
    verb: "Resume",
    doing: "resuming",
    done: "running again",
    about: "Brings the worktree back and starts the program",
  },
  hibernate: {
    verb: "Hibernate",
    doing: "hibernating",
    done: "hibernated",
    about: "Ends the program to free memory; the worktree stays",
    undo: "wake",
  },
  wake: { verb: "Wake", doing: "waking", done: "running again", about: "Starts the program again" },
  restart: {
    verb: "Restart",
    doing: "restarting",
    done: "running again",
    about: "Ends the program and starts it again; the output stays",
  },
};

/** Whether it is a tmux pane of the person's own: its program is not ours to end or to start. */
export function isAdopted({ kind }: SessionView): boolean {
  return kind === "adopted";
}

/** What can be done to a session now, but for delete; the daemon would refuse all else. */
export function actsOf(session: SessionView): Action[] {
  if (isAdopted(session)) return [];
  if (session.pending === "hibernate") return ["wake"];
  if (session.pending !== null) return [];
  switch (session.state) {
    case "running":
      return ["pause", "hibernate", "restart"];
    case "exited":
      return ["restart", "pause"];
    case "hibernated":
      return ["wake", "pause"];
    case "paused":
      return ["resume"];
    case "failed":
      // Else there is nothing to start it in: it is made again.
      return session.worktree === null ? [] : ["restart"];
    default:
      return [];
  }
}

/** What goes on with a session whose program does not run. */
export function goOnOf(session: SessionView): Action | null {
  if (session.state === "running") return session.pending === "hibernate" ? "wake" : null;
  const [first] = actsOf(session);
  return first ?? null;
}

/** What is under way, in words; null when nothing is, or a session is being made. */
export function doingOf(session: SessionView): string | null {
  const { pending } = session;
  return pending !== null && pending in WORDS ? WORDS[pending as Action].doing : null;
}

/** The state in words, or what is under way. */
export function wordOf(session: SessionView): string {
  const doing = doingOf(session);
  return doing === null ? stateWord(shownState(session)) : capital(doing);
}

export function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Whether an action came about. */
function reached(action: Action, { state, problem }: SessionView): boolean {
  if (action === "restore") return state !== "trashed";
  const goal = { trash: "trashed", pause: "paused", hibernate: "hibernated", purge: "" } as const;
  if (action in goal) return state === goal[action as keyof typeof goal];
  return state === "running" || (state === "exited" && problem === null);
}

export interface Done {
  id: string;
  title: string;
  act: Action;
  /** What was done in one go is undone in one. */
  batch: number;
  /** Its program was ended by it. */
  ran: boolean;
  /** How many shells went with it. */
  shells: number;
}

export interface Undo {
  /** The last ones that can be undone, newest last. */
  done: Done[];
  /** How many the strip speaks of; 0 hides it. */
  shown: number;
  problem: ProblemBody | null;
}

export const undoStrip = createStore<Undo>({ done: [], shown: 0, problem: null });

/** What was refused of a session, until it is closed or something else is done to it. */
export const refusals = createStore<Readonly<Record<string, ProblemBody | undefined>>>({});

export function forgetRefusal(id: string) {
  refusals.set((old) => ({ ...old, [id]: undefined }));
}

let timer: ReturnType<typeof setTimeout> | null = null;

/** The strip stays while it is pointed at or focused. */
export function holdStrip(held: boolean) {
  if (timer) clearTimeout(timer);
  timer = held ? null : setTimeout(hideStrip, SHOWN_MS);
}

export function hideStrip() {
  undoStrip.set((old) => ({ ...old, shown: 0, problem: null }));
}

/** The words of the strip. */
export function stripWords({ done, shown }: Undo, byId: ReadonlyMap<string, SessionView>): string {
  const last = done.at(-1);
  if (shown === 0 || !last) return "";
  const spoken = done.slice(-shown);
  const going = spoken.some((one) => byId.get(one.id)?.pending === one.act);
  if (shown > 1 && spoken.every((one) => one.act === last.act))
    return `${number(shown, "session")} are ${going ? WORDS[last.act].doing : WORDS[last.act].done}`;
  const words = `“${last.title}” is ${going ? WORDS[last.act].doing : WORDS[last.act].done}`;
  return shown === 1 ? words : `${words}; ${shown} can be undone`;
}

/** What the trash holds of those that the strip speaks of; empty while it is not known of all. */
export function heldOf({ done, shown }: Undo, known: ReturnType<typeof losses.get>): string {
  const spoken = shown === 0 ? [] : done.slice(-shown);
  const all = spoken.flatMap(({ id, act }) => {
    const loss = act === "trash" ? known[id] : undefined;
    return loss ? [loss] : [];
  });
  if (all.length === 0 || all.length < spoken.length) return "";
  const ran = spoken.filter((one) => one.ran).length;
  const shells = spoken.reduce((sum, one) => sum + one.shells, 0);
  const ended =
    ran === 0 ? "" : spoken.length === 1 ? "Its program was ended. " : `${number(ran, "program")} ended. `;
  return `${ended}${shells > 0 ? `${number(shells, "shell")} went with it. ` : ""}${heldWords(all)}`;
}

let batches = 0;

/** The name of what is done in one go. */
export function newBatch(): number {
  batches += 1;
  return batches;
}

/** Notes what can be undone. What is done in one go is spoken of as one. */
function note(entry: Done, one: boolean) {
  undoStrip.set((old) => {
    const done = [...old.done, entry];
    const kept = [...new Set(done.map(({ batch }) => batch))].slice(-REMEMBERED);
    const begins = !one && old.done.at(-1)?.batch !== entry.batch;
    return {
      done: done.filter(({ batch }) => kept.includes(batch)),
      shown: begins ? 1 : old.shown + 1,
      problem: null,
    };
  });
  holdStrip(false);
}

function shellsOf(id: string): number {
  return [...sessions.get().byId.values()].filter((s) => s.parent === id && isOpen(s)).length;
}

/**
 * Does something to a session. The list shows at once that it is under way, and what it was if the
 * daemon refuses. What went wrong, if anything did.
 */
export async function act(
  session: SessionView,
  action: Action,
  /** It is one of several, of which what was refused is told together. */
  batch?: number,
): Promise<ProblemBody | null> {
  const { id, title } = session;
  const alone = batch === undefined;
  forgetRefusal(id);
  keep({ ...session, pending: action });
  const { undo } = WORDS[action];
  const entry: Done = {
    id,
    title,
    act: action,
    batch: batch ?? newBatch(),
    ran: session.state === "running" && !isAdopted(session),
    shells: action === "trash" ? shellsOf(id) : 0,
  };
  try {
    const { state } = await actOn(id, action);
    if (undo) note(entry, alone);
    touch(id);
    const after = state === "running" ? await settled(id, session.version) : sessions.get().byId.get(id);
    if (!after || reached(action, after)) {
      if (alone) say(`${title} is ${WORDS[action].done}`);
      if (action === "trash") void readLoss(id);
      if (undo && undoStrip.get().done.includes(entry)) holdStrip(false);
      return null;
    }
    if (undo) drop([entry], alone && action === "trash" ? after.problem : null);
    return after.problem;
  } catch (error) {
    const problem = asProblem(error);
    if (alone && action === "trash") undoStrip.set((old) => ({ ...old, problem }));
    else if (alone) refusals.set((old) => ({ ...old, [id]: problem }));
    touch(id);
    return problem;
  }
}

/** The same, if it can be done now: for keys and menus. */
export function perform(session: SessionView, action: Action | null) {
  if (action && actsOf(session).includes(action) && live.get().state !== "offline") void act(session, action);
}

/** What did not come about cannot be undone. */
function drop(gone: readonly Done[], problem: ProblemBody | null) {
  undoStrip.set((old) => {
    const done = old.done.filter((one) => !gone.includes(one));
    return { done, shown: Math.max(0, old.shown - (old.done.length - done.length)), problem };
  });
}

/** What the next undo takes back, in the order in which it is. */
export function nextUndo(): Done[] {
  const { done } = undoStrip.get();
  const last = done.at(-1);
  return done.filter((one) => one.batch === last?.batch).reverse();
}

/** Takes back what was done last, once it is done. Those that it was done to, and what was refused of each. */
export async function undo(): Promise<{ one: Done; problem: ProblemBody | null }[]> {
  const all = nextUndo();
  drop(all, null);
  const { byId } = sessions.get();
  const ids = new Set(all.map(({ id }) => id));
  // A shell works in the files of another session, which come back first.
  const inside = ({ id }: Done) => ids.has(byId.get(id)?.parent ?? "");
  const batch = all.length > 1 ? newBatch() : undefined;
  const back = async (one: Done) => ({ one, problem: await undoOne(one, batch) });
  const first = await Promise.all(all.filter((one) => !inside(one)).map(back));
  const then = await Promise.all(all.filter(inside).map(back));
  return [...first, ...then];
}

async function undoOne(one: Done, batch: number | undefined): Promise<ProblemBody | null> {
  const back = WORDS[one.act].undo;
  const session = sessions.get().byId.get(one.id);
  if (!back || !session) return null;
  const ready = session.pending === one.act ? await settled(one.id, session.version - 1) : session;
  const failed = ready ? await act(ready, back, batch) : null;
  if (failed && batch === undefined) undoStrip.set((old) => ({ ...old, problem: failed }));
  return failed;
}
