import { type By, byOf, PLAIN, type Sort, sortOf } from "./arrange";
import { createStore } from "./store";

export interface Prefs {
  theme: "system" | "dark" | "light";
  renderer: "auto" | "dom";
  fontSize: number;
  contrast: boolean;
  /** The terminal's text is there for a screen reader too. */
  reader: boolean;
  letterKeys: boolean;
  list: boolean;
  aside: boolean;
  /** The keys of the groups of the list that are closed. */
  closed: string[];
  by: By;
  sort: Sort;
}

const KEY = "qd.prefs";
const DEFAULTS: Prefs = {
  theme: "system",
  renderer: "auto",
  fontSize: 13,
  contrast: false,
  reader: false,
  letterKeys: true,
  list: true,
  aside: true,
  closed: ["Hibernated"],
  ...PLAIN,
};

function load(without: Prefs): Prefs {
  try {
    const text = localStorage.getItem(KEY);
    if (text) {
      const kept = { ...DEFAULTS, ...(JSON.parse(text) as Partial<Prefs>) };
      return { ...kept, by: byOf(kept.by) ?? PLAIN.by, sort: sortOf(kept.sort) ?? PLAIN.sort };
    }
  } catch {
    // Broken or no storage: the defaults do.
  }
  return without;
}

/** What this device prefers. Kept in the browser only. */
export const prefs = createStore<Prefs>(load(DEFAULTS));

let last = prefs.get();

prefs.subscribe(() => {
  const next = prefs.get();
  const before = last;
  last = next;
  const names = (Object.keys(next) as (keyof Prefs)[]).filter((name) => !Object.is(next[name], before[name]));
  // Only what was changed here: another tab may have changed the rest since.
  const kept = { ...load(next), ...Object.fromEntries(names.map((name) => [name, next[name]])) };
  const text = JSON.stringify(kept);
  try {
    if (localStorage.getItem(KEY) !== text) localStorage.setItem(KEY, text);
  } catch {
    // It lasts as long as the page.
  }
});

/** Takes over what another tab of this browser chooses. */
export function followPrefs() {
  addEventListener("storage", (event) => {
    // Without a key all was cleared.
    if (event.key !== null && event.key !== KEY) return;
    const theirs = load(DEFAULTS);
    // Known before it is told, so that it is not written back as a choice of this tab.
    last = theirs;
    prefs.set(theirs);
  });
}

export type Theme = "dark" | "light";

/** `--bg-1` of each theme. */
const BARS: Record<Theme, string> = { dark: "#0f1317", light: "#f5f7f8" };

/** The theme in force. */
export const theme = createStore<Theme>("dark");

/** Sets `data-theme` now and on each change of the choice or the system. */
export function applyTheme() {
  const query = matchMedia("(prefers-color-scheme: light)");
  const apply = () => {
    const choice = prefs.get().theme;
    const next = choice === "system" ? (query.matches ? "light" : "dark") : choice;
    document.documentElement.dataset.theme = next;
    // The bar of an installed page, and of a phone's browser, is of the same colour.
    document.querySelector('meta[name="theme-color"]')?.setAttribute("content", BARS[next]);
    theme.set(next);
  };
  query.addEventListener("change", apply);
  prefs.subscribe(apply);
  apply();
}
