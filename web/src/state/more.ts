import { openShell } from "../api/calls";
import { actionKey, asProblem } from "../api/client";
import { live } from "../api/stream";
import type { SessionView } from "../api/types";
import { typeInNew } from "../terminal/ahead";
import { forgetRefusal, isAdopted, refusals } from "./acts";
import { go, sessionPath } from "./router";
import { keep } from "./sessions";
import { createStore } from "./store";
import { say } from "./ui";

/** Whether its files are where it works: a shell can be opened there. */
export function hasFiles({ state, pending, worktree }: SessionView): boolean {
  return (
    worktree !== null &&
    ["running", "hibernated", "exited"].includes(state) &&
    !["trash", "pause", "purge"].includes(pending ?? "")
  );
}

/** Whether a session like it can begin where it is: how an adopted one was started is not known. */
export function canFork(session: SessionView): boolean {
  return hasFiles(session) && !isAdopted(session);
}

/** The session of which a fork is being asked for. */
export const forking = createStore<string | null>(null);

export function startFork(session: SessionView) {
  if (canFork(session) && live.get().state !== "offline") forking.set(session.id);
}

/** The sessions for which a shell is on its way: a second press is not a second shell. */
const opening = new Set<string>();

/** Opens a shell where a session works, and goes there. */
export async function startShell(session: SessionView): Promise<void> {
  const { id, title } = session;
  if (!hasFiles(session) || live.get().state === "offline" || opening.has(id)) return;
  opening.add(id);
  forgetRefusal(id);
  try {
    const shell = await openShell(id, actionKey());
    keep(shell);
    say(`Opening a shell of ${title}`);
    go(sessionPath(shell.id));
    typeInNew(shell.id);
  } catch (error) {
    refusals.set((old) => ({ ...old, [id]: asProblem(error) }));
  } finally {
    opening.delete(id);
  }
}
