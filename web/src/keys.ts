import { focusRow, shownRows } from "./list/list";
import { actOnPicked, pickHere } from "./list/pick";
import { removeAndGoOn } from "./list/remove";
import { idsOfRows, neighbour } from "./list/rows";
import { undoAndSelect } from "./list/undo";
import { isPhone } from "./parts/layout";
import { renaming, toggleAside } from "./session/head";
import { goOnOf, perform } from "./state/acts";
import { groupOf, hasTerminal, isOpen } from "./state/groups";
import { actsOfAll, endPicking, goOnOfAll, pick, picked, pickedOf } from "./state/many";
import { startFork, startShell } from "./state/more";
import { prefs } from "./state/prefs";
import { go, sessionPath, where } from "./state/router";
import { sessions } from "./state/sessions";
import { closePane, nextPane, splittable, splitWith } from "./state/split";
import { patch } from "./state/store";
import { asideOver, dialog, focusSoon, full } from "./state/ui";
import { awaited, endAwaiting, takeKey, typeIn } from "./terminal/ahead";
import { isLeave } from "./terminal/leave";

export interface KeyHelp {
  keys: string[];
  words: string;
}

export const EVERYWHERE: KeyHelp[] = [
  { keys: ["C"], words: "new session" },
  { keys: ["/"], words: "filter the list" },
  { keys: ["N"], words: "next that needs you" },
  { keys: ["U"], words: "undo the last delete, pause or hibernate" },
  { keys: ["["], words: "show or hide the list" },
  { keys: ["]"], words: "show or hide the details" },
  { keys: ["F"], words: "only the terminal" },
  { keys: ["G", "S"], words: "go to the sessions" },
  { keys: ["G", "T"], words: "go to the trash" },
  { keys: [","], words: "settings" },
  { keys: ["?"], words: "these keys" },
];
export const IN_SESSIONS: KeyHelp[] = [
  { keys: ["J", "K"], words: "next, previous" },
  { keys: ["Enter"], words: "type in the terminal" },
  { keys: ["1", "2"], words: "terminal, diff" },
  { keys: ["M"], words: "message" },
  { keys: ["T"], words: "take over the terminal" },
  { keys: ["Z"], words: "take the terminal, and fit it to this window" },
  { keys: ["E"], words: "send a key that the browser takes" },
  { keys: ["V"], words: "split: the next session beside this one" },
  { keys: ["Shift", "V"], words: "close this pane" },
  { keys: ["O"], words: "next pane" },
  { keys: ["I"], words: "why it is in its state" },
  { keys: ["R"], words: "rename" },
  { keys: ["P"], words: "pause" },
  { keys: ["H"], words: "hibernate" },
  { keys: ["W"], words: "resume, wake, or restart what has ended" },
  { keys: ["#"], words: "delete, to the trash" },
  { keys: ["S"], words: "shell in its worktree" },
  { keys: ["Shift", "F"], words: "fork" },
  { keys: ["X"], words: "select, for P H W # on all that are" },
  { keys: ["Shift", "X"], words: "select up to here" },
  { keys: ["Shift", "J K"], words: "select on the way" },
  { keys: ["Esc"], words: "end the selection" },
];
export const IN_DIFF: KeyHelp[] = [{ keys: ["N", "P"], words: "next, previous change" }];
export const IN_TERMINAL: KeyHelp[] = [
  { keys: ["Ctrl", "]"], words: "leave the terminal" },
  { keys: ["Ctrl", "Shift", "L"], words: "the same, on keyboards without a key for ]" },
  { keys: ["Ctrl", "] ]"], words: "send Ctrl ] to the program" },
  { keys: ["Ctrl", "Shift", "O"], words: "type in the next pane" },
  { keys: ["Ctrl", "Shift", "F"], words: "search the output" },
  { keys: ["Ctrl", "Shift", "C"], words: "copy" },
  { keys: ["Ctrl", "Shift", "V"], words: "paste" },
];

const REPEATED = ["j", "k", "J", "K", "n", "p"];
const TWICE_MS = 700;
const CHORD_MS = 1200;

let leftAt = 0;
let chordAt = 0;

function selected(): string | null {
  const { place } = where.get();
  return place.name === "sessions" ? place.id : null;
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable) return true;
  const tag = target.tagName;
  if (tag === "TEXTAREA" || tag === "SELECT") return true;
  return tag === "INPUT" && !["radio", "checkbox", "button"].includes((target as HTMLInputElement).type);
}

/** Something that floats has the keys. */
function isOver(): boolean {
  return document.querySelector("dialog[open], [role=menu]") !== null;
}

/** Ctrl ] leaves the terminal. A second press soon after is for the program, and goes back in. */
async function leaveKey(event: KeyboardEvent): Promise<void> {
  const id = selected();
  if (!id) return;
  if (awaited.get() === id && !document.activeElement?.closest(".term")) {
    event.preventDefault();
    endAwaiting();
    focusRow(id);
    return;
  }
  const inside =
    document.activeElement instanceof Element && document.activeElement.closest(".term") !== null;
  if (!inside && (event.shiftKey || Date.now() - leftAt > TWICE_MS)) return;
  event.preventDefault();
  if (inside) {
    leftAt = Date.now();
    (document.activeElement as HTMLElement).blur();
    focusRow(id);
    document.querySelector<HTMLElement>('.tabs [aria-current="page"]')?.focus();
    return;
  }
  leftAt = 0;
  const { linkOf } = await import("./terminal/pool");
  const link = linkOf(id);
  link.press("\x1d");
  link.focus();
}

/** The session of the row that has the focus, else the one that is open. */
function current(): string | null {
  const row = document.activeElement?.closest<HTMLElement>(".sessions [data-id]");
  return row?.dataset.id ?? selected();
}

/** Keys that select, and that do something to all that are selected. */
function inPicking(key: string): boolean {
  if (where.get().place.name !== "sessions") return false;
  const id = current();
  const rows = idsOfRows(shownRows.get());
  if (id !== null && rows.includes(id)) {
    if (key === "x") {
      pick(id);
      return true;
    }
    if (key === "X") {
      pickHere(id);
      return true;
    }
  }
  if (key === "J" || key === "K") {
    const to = neighbour(shownRows.get(), id, key === "J" ? 1 : -1);
    if (to === null) return false;
    move(key === "J" ? 1 : -1);
    pickHere(to, id);
    return true;
  }
  const all = pickedOf(picked.get(), sessions.get().byId);
  if (all.length === 0) return false;
  const able = actsOfAll(all);
  const action = { p: "pause" as const, h: "hibernate" as const, w: goOnOfAll(all), "#": "trash" as const }[
    key
  ];
  if (action === undefined) return false;
  // What not all of them can take is done to none.
  if (action !== null && able.includes(action)) actOnPicked(action);
  return true;
}

function move(step: number) {
  const next = neighbour(shownRows.get(), selected(), step);
  if (!next) return;
  const { place } = where.get();
  const inList =
    document.activeElement?.closest(".sessions") !== null && document.activeElement !== document.body;
  go(sessionPath(next, place.name === "sessions" ? place.tab : "terminal"), "replace");
  if (inList) focusRow(next);
}

function nextThatNeedsYou() {
  const { byId } = sessions.get();
  const ids = shownRows.get().flatMap((row) => {
    const session = row.kind === "session" ? byId.get(row.id) : undefined;
    return session && groupOf(session) === "Needs you" ? [session.id] : [];
  });
  const next = ids[(ids.indexOf(selected() ?? "") + 1) % ids.length];
  if (next) go(sessionPath(next));
}

function inSession(key: string): boolean {
  const { place } = where.get();
  if (place.name !== "sessions") return false;
  const { id, tab } = place;
  switch (key) {
    case "j":
      move(1);
      return true;
    case "k":
      move(-1);
      return true;
  }
  if (id === null) return false;
  const session = sessions.get().byId.get(id);
  if (!session) return false;
  switch (key) {
    case "Enter":
      if (document.activeElement !== document.body && !document.activeElement?.closest("[role=row]"))
        return false;
      go(sessionPath(id));
      typeIn(id);
      return true;
    case "1":
      go(sessionPath(id));
      return true;
    case "2":
      if (session.worktree !== null) go(sessionPath(id, "diff"));
      return true;
    case "m":
      go(sessionPath(id));
      focusSoon("#message");
      return true;
    case "t":
      void import("./terminal/pool").then(({ linkOf }) => linkOf(id).connection.lease(true));
      return true;
    case "z":
      void import("./terminal/pool").then(({ linkOf }) => linkOf(id).fitToMe());
      return true;
    case "e":
      if (tab !== "terminal" || session.state !== "running") return false;
      void import("./terminal/pool").then(({ linkOf }) => patch(linkOf(id).pane, { keys: true }));
      return true;
    case "v":
      if (!isPhone()) splitWith(splittable(idsOfRows(shownRows.get())).find(hasTerminal)?.id);
      return true;
    case "V":
      closePane();
      return true;
    case "o":
      nextPane();
      return true;
    case "R":
    case "r":
      if (isOpen(session)) renaming.set(id);
      return true;
    case "#":
      removeAndGoOn(session);
      return true;
    case "p":
      if (tab !== "diff") {
        perform(session, "pause");
        return true;
      }
      dispatchEvent(new Event("qd:previous-change"));
      return true;
    case "s":
      void startShell(session);
      return true;
    case "F":
      startFork(session);
      return true;
    case "w":
      perform(session, goOnOf(session));
      return true;
    case "h":
      perform(session, "hibernate");
      return true;
    case "n":
      if (tab !== "diff") return false;
      dispatchEvent(new Event("qd:next-change"));
      return true;
    case "i":
      if (matchMedia("(max-width: 1199px)").matches) asideOver.set(true);
      else patch(prefs, { aside: true });
      return true;
  }
  return false;
}

function anywhere(key: string): boolean {
  switch (key) {
    case "c":
      dialog.set("create");
      return true;
    case "/":
      if (where.get().place.name !== "sessions") go("/");
      focusSoon("#filter");
      return true;
    case "n":
      nextThatNeedsYou();
      return true;
    case "u":
      void undoAndSelect();
      return true;
    case "[":
      patch(prefs, { list: !prefs.get().list });
      return true;
    case "]":
      toggleAside(matchMedia("(max-width: 1199px)").matches ? "narrow" : "wide");
      return true;
    case "f":
      full.set(!full.get());
      return true;
    case ",":
      go("/settings");
      return true;
    case "?":
      dialog.set("keys");
      return true;
    case "g":
      chordAt = Date.now();
      return true;
  }
  return false;
}

function chord(key: string): boolean {
  const fresh = Date.now() - chordAt < CHORD_MS;
  chordAt = 0;
  if (!fresh) return false;
  if (key === "s") go("/");
  else if (key === "t") go("/trash");
  else return false;
  return true;
}

/** The keys of a place win over those of everywhere. Letters act outside text fields only. */
export function startKeys() {
  addEventListener(
    "keydown",
    (event) => {
      if (isLeave(event)) {
        void leaveKey(event);
        return;
      }
      if (event.ctrlKey && event.shiftKey && !event.altKey && event.code === "KeyO" && !isOver()) {
        const id = nextPane();
        if (id === null) return;
        event.preventDefault();
        typeIn(id);
        return;
      }
      if (!event.defaultPrevented && !isOver() && takeKey(event)) return;
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing)
        return;
      if (isOver() || isTyping(event.target)) return;
      if (event.key === "Escape") {
        if (picked.get().on) endPicking();
        else if (asideOver.get()) asideOver.set(false);
        else if (full.get()) full.set(false);
        return;
      }
      if (!prefs.get().letterKeys && event.key !== "Enter") return;
      const key = event.key;
      // A key that is held goes through the list or the changes, and does nothing else.
      if (event.repeat && !REPEATED.includes(key)) return;
      if (chord(key) || inPicking(key) || inSession(key) || anywhere(key)) event.preventDefault();
    },
    false,
  );
}
