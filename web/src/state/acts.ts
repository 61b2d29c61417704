import { actOn } from "../api/calls";
import { asProblem } from "../api/client";
import { live } from "../api/stream";
import type { Action, ProblemBody, SessionView } from "../api/types";
import { shownState, stateWord } from "./groups";
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

/** What can be done to a session now, but for delete; the daemon would refuse all else. */
export function actsOf(session: SessionView): Action[] {
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
  if (shown > 1 && spoken.every((one) => one.act === last.act))
    return `${shown} sessions are ${WORDS[last.act].done}`;
  const going = byId.get(last.id)?.pending === last.act;
  const words = `“${last.title}” is ${going ? WORDS[last.act].doing : WORDS[last.act].done}`;
  return shown === 1 ? words : `${words}; ${shown} can be undone`;
}

/**
 * Does something to a session. The list shows at once that it is under way, and what it was if the
 * daemon refuses. What went wrong, if anything did.
 */
export async function act(session: SessionView, action: Action): Promise<ProblemBody | null> {
  const { id, title } = session;
  forgetRefusal(id);
  keep({ ...session, pending: action });
  const { undo } = WORDS[action];
  const entry: Done = { id, title, act: action };
  try {
    const { state } = await actOn(id, action);
    if (undo) {
      undoStrip.set((old) => ({
        done: [...old.done, entry].slice(-REMEMBERED),
        shown: old.shown + 1,
        problem: null,
      }));
      holdStrip(false);
    }
    touch(id);
    const after = state === "running" ? await settled(id, session.version) : sessions.get().byId.get(id);
    if (!after || reached(action, after)) {
      say(`${title} is ${WORDS[action].done}`);
      if (undo && undoStrip.get().done.includes(entry)) holdStrip(false);
      return null;
    }
    if (undo) drop(entry, action === "trash" ? after.problem : null);
    return after.problem;
  } catch (error) {
    const problem = asProblem(error);
    if (action === "trash") undoStrip.set((old) => ({ ...old, problem }));
    else refusals.set((old) => ({ ...old, [id]: problem }));
    touch(id);
    return problem;
  }
}

/** The same, if it can be done now: for keys and menus. */
export function perform(session: SessionView, action: Action | null) {
  if (action && actsOf(session).includes(action) && live.get().state !== "offline") void act(session, action);
}

/** What did not come about cannot be undone. */
function drop(entry: Done, problem: ProblemBody | null) {
  undoStrip.set((old) => {
    if (!old.done.includes(entry)) return { ...old, problem };
    const done = old.done.filter((one) => one !== entry);
    return { done, shown: Math.max(0, old.shown - 1), problem };
  });
}

/** Takes back what was done last, once it is done. The id of its session, if there was any. */
export async function undo(): Promise<string | null> {
  const last = undoStrip.get().done.at(-1);
  const back = last && WORDS[last.act].undo;
  if (!last || !back) return null;
  drop(last, null);
  const session = sessions.get().byId.get(last.id);
  if (!session) return null;
  const ready = session.pending === last.act ? await settled(last.id, session.version - 1) : session;
  const failed = ready ? await act(ready, back) : null;
  if (failed) undoStrip.set((old) => ({ ...old, problem: failed }));
  return last.id;
}
