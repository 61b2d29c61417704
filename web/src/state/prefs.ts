import { type By, byOf, PLAIN, type Sort, sortOf } from "./arrange";
import { createStore } from "./store";

export interface Prefs {
  theme: "system" | "dark" | "light" | "contrast";
  renderer: "auto" | "dom";
  fontSize: number;
  contrast: boolean;
  /** The terminal's text is there for a screen reader too. */
  reader: boolean;
  letterKeys: boolean;
  /** The keys that were chosen, by the id of their action; null for none. */
  keys: Readonly<Record<string, string | null>>;
  list: boolean;
  aside: boolean;
  /** The keys of the groups of the list that are closed. */
  closed: string[];
  /** The keys of its long groups that show all. */
  full: string[];
  by: By;
  sort: Sort;
}

/** Sizes of the terminal's font, px. */
export const FONT = { least: 9, most: 24 };

const KEY = "qd.prefs";
const DEFAULTS: Prefs = {
  theme: "system",
  renderer: "auto",
  fontSize: 13,
  contrast: false,
  reader: false,
  letterKeys: true,
  keys: {},
  list: true,
  aside: true,
  closed: ["Hibernated"],
  full: [],
  ...PLAIN,
};

function load(without: Prefs): Prefs {
  try {
    const text = localStorage.getItem(KEY);
    if (text) {
      const kept = { ...DEFAULTS, ...(JSON.parse(text) as Partial<Prefs>) };
      const { by, sort } = kept;
      return { ...kept, by: byOf(by) ?? PLAIN.by, sort: sortOf(sort) ?? PLAIN.sort, keys: keysOf(kept.keys) };
    }
  } catch {
    // Broken or no storage: the defaults do.
  }
  return without;
}

/** What was kept of the keys, without what is none. */
function keysOf(kept: unknown): Prefs["keys"] {
  if (typeof kept !== "object" || kept === null) return DEFAULTS.keys;
  return Object.fromEntries(
    Object.entries(kept).filter(([, key]) => key === null || (typeof key === "string" && key !== "")),
  );
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

/** Whether its colours are those of high contrast. */
export const highContrast = createStore(false);

/** Sets `data-theme` and `data-contrast` now and on each change of the choice or the system. */
export function applyTheme() {
  const light = matchMedia("(prefers-color-scheme: light)");
  const more = matchMedia("(prefers-contrast: more)");
  const forced = matchMedia("(forced-colors: active)");
  const apply = () => {
    const choice = prefs.get().theme;
    const own = choice === "dark" || choice === "light";
    const next = own ? choice : light.matches ? "light" : "dark";
    // A choice of a theme without it is a choice against it.
    const high = choice === "contrast" || (!own && (more.matches || forced.matches));
    const { dataset } = document.documentElement;
    dataset.theme = next;
    if (high) dataset.contrast = "more";
    else delete dataset.contrast;
    highContrast.set(high);
    // The bar of an installed page, and of a phone's browser, is of the same colour.
    document.querySelector('meta[name="theme-color"]')?.setAttribute("content", BARS[next]);
    theme.set(next);
  };
  for (const query of [light, more, forced]) query.addEventListener("change", apply);
  prefs.subscribe(apply);
  apply();
}
