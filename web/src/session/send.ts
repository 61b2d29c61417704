import { sendInput } from "../api/calls";
import { actionKey, asProblem, isAnswered } from "../api/client";
import type { ProblemBody } from "../api/types";
import { createKeptStore, createStore } from "../state/store";
import { fits } from "../terminal/protocol";

/** What was written for each session and not taken yet. */
export const drafts = createKeptStore<Readonly<Record<string, string>>>("qd.messages", {});

/** The messages that are on their way, by session. */
export const sending = createStore<Readonly<Record<string, string | undefined>>>({});

/** Messages that nobody answered for, and their keys: the same once more is the same action. */
const unanswered = new Map<string, { text: string; key: string }>();

const TOO_LONG: ProblemBody = {
  code: "too_large",
  title: "That message is too long: one holds 1 MiB.",
  hint: "Write it to a file, and name the file.",
};

export function setDraft(id: string, text: string) {
  drafts.set((old) => ({ ...old, [id]: text }));
}

/** Sends the draft of a session as a paste and Enter. It is cleared once the program has it. */
export async function sendDraft(id: string): Promise<ProblemBody | null> {
  const text = drafts.get()[id] ?? "";
  if (text.trim() === "" || sending.get()[id] !== undefined) return null;
  if (!fits(text)) return TOO_LONG;
  const before = unanswered.get(id);
  const key = before?.text === text ? before.key : actionKey();
  unanswered.delete(id);
  sending.set((old) => ({ ...old, [id]: text }));
  try {
    await sendInput(id, { text, paste: true, enter: true }, key);
    if (drafts.get()[id] === text) setDraft(id, "");
    return null;
  } catch (error) {
    if (!isAnswered(error)) unanswered.set(id, { text, key });
    return asProblem(error);
  } finally {
    sending.set((old) => ({ ...old, [id]: undefined }));
  }
}
