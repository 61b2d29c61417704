import { isPhone } from "../parts/layout";
import { where } from "../state/router";
import { sessions } from "../state/sessions";
import { createStore } from "../state/store";

/** So many characters are kept of what is typed before there is a terminal; more are dropped. */
export const MOST = 1024;

/** The session whose terminal gets the focus as soon as it is there, unless a person moves it elsewhere. */
export const awaited = createStore<string | null>(null);

/** What was typed to a session before its terminal was attached. It is shown nowhere. */
let kept: { id: string; text: string } | null = null;

const FIELDS = "input:not([type=radio], [type=checkbox]), select, textarea:not(.term textarea)";

/** A focus that would bring an on-screen keyboard up. */
function isTouch(): boolean {
  return isPhone() || matchMedia("(pointer: coarse)").matches;
}

/** The focus is where nobody put it: a key that is typed there is for what is awaited. */
function isIdle(): boolean {
  const at = document.activeElement;
  return at === null || at === document.body || at.id === "main";
}

/** Puts the focus into the terminal of a session that has just been asked for, where keys are typed. */
export function typeInNew(id: string) {
  // Whoever writes something by now goes on writing it.
  const busy = document.querySelector("dialog[open]") ?? document.activeElement?.closest(FIELDS);
  if (!isTouch() && !busy) typeIn(id);
}

/** Puts the focus into the terminal of a session whose place is open, now or as soon as it is there. */
export function typeIn(id: string) {
  const there = document.querySelector<HTMLElement>(`[data-terminal="${CSS.escape(id)}"] textarea`);
  if (there) {
    there.focus();
    return;
  }
  // Away from the button or row that began it: its keys are not meant any more.
  document.getElementById("main")?.focus({ preventScroll: true });
  awaited.set(id);
}

/** Whether the terminal of this session is to have the focus. */
export function isAwaited(id: string): boolean {
  return awaited.get() === id && (isIdle() || document.activeElement?.closest(".term") !== null);
}

/** The focus is given, or not wanted any more. */
export function endAwaiting() {
  if (awaited.get() !== null) awaited.set(null);
}

/** Keeps what is typed until there is somebody to send it to. */
export function keepTyped(id: string, text: string) {
  const before = kept?.id === id ? kept.text : "";
  // A key is kept whole or not at all.
  kept = { id, text: before.length + text.length > MOST ? before : before + text };
}

/** What was typed, once. */
export function takeTyped(id: string): string {
  const text = kept?.id === id ? kept.text : "";
  if (text !== "") kept = null;
  return text;
}

type Pressed = Pick<
  KeyboardEvent,
  "key" | "ctrlKey" | "altKey" | "shiftKey" | "metaKey" | "getModifierState"
>;

const NAMED: Record<string, string> = { Enter: "\r", Backspace: "\x7f", Tab: "\t", Escape: "\x1b" };

/** What a key types in a terminal that has set no modes; null for keys that depend on them, or are the browser's. */
export function typedBy(event: Pressed): string | null {
  const { key } = event;
  const letter = [...key].length === 1;
  if (letter && event.getModifierState("AltGraph")) return key;
  if (event.metaKey || event.altKey) return null;
  if (event.ctrlKey)
    return !event.shiftKey && /^[a-z]$/i.test(key) ? String.fromCharCode(key.charCodeAt(0) & 0x1f) : null;
  if (letter) return key;
  return event.shiftKey ? null : (NAMED[key] ?? null);
}

/** Takes a key that is typed while a terminal is awaited. Whether it is no key of the page's. */
export function takeKey(event: KeyboardEvent): boolean {
  const id = awaited.get();
  if (id === null || !isIdle()) return false;
  const text = typedBy(event);
  if (text !== null) {
    keepTyped(id, text);
    event.preventDefault();
  }
  return text !== null || !(event.ctrlKey || event.metaKey || event.altKey);
}

/** Ends the waiting when somebody goes elsewhere, or when there will be no terminal. */
export function startAhead() {
  const forget = (id: string) => {
    if (kept?.id === id) kept = null;
    if (awaited.get() === id) endAwaiting();
  };
  document.addEventListener("focusin", () => {
    const id = awaited.get();
    if (id !== null && !isAwaited(id)) endAwaiting();
  });
  where.subscribe(() => {
    const { place } = where.get();
    const open = place.name === "sessions" && place.tab === "terminal" ? place.id : null;
    for (const id of [kept?.id, awaited.get()]) if (id && id !== open) forget(id);
  });
  sessions.subscribe(() => {
    for (const id of [kept?.id, awaited.get()]) {
      const state = id ? sessions.get().byId.get(id)?.state : undefined;
      if (id && (state === "failed" || state === "trashed")) forget(id);
    }
  });
}
