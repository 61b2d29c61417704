import { shownRows } from "../list/list";
import { idsOfRows } from "../list/rows";
import { isPhone } from "../parts/layout";
import { hasTerminal } from "../state/groups";
import { where } from "../state/router";
import { closePane, hasRoom, nextPane, splittable, splitWith } from "../state/split";
import { patch } from "../state/store";
import { action, type Context, NOT_HERE, ofSession } from "./action";

const runs = ofSession(({ state }) => (state === "running" ? null : "Its program does not run"));

const inTerminal = (context: Context) => (context.tab === "terminal" ? runs(context) : NOT_HERE);

/** Who would come beside the session that is open. */
function beside() {
  return splittable(idsOfRows(shownRows.get())).find(hasTerminal);
}

function isSplit(): string | null {
  return where.get().panes.length > 1 ? null : "Only one terminal is open";
}

/** What is done to terminals beside each other, and to the one that is typed to. */
export const OF_PANES = [
  action({
    id: "fit",
    words: "take the terminal, and fit it to this window",
    also: "size resize",
    group: "sessions",
    key: "z",
    off: runs,
    run: ({ session }) =>
      session && void import("../terminal/pool").then(({ linkOf }) => linkOf(session.id).fitToMe()),
  }),
  action({
    id: "send-key",
    words: "send a key that the browser takes",
    group: "sessions",
    key: "E",
    off: inTerminal,
    run: ({ session }) =>
      session &&
      void import("../terminal/pool").then(({ linkOf }) => patch(linkOf(session.id).pane, { keys: true })),
  }),
  action({
    id: "split",
    words: "split: the next session beside this one",
    also: "pane side",
    group: "sessions",
    key: "v",
    off: ({ session }) => {
      if (session === null || isPhone()) return NOT_HERE;
      if (!hasRoom()) return "There is room for four";
      return beside() ? null : "No other session has a terminal";
    },
    run: () => splitWith(beside()?.id),
  }),
  action({
    id: "close-pane",
    words: "close this pane",
    also: "split",
    group: "sessions",
    key: "V",
    off: ({ session }) => (session === null || isPhone() ? NOT_HERE : isSplit()),
    run: () => closePane(),
  }),
  action({
    id: "next-pane",
    words: "next pane",
    also: "split",
    group: "sessions",
    key: "o",
    off: ({ session }) => (session === null || isPhone() ? NOT_HERE : isSplit()),
    run: () => void nextPane(),
  }),
];
