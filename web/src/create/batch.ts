import { createSession } from "../api/calls";
import { actionKey, asProblem, isAnswered } from "../api/client";
import type { NewSession, ProblemBody, SessionView } from "../api/types";
import { number } from "../parts/number";
import { keep, sessions } from "../state/sessions";
import { createStore } from "../state/store";
import { say } from "../state/ui";
import { clearDraft, type Draft, draft, rememberSent } from "./draft";
import { remember } from "./prompts";
import { FIRST, fieldOf, together } from "./several";

/** One of several sessions that are asked for at once. */
export interface Asked {
  key: string;
  title: string;
  draft: Draft;
  request: NewSession;
  /** The same for each try that got no answer. */
  action: string;
  /** The session, once the daemon has said yes. */
  id: string | null;
  /** Why it has said no. */
  problem: ProblemBody | null;
}

/** The sessions that were asked for last, while not all of them are known to run. */
export const batch = createStore<Asked[] | null>(null);

/** How far one of them is. */
export type Stage =
  | { at: "waits" }
  | { at: "makes"; step: string | null }
  | { at: "made"; ended: boolean }
  | { at: "failed"; problem: ProblemBody };

export function stageOf({ id, problem }: Asked, byId: ReadonlyMap<string, SessionView>): Stage {
  if (problem) return { at: "failed", problem };
  if (id === null) return { at: "waits" };
  const session = byId.get(id);
  if (!session || session.state === "creating") return { at: "makes", step: session?.pending ?? null };
  if (session.state !== "failed") return { at: "made", ended: session.state === "exited" };
  const unsaid = { code: "internal", title: "It could not be started.", hint: "Look at the daemon's log." };
  return { at: "failed", problem: session.problem ?? unsaid };
}

export function begin(all: Omit<Asked, "action" | "id" | "problem">[]): Promise<void> {
  batch.set(all.map((one) => ({ ...one, action: actionKey(), id: null, problem: null })));
  return ask();
}

/** Asks anew for those that were refused or have failed, and for no other. */
export function tryAgain(): Promise<void> {
  const { byId } = sessions.get();
  batch.set(
    (all) =>
      all?.map((one) => {
        if (stageOf(one, byId).at !== "failed") return one;
        // What was made and has failed is another action; what got no answer is the same.
        const action = one.id === null && one.problem?.code === "no_daemon" ? one.action : actionKey();
        return { ...one, action, id: null, problem: null };
      }) ?? null,
  );
  return ask();
}

/** What failed, as a draft that can be changed; the rest is made. Why the first one did, at its field. */
export function changeFailed(): ProblemBody | null {
  const { byId } = sessions.get();
  const failed = (batch.get() ?? []).filter((one) => stageOf(one, byId).at === "failed");
  const back = together(failed.map((one) => one.draft));
  if (back) draft.set(back);
  batch.set(null);
  const first = failed[0] && stageOf(failed[0], byId);
  if (first?.at !== "failed") return null;
  const { field } = first.problem;
  return { ...first.problem, field: field && failed.length > 1 ? fieldOf(FIRST, field) : field };
}

let asking: Promise<void> | null = null;

/** One after the other, so that they stand in the list in this order. One that fails stops no other. */
function ask(): Promise<void> {
  asking ??= askAll().finally(() => {
    asking = null;
  });
  return asking;
}

async function askAll() {
  for (;;) {
    const one = batch.get()?.find(({ id, problem }) => id === null && problem === null);
    if (!one) break;
    try {
      const session = await createSession(one.request, one.action);
      rememberSent(session.id, one.draft);
      if (one.request.prompt) remember(one.draft.task, one.draft.fill, Date.now());
      keep(session);
      put(one.key, { id: session.id });
    } catch (error) {
      put(one.key, { problem: asProblem(error), ...(isAnswered(error) ? { action: actionKey() } : {}) });
    }
  }
  const all = batch.get();
  if (!all) return;
  const refused = all.filter(({ problem }) => problem !== null);
  // What is not made stays in the draft, whatever becomes of the page.
  const back = together(refused.map((one) => one.draft));
  if (back) draft.set(back);
  else clearDraft();
  const made = number(all.length - refused.length, "session");
  say(refused.length === 0 ? `Creating ${made}` : `Creating ${made}, ${refused.length} refused`);
}

function put(key: string, fields: Partial<Asked>) {
  batch.set((all) => all?.map((one) => (one.key === key ? { ...one, ...fields } : one)) ?? null);
}
