import { undoAndSelect } from "../list/undo";
import { isPhone } from "../parts/layout";
import { nextUndo, WORDS } from "../state/acts";
import { group } from "../state/groups";
import { prefs } from "../state/prefs";
import { go, sessionPath, where } from "../state/router";
import { sessions } from "../state/sessions";
import { patch } from "../state/store";
import { dialog, focusSoon, full, toggleAside } from "../state/ui";
import { action, type Context, NOT_HERE } from "./action";
import { command } from "./press";

/** Those that need somebody, in the order of the list. */
function hot(): string[] {
  const [first] = group(sessions.get().byId.values(), where.get().filter);
  return first?.key === "Needs you" ? first.ids : [];
}

const inSessions = ({ place }: Context) => (place.name === "sessions" ? null : NOT_HERE);

export const OF_PAGE = [
  action({
    id: "palette",
    words: "find a session, an action, a place",
    label: () => "Find",
    group: "everywhere",
    key: command("k"),
    run: () => dialog.set("palette"),
  }),
  action({
    id: "new",
    words: "new session",
    also: "create start",
    group: "everywhere",
    key: "c",
    command: () => "qd new",
    run: () => dialog.set("create"),
  }),
  action({
    id: "filter",
    words: "filter the list",
    also: "search",
    group: "everywhere",
    key: "/",
    command: () => "qd ls --filter TEXT",
    run: () => {
      patch(prefs, { list: true });
      full.set(false);
      const { place } = where.get();
      if (place.name !== "sessions" || isPhone()) go("/");
      else if (place.tab === "diff" && place.id !== null) go(sessionPath(place.id));
      focusSoon("#filter");
    },
  }),
  action({
    id: "needs-you",
    words: "next that needs you",
    group: "everywhere",
    key: "n",
    off: () => (hot().length === 0 ? "Nobody needs you" : null),
    command: () => "qd ls --filter state:permission,question,error",
    run: ({ place }) => {
      const ids = hot();
      const at = place.name === "sessions" && place.id !== null ? ids.indexOf(place.id) : -1;
      const next = ids[(at + 1) % ids.length];
      if (next !== undefined) go(sessionPath(next));
    },
  }),
  action({
    id: "undo",
    words: "undo the last delete, pause or hibernate",
    label: () => {
      const [first] = nextUndo();
      return first ? `Undo: ${WORDS[first.act].verb} “${first.title}”` : "Undo";
    },
    group: "everywhere",
    key: "u",
    off: () => (nextUndo().length === 0 ? "Nothing can be undone" : null),
    command: () => {
      const all = nextUndo();
      const back = all[0] && WORDS[all[0].act].undo;
      return back ? `qd ${back} ${all.map(({ id }) => id).join(" ")}` : null;
    },
    run: () => void undoAndSelect(),
  }),
  action({
    id: "list",
    words: "show or hide the list",
    group: "everywhere",
    key: "[",
    off: inSessions,
    run: () => patch(prefs, { list: !prefs.get().list }),
  }),
  action({
    id: "aside",
    words: "show or hide the details",
    group: "everywhere",
    key: "]",
    off: inSessions,
    run: toggleAside,
  }),
  action({
    id: "full",
    words: "only the terminal, or all again",
    group: "everywhere",
    key: "f",
    off: inSessions,
    run: () => full.set(!full.get()),
  }),
  action({
    id: "go-sessions",
    words: "go to the sessions",
    group: "everywhere",
    key: "g s",
    command: () => "qd ls",
    run: () => go("/"),
  }),
  action({
    id: "go-trash",
    words: "go to the trash",
    group: "everywhere",
    key: "g t",
    command: () => "qd trash",
    run: () => go("/trash"),
  }),
  action({
    id: "go-settings",
    words: "settings",
    also: "preferences theme font devices access",
    group: "everywhere",
    key: ",",
    run: () => go("/settings"),
  }),
  action({
    id: "go-keys",
    words: "change the keys",
    also: "settings shortcuts",
    group: "everywhere",
    key: "g k",
    run: () => {
      go("/settings");
      focusSoon("#keys");
    },
  }),
  action({
    id: "keys",
    words: "these keys",
    label: () => "Keys",
    also: "help shortcuts",
    group: "everywhere",
    key: "?",
    run: () => dialog.set("keys"),
  }),
];
