import { where } from "../state/router";
import { createStore } from "../state/store";

/** How often something was used on this device, and when last, epoch ms. */
export interface Used {
  times: number;
  at: number;
}

export type Use = Readonly<Record<string, Used | undefined>>;

const KEY = "qd.use";
const MOST = 300;
/** A session that is only gone past is not used. */
const STAYED_MS = 500;

function load(): Use {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    if (typeof kept !== "object" || kept === null) return {};
    return Object.fromEntries(
      Object.entries(kept as Record<string, Partial<Used> | null>).flatMap(([id, one]) =>
        typeof one?.times === "number" && typeof one.at === "number"
          ? [[id, { times: one.times, at: one.at }]]
          : [],
      ),
    );
  } catch {
    // Broken or no storage: nothing was used yet.
    return {};
  }
}

/** What was used on this device. Kept in the browser only. */
export const use = createStore<Use>(load());

/** Notes a use of an action or a session by its id; the oldest are forgotten. */
export function noteUse(id: string, now = Date.now()) {
  // Other tabs count too.
  const old = { ...use.get(), ...load() };
  const next = Object.entries({ ...old, [id]: { times: (old[id]?.times ?? 0) + 1, at: now } })
    .sort(([, a], [, b]) => (b?.at ?? 0) - (a?.at ?? 0))
    .slice(0, MOST);
  use.set(Object.fromEntries(next));
  try {
    localStorage.setItem(KEY, JSON.stringify(use.get()));
  } catch {
    // It lasts as long as the page.
  }
}

/** Notes the sessions that are opened. */
export function startUse() {
  let open: string | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    const { place } = where.get();
    const id = place.name === "sessions" ? place.id : null;
    if (id === open) return;
    open = id;
    clearTimeout(timer);
    if (id !== null) timer = setTimeout(() => noteUse(id), STAYED_MS);
  };
  where.subscribe(look);
  look();
}
