const FIRST_MS = 250;
const MOST_MS = 10_000;

/** How long to wait before the try of that number (from 1), with a spread so that viewers do not come at once. */
export function backoffMs(tries: number, random: () => number = Math.random): number {
  const full = Math.min(MOST_MS, FIRST_MS * 2 ** Math.max(0, tries - 1));
  return Math.round(full * (0.75 + random() * 0.5));
}
