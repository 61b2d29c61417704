import type { SessionView } from "../api/types";
import { lastBefore, type Range } from "../parts/window";
import { type Group, isBelow, type Room, roomOf } from "../state/groups";

export type Row =
  | { kind: "group"; key: string; name: string; count: number; closed: boolean; again: boolean }
  /** `below` tells that it is a shell, and stands below the session it belongs to. */
  | { kind: "session"; id: string; room: Room; below: boolean }
  /** The end of a long group. So many are left out, the first of them is `next`; with none, all are shown. */
  | { kind: "more"; group: string; name: string; hidden: number; next: string | null };

/** What a row is told apart by. An id has no space. */
export function keyOf(row: Row): string {
  return row.kind === "session" ? row.id : `${row.kind} ${row.kind === "group" ? row.key : row.group}`;
}

/** The heights of the style sheet, in px. */
const HEIGHTS = {
  desk: { group: 28, again: 33, hot: 66, work: 42, rest: 24 },
  phone: { group: 44, again: 49, hot: 73, work: 49, rest: 45 },
};

export function heightOf(row: Row, phone: boolean): number {
  const table = phone ? HEIGHTS.phone : HEIGHTS.desk;
  if (row.kind === "group") return row.again ? table.again : table.group;
  return row.kind === "more" ? table.rest : table[row.room];
}

/** From so many sessions on, a group of those that rest shows only the first ones. */
const MANY = 20;
const FIRST = 8;
/** The keys of the groups of which some may be left out. */
const LONG: readonly string[] = ["Idle"];

/** What of the groups is shown; without a word, all. */
export interface Choice {
  /** The keys of the groups that are closed. */
  closed?: readonly string[];
  /** The keys of the groups that show all, however many. */
  full?: readonly string[];
  /** The session that is open: its row is never left out. */
  selected?: string | null;
  /** Words are looked for: all that fit are shown. */
  filtered?: boolean;
}

/** The sessions of a group that are shown, and the row below them, if not all need be. */
function firstOf(group: Group, total: number, { full = [], selected, filtered }: Choice): [string[], Row[]] {
  // A row that tells of one more takes the room of that one.
  const short = LONG.includes(group.key) && !filtered && total > MANY && group.ids.length > FIRST + 1;
  if (!short) return [group.ids, []];
  const { key, name } = group;
  const all = full.includes(key);
  const stays = (id: string, i: number) => all || i < FIRST || id === selected;
  const left = group.ids.filter((id, i) => !stays(id, i));
  return [
    group.ids.filter(stays),
    [{ kind: "more", group: key, name, hidden: left.length, next: left[0] ?? null }],
  ];
}

/** Groups as rows, one below the other. A single session needs no heads. */
export function rowsOf(groups: Group[], byId: ReadonlyMap<string, SessionView>, choice: Choice = {}): Row[] {
  const total = groups.reduce((n, g) => n + g.ids.length, 0);
  const heads = total > 1;
  const out: Row[] = [];
  for (const group of groups) {
    const shut = heads && (choice.closed ?? []).includes(group.key);
    if (heads)
      out.push({
        kind: "group",
        key: group.key,
        name: group.name,
        count: group.ids.length,
        closed: shut,
        again: out.length > 0,
      });
    if (shut) continue;
    const here = new Set(group.ids);
    const [ids, end] = firstOf(group, total, choice);
    for (const id of ids) {
      const session = byId.get(id);
      if (!session) continue;
      const { parent } = session;
      const below = parent !== null && here.has(parent) && isBelow(session, byId.get(parent));
      // Its second line would say what that of the session above says.
      const room = below && session.pending === null ? "rest" : roomOf(session);
      out.push({ kind: "session", id, room, below });
    }
    out.push(...end);
  }
  return out;
}

/** The sessions among the rows, from top to bottom. */
export function idsOfRows(rows: readonly Row[]): string[] {
  return rows.flatMap((row) => (row.kind === "session" ? [row.id] : []));
}

/**
 * The old order, as far as it still holds: who is gone is left out, who is new waits. Rows then
 * stay where they are while they are pointed at.
 */
export function hold(old: Group[], next: Group[]): Group[] {
  const there = new Set(next.flatMap((g) => g.ids));
  return old.map((g) => ({ ...g, ids: g.ids.filter((id) => there.has(id)) })).filter((g) => g.ids.length > 0);
}

/**
 * The one row that the Tab key comes to: the one with the focus, else the selected one, else a session,
 * else a head.
 */
export function stopOf(
  rows: readonly Row[],
  selected: string | null,
  focused: string | null = null,
): Row | undefined {
  const sessions = rows.filter((row) => row.kind === "session");
  const has = focused === null ? undefined : rows.find((row) => keyOf(row) === focused);
  return has ?? sessions.find((row) => row.id === selected) ?? sessions[0] ?? rows[0];
}

/** Where the focus goes when the row at a place has gone: the next session, else the one before. */
export function heir(rows: readonly Row[], at: number): Row | undefined {
  const isSession = (row: Row) => row.kind === "session";
  return rows.slice(at).find(isSession) ?? rows.slice(0, at).findLast(isSession) ?? rows.at(-1);
}

/** The row that a key of the list leads to, seen from another one; `page` is in px. */
export function rowByKey(
  key: string,
  at: number,
  rows: readonly Row[],
  offsets: readonly number[],
  page: number,
): number | null {
  const last = rows.length - 1;
  const top = offsets[at] ?? 0;
  switch (key) {
    case "ArrowDown":
      return Math.min(last, at + 1);
    case "ArrowUp":
      return Math.max(0, at - 1);
    case "Home":
      return 0;
    case "End":
      return last;
    case "PageDown":
      return Math.min(last, Math.max(at + 1, lastBefore(offsets, top + page)));
    case "PageUp":
      return Math.max(0, Math.min(at - 1, lastBefore(offsets, top - page - 1) + 1));
    case "ArrowLeft": {
      if (rows[at]?.kind === "group") return null;
      const head = rows.slice(0, at).findLastIndex((row) => row.kind === "group");
      return head < 0 ? null : head;
    }
  }
  return null;
}

/** The rows that are drawn: those of a range, and those that must be there wherever they are. */
export function drawnOf({ first, end }: Range, kept: readonly number[]): number[] {
  const range = Array.from({ length: end - first }, (_, i) => first + i);
  const others = new Set(kept.filter((at) => at >= 0 && (at < first || at >= end)));
  return [...range, ...others].sort((a, b) => a - b);
}

/** The session to go on to when some go away: the next that stays, else the one before. */
export function goOnTo(
  rows: readonly Row[],
  id: string,
  gone: ReadonlySet<string>,
  byId: ReadonlyMap<string, SessionView>,
): string | null {
  const ids = idsOfRows(rows);
  const at = ids.indexOf(id);
  // A shell goes with its session.
  const stays = (one: string) => !gone.has(one) && !gone.has(byId.get(one)?.parent ?? "");
  const after = ids.slice(at + 1);
  return [...after, ...ids.slice(0, Math.max(0, at)).reverse()].find(stays) ?? null;
}

/** The session that is `step` rows away from another one, over the heads. */
export function neighbour(rows: Row[], id: string | null, step: number): string | null {
  const ids = idsOfRows(rows);
  if (ids.length === 0) return null;
  const at = id === null ? -1 : ids.indexOf(id);
  if (at < 0) return ids[step > 0 ? 0 : ids.length - 1] ?? null;
  return ids[Math.min(ids.length - 1, Math.max(0, at + step))] ?? null;
}
