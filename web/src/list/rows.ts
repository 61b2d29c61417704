import type { SessionView } from "../api/types";
import { type Group, isBelow, type Room, roomOf } from "../state/groups";

export type Row =
  | { kind: "group"; key: string; name: string; count: number; closed: boolean; again: boolean }
  /** `below` tells that it is a shell, and stands below the session it belongs to. */
  | { kind: "session"; id: string; room: Room; below: boolean };

/** The heights of the style sheet, in px. */
const HEIGHTS = {
  desk: { group: 28, again: 33, hot: 66, work: 42, rest: 24 },
  phone: { group: 44, again: 49, hot: 73, work: 49, rest: 45 },
};

export function heightOf(row: Row, phone: boolean): number {
  const table = phone ? HEIGHTS.phone : HEIGHTS.desk;
  if (row.kind === "group") return row.again ? table.again : table.group;
  return table[row.room];
}

/** Groups as rows, one below the other. A single session needs no heads. */
export function rowsOf(
  groups: Group[],
  byId: ReadonlyMap<string, SessionView>,
  closed: readonly string[],
): Row[] {
  const total = groups.reduce((n, g) => n + g.ids.length, 0);
  const heads = total > 1;
  const out: Row[] = [];
  for (const group of groups) {
    const shut = heads && closed.includes(group.key);
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
    for (const id of group.ids) {
      const session = byId.get(id);
      if (!session) continue;
      const { parent } = session;
      const below = parent !== null && here.has(parent) && isBelow(session, byId.get(parent));
      // Its second line would say what that of the session above says.
      const room = below && session.pending === null ? "rest" : roomOf(session);
      out.push({ kind: "session", id, room, below });
    }
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

/** The one row that the Tab key comes to: the selected one, else a session, else a head. */
export function stopOf(rows: Row[], selected: string | null): Row | undefined {
  const sessions = rows.filter((row) => row.kind === "session");
  return sessions.find((row) => row.id === selected) ?? sessions[0] ?? rows[0];
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
