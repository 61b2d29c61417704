import { createStore, useStore } from "../state/store";

export type Layout = "phone" | "narrow" | "mid" | "wide";

/** One column: narrow, or the short side of a phone. The style sheets say the same. */
const PHONE = "(max-width: 767px), (max-height: 499px) and (pointer: coarse)";

export function isPhone(): boolean {
  return matchMedia(PHONE).matches;
}

const QUERIES: [Layout, string][] = [
  ["phone", PHONE],
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
