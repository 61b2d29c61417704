import { changeSession } from "../api/calls";
import { asProblem } from "../api/client";
import type { Change, ProblemBody, SessionView } from "../api/types";
import { number } from "../parts/number";
import { type Refused, refusedMany, showRefused } from "./many";
import { keep, sessions } from "./sessions";
import { createStore } from "./store";
import { say } from "./ui";

/** What a person says of a session, and what takes it back when it is refused. */
export interface Edit {
  field: "tags" | "pinned" | "notes";
  to: (session: SessionView) => Change;
  back: (session: SessionView) => Change;
}

const without = (tags: readonly string[], gone: readonly string[]) =>
  tags.filter((tag) => !gone.includes(tag));

export function addTags(session: SessionView, tags: readonly string[]): Edit {
  const added = without([...new Set(tags)], session.tags);
  return {
    field: "tags",
    to: (now) => ({ tags: [...now.tags, ...without(added, now.tags)] }),
    back: (now) => ({ tags: without(now.tags, added) }),
  };
}

export function removeTag(session: SessionView, tag: string): Edit {
  const at = session.tags.indexOf(tag);
  return {
    field: "tags",
    to: (now) => ({ tags: without(now.tags, [tag]) }),
    back: ({ tags }) => ({
      tags: tags.includes(tag) ? tags : [...tags.slice(0, at), tag, ...tags.slice(at)],
    }),
  };
}

export function pinIt(pinned: boolean): Edit {
  return { field: "pinned", to: () => ({ pinned }), back: () => ({ pinned: !pinned }) };
}

export function writeNotes({ notes: before }: SessionView, notes: string): Edit {
  return { field: "notes", to: () => ({ notes }), back: () => ({ notes: before }) };
}

/** The tags in what was typed: white space and commas part them. */
export function tagsOf(text: string): string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}

/** What was refused of a session's fields, by `ID field`, until it is tried again. */
export const fieldProblems = createStore<Readonly<Record<string, ProblemBody | undefined>>>({});

/** Notes that are being written, or could not be saved, by session. They outlive the aside. */
export const notesDrafts = createStore<Readonly<Record<string, string | undefined>>>({});

/** What was not answered yet, oldest first; one at a time is sent, as each sends all the tags. */
const waiting = new Map<string, Edit[]>();
const turns = new Map<string, Promise<unknown>>();

function withEdit(session: SessionView, change: Change): SessionView {
  return { ...session, ...(change as Partial<SessionView>) };
}

function show(session: SessionView) {
  const edits = waiting.get(session.id) ?? [];
  keep(edits.reduce((now, edit) => withEdit(now, edit.to(now)), session));
}

/** Shows it at once, and what was there before when the daemon refuses. What went wrong, if anything did. */
export function describe(id: string, edit: Edit): Promise<ProblemBody | null> {
  const session = sessions.get().byId.get(id);
  if (!session) return Promise.resolve(null);
  waiting.set(id, [...(waiting.get(id) ?? []), edit]);
  tellOf(id, edit, null);
  show(session);
  const turn = (turns.get(id) ?? Promise.resolve()).then(() => send(id, edit));
  turns.set(id, turn);
  return turn;
}

async function send(id: string, edit: Edit): Promise<ProblemBody | null> {
  const before = sessions.get().byId.get(id);
  if (!before) {
    end(id, edit);
    return null;
  }
  try {
    const after = await changeSession(id, edit.to(before));
    end(id, edit);
    show(after);
    return null;
  } catch (error) {
    const problem = asProblem(error);
    end(id, edit);
    const now = sessions.get().byId.get(id);
    if (now) show(withEdit(now, edit.back(now)));
    tellOf(id, edit, problem);
    return problem;
  }
}

function end(id: string, edit: Edit) {
  const left = (waiting.get(id) ?? []).filter((one) => one !== edit);
  if (left.length > 0) waiting.set(id, left);
  else {
    waiting.delete(id);
    turns.delete(id);
  }
}

function tellOf(id: string, { field }: Edit, problem: ProblemBody | null) {
  fieldProblems.set((old) => ({ ...old, [`${id} ${field}`]: problem ?? undefined }));
}

/** Saves the notes that were written, if they are others than before. */
export async function saveNotes(id: string): Promise<void> {
  const text = notesDrafts.get()[id];
  const session = sessions.get().byId.get(id);
  if (text === undefined || !session) return;
  const refused = text === session.notes ? null : await describe(id, writeNotes(session, text));
  // What was refused, or was written on in the meantime, stays to be saved.
  if (!refused && notesDrafts.get()[id] === text) notesDrafts.set((old) => ({ ...old, [id]: undefined }));
}

/** Says the same of several; each is tried. */
export async function describeAll(
  all: readonly SessionView[],
  words: string,
  edit: (session: SessionView) => Edit,
): Promise<Refused[]> {
  refusedMany.set(null);
  const ended = await Promise.all(
    all.map(async (one) => ({ id: one.id, title: one.title, problem: await describe(one.id, edit(one)) })),
  );
  const told = showRefused(words, ended);
  say(told ? `${words}: ${told.refused.length} refused` : `${words}: ${number(all.length, "session")}`);
  return told?.refused ?? [];
}
