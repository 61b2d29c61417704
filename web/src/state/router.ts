import { createStore } from "./store";

export type Tab = "terminal" | "diff";

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
  /** The file that is open in the diff. */
  file: string | null;
}

export function parse(path: string, search: string): Where {
  const query = new URLSearchParams(search);
  return { place: placeOf(path), filter: query.get("q") ?? "", file: query.get("file") };
}

function placeOf(path: string): Place {
  const parts = path.split("/").filter((p) => p !== "");
  const [first, id, tab] = parts;
  if (first === undefined) return { name: "sessions", id: null, tab: "terminal" };
  if (first === "s" && id !== undefined && parts.length <= 3) {
    if (tab === undefined || tab === "terminal" || tab === "diff")
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

/** Goes to a path of the page. The filter stays unless the path brings a query of its own. */
export function go(path: string, how: "push" | "replace" = "push") {
  const filter = where.get().filter;
  const url = path.includes("?") || filter === "" ? path : `${path}?q=${encodeURIComponent(filter)}`;
  if (how === "push" && url !== location.pathname + location.search) history.pushState(null, "", url);
  else history.replaceState(null, "", url);
  where.set(here());
}

/** Changes one field of the query, without a new entry in the history. */
export function setQuery(name: "q" | "file", value: string | null) {
  const query = new URLSearchParams(location.search);
  if (value) query.set(name, value);
  else query.delete(name);
  const text = query.toString();
  history.replaceState(null, "", location.pathname + (text ? `?${text}` : ""));
  where.set(here());
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
