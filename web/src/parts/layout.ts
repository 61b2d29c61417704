import { createStore, useStore } from "../state/store";

export type Layout = "phone" | "narrow" | "mid" | "wide";

const QUERIES: [Layout, string][] = [
  ["phone", "(max-width: 767px)"],
  ["narrow", "(max-width: 1199px)"],
  ["mid", "(max-width: 1439px)"],
];

function read(): Layout {
  for (const [name, query] of QUERIES) if (matchMedia(query).matches) return name;
  return "wide";
}

const layout = createStore<Layout>("wide");

export function startLayout() {
  for (const [, query] of QUERIES) matchMedia(query).addEventListener("change", () => layout.set(read()));
  layout.set(read());
}

/** How much room there is; the widths are those of the style sheet. */
export function useLayout(): Layout {
  return useStore(layout);
}
