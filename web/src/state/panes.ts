/** So many terminals stand beside each other at most. */
export const MOST_PANES = 4;

/** The panes of an address, which always has the one that is typed to among them; none when it has only that. */
export function panesOf(id: string | null, named: string | null): string[] {
  if (id === null || named === null) return [];
  const names = [...new Set(named.split(",").filter((name) => name !== ""))];
  const all = (names.includes(id) ? names : [id, ...names]).slice(0, MOST_PANES);
  if (!all.includes(id)) all[all.length - 1] = id;
  return all.length > 1 ? all : [];
}

/** The panes once a session is opened: it takes the place of the one that is typed to, or is there already. */
export function opened(panes: readonly string[], current: string | null, id: string): string[] {
  if (panes.length < 2 || panes.includes(id)) return [...panes];
  return panes.map((pane) => (pane === current ? id : pane));
}

/** The panes with one more, right of the one that is typed to; the same when there is no room. */
export function splitBy(panes: readonly string[], current: string, id: string): string[] {
  const all = panes.length === 0 ? [current] : [...panes];
  if (all.includes(id) || all.length >= MOST_PANES) return [...panes];
  all.splice(all.indexOf(current) + 1, 0, id);
  return all;
}

/** The panes without one, and which is typed to then. */
export function without(panes: readonly string[], current: string, id: string) {
  const at = panes.indexOf(id);
  const left = panes.filter((pane) => pane !== id);
  const next = id === current ? (left[Math.min(at, left.length - 1)] ?? current) : current;
  return { panes: left.length > 1 ? left : [], next };
}

/** The pane after another one, in a ring. */
export function nextOf(panes: readonly string[], current: string): string {
  return panes[(panes.indexOf(current) + 1) % Math.max(1, panes.length)] ?? current;
}
