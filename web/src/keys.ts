import { type Action, type Context, contextNow, type Group, NOT_HERE, offOf } from "./keys/action";
import { ACTIONS, type ActionId } from "./keys/actions";
import { isOn, keyOf, startForce } from "./keys/force";
import { bytesOf, isCharacter, isMac, isTaken, type Press, pressOf } from "./keys/press";
import { focusRow } from "./list/list";
import { endPicking, picked } from "./state/many";
import { where } from "./state/router";
import { nextPane } from "./state/split";
import { asideOver, full, say } from "./state/ui";
import { awaited, endAwaiting, takeKey, typeIn } from "./terminal/ahead";
import { isLeave } from "./terminal/leave";

const TWICE_MS = 700;
const CHORD_MS = 1200;

let leftAt = 0;
let begun: { press: Press; at: number } | null = null;

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

function inTerminal(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(".term") !== null;
}

/** Something that floats has the keys. */
function isOver(): boolean {
  return document.querySelector("dialog[open], [role=menu]") !== null;
}

/** The key that leaves the terminal. A second press soon after is for the program, and goes back in. */
async function leaveKey(event: KeyboardEvent): Promise<void> {
  const id = selected();
  if (!id) return;
  if (awaited.get() === id && !document.activeElement?.closest(".term")) {
    event.preventDefault();
    endAwaiting();
    focusRow(id);
    return;
  }
  const inside = inTerminal(document.activeElement);
  const bytes = bytesOf(keyOf("leave") ?? "");
  const always = event.ctrlKey && event.shiftKey;
  if (!inside && (always || bytes === null || Date.now() - leftAt > TWICE_MS)) return;
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
  if (bytes !== null) link.press(bytes);
  link.focus();
}

/** The groups whose keys hold here, the narrowest first. */
function groupsOf({ place, tab }: Context): Group[] {
  if (place.name !== "sessions") return ["everywhere"];
  return tab === "terminal" ? ["sessions", "everywhere"] : [tab, "sessions", "everywhere"];
}

/** What a key does here: the narrowest that is about what is on the page. */
function find(key: string, context: Context): Action<ActionId> | undefined {
  for (const group of groupsOf(context)) {
    const there = ACTIONS.filter((one) => one.group === group && keyOf(one.id) === key);
    const found = there.find((one) => offOf(one, context) !== NOT_HERE);
    if (found) return found;
  }
  return undefined;
}

function begins(press: Press, context: Context): boolean {
  const groups = groupsOf(context);
  return ACTIONS.some((one) => groups.includes(one.group) && keyOf(one.id)?.startsWith(`${press} `));
}

/** Does what a press stands for, alone or after the one before. Whether it was one of ours. */
function onPress(press: Press, repeat: boolean): boolean {
  const context = contextNow();
  const before = begun !== null && Date.now() - begun.at < CHORD_MS ? begun.press : null;
  begun = null;
  const one = (before !== null && find(`${before} ${press}`, context)) || find(press, context);
  if (one) {
    // A key that is held goes through the list or the changes, and does nothing else.
    if (repeat && !one.held) return true;
    const off = offOf(one, context);
    if (off === null) one.run?.(context);
    else say(off);
    return true;
  }
  if (!begins(press, context)) return false;
  begun = { press, at: Date.now() };
  return true;
}

/** The keys of a place win over those of everywhere. Characters act outside text fields only. */
export function startKeys() {
  startForce(ACTIONS);
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
      if (event.defaultPrevented || event.isComposing || isOver()) return;
      const press = pressOf(event);
      if (press === null) return;
      const typed = isTyping(event.target);
      // In a terminal all goes to the program, but for the command keys of a Mac.
      if (inTerminal(event.target) && !(isMac && event.metaKey)) return;
      if (isCharacter(press) || isTaken(press)) {
        if (typed) return;
        if (press === "Escape") {
          if (picked.get().on) endPicking();
          else if (asideOver.get()) asideOver.set(false);
          else if (full.get()) full.set(false);
          return;
        }
        if (isTaken(press) && !isIdle()) return;
        if (!isOn(press)) return;
      }
      if (onPress(press, event.repeat)) event.preventDefault();
    },
    false,
  );
}

/** Nothing has the focus that such a key is for. */
function isIdle(): boolean {
  const at = document.activeElement;
  return at === null || at === document.body || at.id === "main" || at.closest("[role=row]") !== null;
}
