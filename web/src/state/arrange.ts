import type { SessionView } from "../api/types";

/** What the groups of the list are made of. */
export const BYS = ["state", "repository", "agent", "branch", "tag", "kind", "age", "none"] as const;
export type By = (typeof BYS)[number];

/** What the order within a group is made of. */
export const SORTS = ["since", "title", "created", "activity"] as const;
export type Sort = (typeof SORTS)[number];

/** How the list is arranged. */
export interface Arrangement {
  by: By;
  sort: Sort;
}

export const PLAIN: Arrangement = { by: "state", sort: "since" };

export function byOf(text: string | null | undefined): By | null {
  return BYS.find((by) => by === text) ?? null;
}

export function sortOf(text: string | null | undefined): Sort | null {
  return SORTS.find((sort) => sort === text) ?? null;
}

/** The group of a session in a grouping other than by state: its key, the name, and its place. */
export interface Slot {
  key: string;
  name: string;
  /** Lower ones come first; equal ones by name. */
  place: number;
}

const LAST = 9;
const DAY_MS = 24 * 60 * 60 * 1000;

const KINDS: Record<string, Slot> = {
  worktree: { key: "worktree", name: "Own worktree", place: 0 },
  "existing-worktree": { key: "existing-worktree", name: "Existing worktree", place: 1 },
  "in-place": { key: "in-place", name: "In place", place: 2 },
  adopted: { key: "adopted", name: "Adopted", place: 3 },
};

/** Where a session stands in a grouping. One with several tags stands with the first by name. */
export function slotOf(session: SessionView, by: Exclude<By, "state">, now: number): Slot {
  const named = (text: string | null | undefined, without: string): Slot =>
    text ? { key: text, name: text, place: 0 } : { key: "", name: without, place: LAST };
  switch (by) {
    case "repository":
      return { key: session.repo, name: lastParts(session.repo, 1), place: 0 };
    case "agent":
      return named(session.agent, "No agent");
    case "branch":
      return named(session.branch, "No branch");
    case "tag":
      return named([...session.tags].sort(byName)[0], "No tag");
    case "kind":
      return KINDS[session.kind] ?? named(session.kind, "Of no known kind");
    case "age":
      return ageSlot(session.created_at, now);
    case "none":
      return { key: "all", name: "All", place: 0 };
  }
}

function ageSlot(createdAt: string, now: number): Slot {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const at = Date.parse(createdAt);
  if (at >= midnight) return { key: "today", name: "Created today", place: 0 };
  if (at >= midnight - 6 * DAY_MS) return { key: "week", name: "Created in the last 7 days", place: 1 };
  return { key: "older", name: "Created before", place: 2 };
}

/** The last parts of a path. */
export function lastParts(path: string, count: number): string {
  return path.split("/").filter(Boolean).slice(-count).join("/") || path;
}

/** The order of names in every list: the same in each browser. */
export function byName(a: string, b: string): number {
  return COLLATOR.compare(a, b);
}

const COLLATOR = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

/** When something last happened to a session that is known of, epoch ms. */
export function activityOf({ changed_at, attention }: SessionView): number {
  const times = [changed_at, attention.since, ...attention.evidence.map((proof) => proof.at)];
  return Math.max(...times.map((time) => Date.parse(time)).filter(Number.isFinite));
}
