import { type Arrangement, type By, byOf, PLAIN, type Sort, sortOf } from "./arrange";
import { opened, panesOf } from "./panes";
import { prefs } from "./prefs";
import { createStore, patch } from "./store";

export type Tab = "terminal" | "diff" | "ship";

export type Place =
  | { name: "sessions"; id: string | null; tab: Tab }
  | { name: "trash" }
  | { name: "settings" }
  | { name: "login" }
  | { name: "lost"; path: string };

export interface Where {
  place: Place;
  /** The words in the list's filter. */
  filter: string;
  /** How the address arranges the list; null leaves it to what the device keeps. */
  by: By | null;
  sort: Sort | null;
  /** The file that is open in the diff. */
  file: string | null;
  /** The sessions whose terminals stand beside each other; none when there is one. */
  panes: string[];
}

export function parse(path: string, search: string): Where {
  const query = new URLSearchParams(search);
  const place = placeOf(path);
  return {
    place,
    filter: query.get("q") ?? "",
    by: byOf(query.get("by")),
    sort: sortOf(query.get("sort")),
    file: query.get("file"),
    panes: panesOf(place.name === "sessions" ? place.id : null, query.get("panes")),
  };
}

function placeOf(path: string): Place {
  const parts = path.split("/").filter((p) => p !== "");
  const [first, id, tab] = parts;
  if (first === undefined) return { name: "sessions", id: null, tab: "terminal" };
  if (first === "s" && id !== undefined && parts.length <= 3) {
    if (tab === undefined || tab === "terminal" || tab === "diff" || tab === "ship")
      return { name: "sessions", id: decode(id), tab: tab ?? "terminal" };
  }
  if (parts.length === 1 && (first === "trash" || first === "settings" || first === "login"))
    return { name: first };
  return { name: "lost", path };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function sessionPath(id: string, tab: Tab = "terminal"): string {
  return `/s/${encodeURIComponent(id)}/${tab}`;
}

const here = () => parse(location.pathname, location.search);

export const where = createStore<Where>(typeof location === "undefined" ? parse("/", "") : here());

/**
 * Goes to a path of the page. The filter stays unless the path brings a query of its own, and so does
 * how the list is arranged; a session is opened in the pane that is typed to.
 */
export function go(path: string, how: "push" | "replace" = "push") {
  const { place, filter, by, sort, panes } = where.get();
  const [bare = path, own] = path.split("?", 2);
  const query = new URLSearchParams(own ?? "");
  if (own === undefined && filter !== "") query.set("q", filter);
  if (by && !query.has("by")) query.set("by", by);
  if (sort && !query.has("sort")) query.set("sort", sort);
  const to = placeOf(bare);
  if (to.name === "sessions" && to.id !== null && !query.has("panes")) {
    const current = place.name === "sessions" ? place.id : null;
    query.set("panes", opened(panes, current, to.id).join(","));
  }
  if (!query.get("panes")) query.delete("panes");
  const text = textOf(query);
  const url = text === "" ? bare : `${bare}?${text}`;
  if (how === "push" && url !== location.pathname + location.search) history.pushState(null, "", url);
  else history.replaceState(null, "", url);
  where.set(here());
}

/** How the list is arranged: the address says it, else what this device keeps. */
export function arrangement({ by, sort }: Pick<Where, "by" | "sort">, kept: Arrangement): Arrangement {
  return { by: by ?? kept.by, sort: sort ?? kept.sort };
}

/** Arranges the list anew. The device keeps it, and the address has what is not the usual. */
export function arrange(fields: Partial<Arrangement>) {
  const next = { ...arrangement(where.get(), prefs.get()), ...fields };
  patch(prefs, next);
  setQuery("by", next.by === PLAIN.by ? null : next.by);
  setQuery("sort", next.sort === PLAIN.sort ? null : next.sort);
}

/** Changes one field of the query, without a new entry in the history. */
export function setQuery(name: "q" | "by" | "sort" | "file", value: string | null) {
  const query = new URLSearchParams(location.search);
  if (value) query.set(name, value);
  else query.delete(name);
  const text = textOf(query);
  history.replaceState(null, "", location.pathname + (text ? `?${text}` : ""));
  where.set(here());
}

/** Commas part the panes, and need no disguise in a query. */
function textOf(query: URLSearchParams): string {
  return query.toString().replaceAll("%2C", ",");
}

/** Goes to a session with these panes beside it. */
export function goPanes(id: string, panes: readonly string[]) {
  const { filter } = where.get();
  const query = new URLSearchParams({ panes: panes.join(",") });
  if (filter !== "") query.set("q", filter);
  go(`${sessionPath(id)}?${query}`, "replace");
}

/** Follows the Back button, and links of the page that are clicked plainly. */
export function startRouter() {
  addEventListener("popstate", () => where.set(here()));
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!link || link.target || link.origin !== location.origin || link.hasAttribute("download")) return;
    event.preventDefault();
    go(link.pathname + link.search);
  });
}
