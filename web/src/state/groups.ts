import type { SessionView } from "../api/types";

export type GroupName =
  | "Needs you"
  | "Working"
  | "Running"
  | "Done"
  | "Idle"
  | "Paused"
  | "Hibernated"
  | "Ended"
  | "Failed";

/** How much room a row gets: three lines, two, or one. */
export type Room = "hot" | "work" | "rest";

const ORDER: readonly GroupName[] = [
  "Needs you",
  "Working",
  "Running",
  "Done",
  "Idle",
  "Paused",
  "Hibernated",
  "Failed",
  "Ended",
];

/** The state that the row's glyph and words tell. */
export type Shown =
  | "permission"
  | "question"
  | "error"
  | "working"
  | "done"
  | "idle"
  | "unknown"
  | "creating"
  | "paused"
  | "hibernated"
  | "exited"
  | "failed"
  | "trashed";

export function shownState(session: SessionView): Shown {
  return session.state === "running" ? session.attention.state : session.state;
}

export function groupOf(session: SessionView): GroupName {
  const shown = shownState(session);
  switch (shown) {
    case "permission":
    case "question":
    case "error":
      return "Needs you";
    case "working":
    case "creating":
      return "Working";
    case "unknown":
      return "Running";
    case "done":
      return "Done";
    case "idle":
      return "Idle";
    case "paused":
      return "Paused";
    case "hibernated":
      return "Hibernated";
    case "failed":
      return "Failed";
    case "exited":
    case "trashed":
      return "Ended";
  }
}

export function roomOf(session: SessionView): Room {
  const group = groupOf(session);
  // What is under way stands on the second line.
  if (session.pending !== null && group !== "Needs you" && group !== "Failed") return "work";
  if (group === "Needs you" || group === "Failed") return "hot";
  return group === "Working" || group === "Running" || group === "Done" ? "work" : "rest";
}

/** What stands on the second line of a row that needs you, or says why it failed. */
export function askOf(session: SessionView): string {
  if (session.state === "failed") return session.problem?.title ?? "It could not be started.";
  return session.attention.why;
}

/** When the shown state began, RFC 3339. */
export function sinceOf(session: SessionView): string {
  return session.state === "running"
    ? later(session.attention.since, session.created_at)
    : session.changed_at;
}

function later(a: string, b: string): string {
  return Date.parse(a) > Date.parse(b) ? a : b;
}

/** Those on their way to the trash count as gone already. */
export function isOpen(session: SessionView): boolean {
  return session.state !== "trashed" && session.pending !== "trash" && session.pending !== "purge";
}

export interface Group {
  name: GroupName;
  ids: string[];
}

const URGENCY: Partial<Record<Shown, number>> = { permission: 0, question: 1, error: 2 };

function compare(group: GroupName) {
  return (a: SessionView, b: SessionView): number => {
    if (a.pinned !== b.pinned) return a.pinned ? -1 : 1;
    if (group === "Needs you") {
      const urgency = (URGENCY[shownState(a)] ?? 9) - (URGENCY[shownState(b)] ?? 9);
      if (urgency !== 0) return urgency;
    }
    const time = Date.parse(sinceOf(a)) - Date.parse(sinceOf(b));
    // Who waits longest comes first; elsewhere what changed last does.
    if (time !== 0) return group === "Needs you" ? time : -time;
    return a.id < b.id ? -1 : 1;
  };
}

/** The sessions outside the trash that fit the filter, by state. Empty groups are left out. */
export function group(all: Iterable<SessionView>, filter: string): Group[] {
  const fits = matcher(filter);
  const lists = new Map<GroupName, SessionView[]>();
  for (const session of all) {
    if (!isOpen(session) || !fits(session)) continue;
    const name = groupOf(session);
    const list = lists.get(name);
    if (list) list.push(session);
    else lists.set(name, [session]);
  }
  const out: Group[] = [];
  for (const name of ORDER) {
    const list = lists.get(name);
    if (list) out.push({ name, ids: list.sort(compare(name)).map((s) => s.id) });
  }
  return nest(out, new Map([...lists.values()].flat().map((s) => [s.id, s])));
}

const ASLEEP: readonly GroupName[] = ["Paused", "Hibernated", "Failed", "Ended"];

/** Whether a shell stands below the session that it belongs to, and not where its own state puts it. */
export function isBelow(session: SessionView, parent: SessionView | undefined): boolean {
  if (!parent || !isOpen(parent)) return false;
  const own = groupOf(session);
  // What needs somebody, and what runs, is not put where it is overlooked.
  if (own === "Needs you" || own === "Failed") return false;
  return !ASLEEP.includes(groupOf(parent)) || ASLEEP.includes(own);
}

/** Puts each shell below its session, where both are in the list. */
function nest(groups: Group[], byId: ReadonlyMap<string, SessionView>): Group[] {
  const below = new Map<string, string[]>();
  for (const id of groups.flatMap((g) => g.ids)) {
    const session = byId.get(id);
    const parent = session?.parent ? byId.get(session.parent) : undefined;
    if (!session || !parent || !isBelow(session, parent)) continue;
    below.set(parent.id, [...(below.get(parent.id) ?? []), id]);
  }
  if (below.size === 0) return groups;
  const moved = new Set([...below.values()].flat());
  return groups
    .map(({ name, ids }) => ({
      name,
      ids: ids.filter((id) => !moved.has(id)).flatMap((id) => [id, ...(below.get(id) ?? [])]),
    }))
    .filter((g) => g.ids.length > 0);
}

const FIELDS: Record<string, (s: SessionView) => string> = {
  agent: (s) => s.agent,
  repo: (s) => s.repo,
  branch: (s) => s.branch ?? "",
  tag: (s) => s.tags.join("\n"),
  state: (s) => `${s.state}\n${shownState(s)}`,
  title: (s) => s.title,
  id: (s) => s.id,
};

/** Words that all must be found; `field:word` looks in one field only. */
export function matcher(filter: string): (session: SessionView) => boolean {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return () => true;
  return (session) =>
    words.every((word) => {
      const colon = word.indexOf(":");
      const field = colon > 0 ? FIELDS[word.slice(0, colon)] : undefined;
      if (field)
        return field(session)
          .toLowerCase()
          .includes(word.slice(colon + 1));
      return Object.values(FIELDS).some((read) => read(session).toLowerCase().includes(word));
    });
}

/** The last part of a path. */
export function nameOf(path: string): string {
  const parts = path.split("/").filter(Boolean);
  return parts[parts.length - 1] ?? path;
}

const WORDS: Record<Shown, string> = {
  permission: "Needs permission",
  question: "Asks you",
  error: "Stopped",
  working: "Working",
  done: "Done",
  idle: "Idle",
  unknown: "Running",
  creating: "Creating",
  paused: "Paused",
  hibernated: "Hibernated",
  exited: "Ended",
  failed: "Failed",
  trashed: "In the trash",
};

export function stateWord(shown: Shown): string {
  return WORDS[shown];
}

/** How sure, in words. */
export function sureWord(confidence: number): "Certain" | "Likely" | "Guess" {
  if (confidence >= 0.9) return "Certain";
  return confidence >= 0.6 ? "Likely" : "Guess";
}

/** How a program ended, in a sentence. */
export function exitWords(exit: { code: number | null; signal: number | null }): string {
  if (exit.code !== null) return `Ended with code ${exit.code}.`;
  if (exit.signal !== null) return `Ended by signal ${exit.signal}.`;
  return "Ended. How is not known.";
}
