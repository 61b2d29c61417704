import { prefs } from "./prefs";
import { createStore, patch } from "./store";

export type Dialog = "create" | "keys" | "palette" | null;

/** The dialog that floats, if any. */
export const dialog = createStore<Dialog>(null);

/** Only the terminal is on the page. */
export const full = createStore(false);

/** The aside lies over the main column, where it has no column of its own. */
export const asideOver = createStore(false);

/** Shows or hides the details, in their column or over the main one. */
export function toggleAside() {
  if (isNarrow()) asideOver.set(!asideOver.get());
  else patch(prefs, { aside: !prefs.get().aside });
}

export function showAside() {
  if (isNarrow()) asideOver.set(true);
  else patch(prefs, { aside: true });
}

/** Where the details have no column of their own. */
function isNarrow(): boolean {
  return matchMedia("(max-width: 1199px)").matches;
}

/** The session whose title is being changed. */
export const renaming = createStore<string | null>(null);

/** The on-screen keyboard is up. */
export const keysUp = createStore(false);

/** The words for people who listen; at most one message in 5 s. */
export const said = createStore("");

const EVERY_MS = 5000;
const CLEAR_MS = 4000;
let last = 0;
let next: string | null = null;

export function say(words: string) {
  next = words;
  const wait = last + EVERY_MS - Date.now();
  if (wait > 0) {
    if (next !== null) setTimeout(flush, wait);
    return;
  }
  flush();
}

function flush() {
  if (next === null || Date.now() < last + EVERY_MS) return;
  last = Date.now();
  said.set(next);
  next = null;
  // The same words said again are a change only if they were gone.
  setTimeout(() => said.set(""), CLEAR_MS);
}

/** What is said when a session begins to need somebody. */
export function needsYou(title: string, all: number): string {
  return all === 1 ? `“${title}” needs you` : `“${title}” needs you, ${all} in all`;
}

/** Puts the focus somewhere once what is wanted has been drawn. */
export function focusSoon(selector: string) {
  const before = document.activeElement;
  requestAnimationFrame(() => {
    // Whoever types elsewhere by now goes on there.
    const now = document.activeElement;
    if (now !== before && (now instanceof HTMLInputElement || now instanceof HTMLTextAreaElement)) return;
    document.querySelector<HTMLElement>(selector)?.focus();
  });
}
