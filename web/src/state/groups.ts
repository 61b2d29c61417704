import type { SessionView } from "../api/types";
import {
  type Arrangement,
  activityOf,
  byName,
  lastParts,
  PLAIN,
  type Slot,
  type Sort,
  slotOf,
} from "./arrange";
import { daemonNow } from "./time";

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

/** Whether there is a terminal to look at. */
export function hasTerminal({ state }: SessionView): boolean {
  return state === "running" || state === "exited" || state === "paused" || state === "hibernated";
}

/** Those on their way to the trash count as gone already. */
export function isOpen(session: SessionView): boolean {
  return session.state !== "trashed" && session.pending !== "trash" && session.pending !== "purge";
}

export interface Group {
  /** What it is told apart by, also from those of other groupings. */
  key: string;
  name: string;
  ids: string[];
}

const NEEDS_YOU: GroupName = "Needs you";
const URGENCY: Partial<Record<Shown, number>> = { permission: 0, question: 1, error: 2 };

/** What a session is put in order by, the most important first. Lower ones come first. */
type Keys = (session: SessionView) => readonly (number | string)[];

const sinceTime = (session: SessionView) => Date.parse(sinceOf(session));

/** What changed last comes first, unless the order is by title. */
const SORT: Record<Sort, Keys> = {
  since: (one) => [-sinceTime(one)],
  title: (one) => [one.title],
  created: (one) => [-Date.parse(one.created_at)],
  activity: (one) => [-activityOf(one)],
};

/** Permission, question, error; who waits longest comes first. No choice changes it. */
const NEED: Keys = (one) => [URGENCY[shownState(one)] ?? 9, sinceTime(one)];

/** What is pinned comes first in each group. The keys are read once: some cost more than to compare. */
function sorted(list: readonly SessionView[], keysOf: Keys): string[] {
  const keyed = list.map((one) => ({ id: one.id, keys: [Number(!one.pinned), ...keysOf(one)] }));
  return keyed.sort((a, b) => byKeys(a.keys, b.keys) || byCode(a.id, b.id)).map(({ id }) => id);
}

function byKeys(a: readonly (number | string)[], b: readonly (number | string)[]): number {
  for (const [i, one] of a.entries()) {
    const other = b[i] ?? one;
    const order = typeof one === "number" ? one - Number(other) : byName(one, String(other));
    // A time that cannot be read has no order.
    if (order) return order;
  }
  return 0;
}

function byCode(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/**
 * The sessions outside the trash that fit the filter, in groups. Those that need somebody are the
 * first group, whatever the others are made of. Empty groups are left out.
 */
export function group(
  all: Iterable<SessionView>,
  filter: string,
  { by, sort }: Arrangement = PLAIN,
  now = daemonNow(),
): Group[] {
  const fits = matcher(filter);
  const lists = new Map<string, { slot: Slot; list: SessionView[] }>();
  for (const session of all) {
    if (!isOpen(session) || !fits(session)) continue;
    const state = groupOf(session);
    const slot =
      state === NEEDS_YOU || by === "state"
        ? { key: state, name: state, place: state === NEEDS_YOU ? -1 : ORDER.indexOf(state) }
        : // A folder of the name of a state is another group than the state.
          prefixed(by, slotOf(session, by, now));
    const there = lists.get(slot.key);
    if (there) there.list.push(session);
    else lists.set(slot.key, { slot, list: [session] });
  }
  const slots = [...lists.values()].sort(
    ({ slot: a }, { slot: b }) => a.place - b.place || byName(a.name, b.name) || byCode(a.key, b.key),
  );
  const out = slots.map(({ slot, list }) => ({
    key: slot.key,
    name: slot.name,
    ids: sorted(list, slot.key === NEEDS_YOU ? NEED : SORT[sort]),
  }));
  if (by === "repository") nameApart(out);
  return nest(out, new Map(slots.flatMap(({ list }) => list.map((s) => [s.id, s]))));
}

function prefixed(by: string, slot: Slot): Slot {
  return { ...slot, key: `${by}:${slot.key}` };
}

/** Two repositories in folders of one name are told apart by the rest of their paths. */
function nameApart(groups: Group[]) {
  const count = new Map<string, number>();
  for (const { name } of groups) count.set(name, (count.get(name) ?? 0) + 1);
  const pathOf = ({ key }: Group) => key.slice("repository:".length);
  const same = groups.filter((one) => one.key !== NEEDS_YOU && (count.get(one.name) ?? 0) > 1);
  const paths = same.map(pathOf);
  for (const one of same) {
    const path = pathOf(one);
    const most = path.split("/").length;
    let parts = 2;
    const taken = () => paths.some((p) => p !== path && lastParts(p, parts) === lastParts(path, parts));
    while (parts < most && taken()) parts += 1;
    one.name = lastParts(path, parts);
  }
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
    .map(({ ids, ...rest }) => ({
      ...rest,
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
  return lastParts(path, 1);
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
