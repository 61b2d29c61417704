import { AWAY } from "../api/client";
import { live } from "../api/stream";
import type { SessionView } from "../api/types";
import { actsOf, capital, doingOf, isAdopted, wordOf } from "../state/acts";
import { picked, pickedOf } from "../state/many";
import { type Place, type Tab, where } from "../state/router";
import { sessions } from "../state/sessions";

/** Where an action and its key hold. A key of a narrower place wins over one of a wider. */
export type Group = "diff" | "ship" | "sessions" | "terminal" | "everywhere";

/** What is on the page when something is to be done. */
export interface Context {
  place: Place;
  tab: Tab;
  /** The session that is open, or whose menu it is. */
  session: SessionView | null;
  /** The session of the row that has the focus, else the one that is open. */
  row: string | null;
  picked: readonly SessionView[];
  offline: boolean;
}

/** Something that can be done. Keys, the list of keys, menus and the palette are made of these. */
export interface Action<I extends string = string> {
  id: I;
  /** What it does, in the list of keys. */
  words: string;
  group: Group;
  /** Its key at first, see `Press`; null for one that has none. */
  key: string | null;
  /** The key cannot be changed. */
  fixed?: true;
  /** It is done to the session that is open, or to those that are selected. */
  onSession?: true;
  /** It goes on while its key is held. */
  held?: true;
  /** What else people may type to find it. */
  also?: string;
  /** Its name on buttons and in the palette, where that is not `words` with a capital. */
  label?(context: Context): string;
  about?(context: Context): string;
  /** Why it cannot be done now; null when it can. */
  off?(context: Context): string | null;
  /** The command of `qd` that does the same. */
  command?(context: Context): string | null;
  /** Where it is missing, the terminal does it. */
  run?(context: Context): void;
}

/** Keeps the id as a type of its own. */
export function action<I extends string>(one: Action<I>): Action<I> {
  return one;
}

/** It is not about what is on the page: nothing shows it, and its key is free for another. */
export const NOT_HERE = "";

export function contextOf(session: SessionView | null, chosen: readonly SessionView[] = []): Context {
  const { place } = where.get();
  const inSessions = place.name === "sessions";
  const row = document.activeElement?.closest<HTMLElement>(".sessions [data-id]");
  return {
    place,
    tab: inSessions ? place.tab : "terminal",
    session,
    row: row?.dataset.id ?? (inSessions ? place.id : null),
    picked: chosen,
    offline: live.get().state === "offline",
  };
}

/** What is on the page now. */
export function contextNow(): Context {
  const { place } = where.get();
  const { byId } = sessions.get();
  if (place.name !== "sessions") return contextOf(null);
  return contextOf(byId.get(place.id ?? "") ?? null, pickedOf(picked.get(), byId));
}

export function labelOf(one: Action, context: Context): string {
  return one.label?.(context) ?? capital(one.words);
}

/** Why it cannot be done now; null when it can. */
export function offOf(one: Action, context: Context): string | null {
  return one.off?.(context) ?? null;
}

/** What needs a session: why not, when there is one. The daemon is asked for last. */
export function ofSession(
  why: (session: SessionView, context: Context) => string | null,
): (context: Context) => string | null {
  return (context) => {
    if (context.session === null) return NOT_HERE;
    return why(context.session, context) ?? away(context);
  };
}

export function away({ offline }: Context): string | null {
  return offline ? AWAY : null;
}

/** A command of one session. */
export function onSession(verb: string, more = ""): (context: Context) => string | null {
  return ({ session }) => (session ? `qd ${verb} ${session.id}${more}` : null);
}

/** Why the daemon would refuse to pause, hibernate or restart it. */
export function whyNot(session: SessionView): string {
  if (isAdopted(session)) return "Its program is in a tmux of your own";
  const doing = doingOf(session);
  if (doing !== null) return `It is ${doing}`;
  if (session.state === "running") return "Its program runs";
  if (session.state === "failed" && actsOf(session).length === 0) return "It was never started";
  return `It is ${wordOf(session).toLowerCase()}`;
}
