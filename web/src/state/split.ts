import type { SessionView } from "../api/types";
import { isOpen } from "./groups";
import { MOST_PANES, nextOf, splitBy, without } from "./panes";
import { go, goPanes, sessionPath, where } from "./router";
import { sessions } from "./sessions";

/** The session that is typed to, where its terminal is open. */
function current(): string | null {
  const { place } = where.get();
  return place.name === "sessions" ? place.id : null;
}

/** Those that can get a pane of their own, in the order of the list. */
export function splittable(order: readonly string[]): SessionView[] {
  const { byId } = sessions.get();
  const here = current();
  const { panes } = where.get();
  const from = here === null ? 0 : order.indexOf(here) + 1;
  return [...order.slice(from), ...order.slice(0, from)].flatMap((id) => {
    const session = byId.get(id);
    return session && isOpen(session) && id !== here && !panes.includes(id) ? [session] : [];
  });
}

/** Shows another session's terminal right of the one that is typed to, which is typed to from then on. */
export function splitWith(id: string | undefined) {
  const here = current();
  if (here === null || id === undefined) return;
  const panes = splitBy(where.get().panes, here, id);
  if (panes.includes(id)) goPanes(id, panes);
}

export function hasRoom(): boolean {
  return where.get().panes.length < MOST_PANES;
}

/** Closes a pane; its session goes on. */
export function closePane(id: string | null = current()) {
  const here = current();
  const { panes } = where.get();
  if (here === null || id === null || !panes.includes(id)) return;
  const { panes: left, next } = without(panes, here, id);
  goPanes(next, left);
}

/** Goes on to the next pane. Which one it is. */
export function nextPane(): string | null {
  const here = current();
  const { panes } = where.get();
  if (here === null || panes.length < 2) return null;
  const next = nextOf(panes, here);
  go(sessionPath(next), "replace");
  return next;
}
