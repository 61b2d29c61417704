import { number } from "../parts/number";
import { createStore } from "./store";

const S = 1000;
const M = 60 * S;
const H = 60 * M;
const D = 24 * H;

/** An age with one unit, such as `38s 4m 2h 3d`. */
export function age(ms: number): string {
  if (!Number.isFinite(ms)) return "";
  const n = Math.max(0, ms);
  if (n < M) return `${Math.floor(n / S)}s`;
  if (n < H) return `${Math.floor(n / M)}m`;
  if (n < D) return `${Math.floor(n / H)}h`;
  return `${Math.floor(n / D)}d`;
}

/** The same in full words, for people who listen. */
export function spokenAge(ms: number): string {
  const short = age(ms);
  const n = Number.parseInt(short, 10);
  const unit = { s: "second", m: "minute", h: "hour", d: "day" }[short.slice(-1)] ?? "";
  return number(n, unit);
}

/** An age with two units, such as `2m 14s`. */
export function longAge(ms: number): string {
  const n = Math.max(0, ms);
  if (n < M) return `${Math.floor(n / S)}s`;
  if (n < H) return `${Math.floor(n / M)}m ${Math.floor((n % M) / S)}s`;
  if (n < D) return `${Math.floor(n / H)}h ${Math.floor((n % H) / M)}m`;
  return `${Math.floor(n / D)}d ${Math.floor((n % D) / H)}h`;
}

/** The clock time, with the day when it was not today. */
export function clock(at: number | string, now = daemonNow()): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return "";
  const time = `${String(date.getHours()).padStart(2, "0")}:${String(date.getMinutes()).padStart(2, "0")}`;
  if (date.toDateString() === new Date(now).toDateString()) return time;
  const day = `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, "0")}-${String(date.getDate()).padStart(2, "0")}`;
  return `${day} ${time}`;
}

/** A `Date` header has whole seconds, cut off. */
const HEADER_MS = S;

/** Between these the daemon's clock is ahead of this browser's, ms: each answer narrows it. */
let least = Number.NEGATIVE_INFINITY;
let most = Number.POSITIVE_INFINITY;
let ahead = 0;

/**
 * Learns from the `Date` header of an answer how far the daemon's clock is ahead of this one.
 * `asked` and `answered`: when, by this clock, epoch ms.
 */
export function learnClock(header: string | null, asked: number, answered: number) {
  const date = header === null ? Number.NaN : Date.parse(header);
  // This clock was set back on the way: nothing is learned.
  if (Number.isNaN(date) || answered < asked) return;
  const low = date - answered;
  const high = date + HEADER_MS - asked;
  const agree = low <= most && high >= least;
  // One of the clocks was set since.
  least = agree ? Math.max(least, low) : low;
  most = agree ? Math.min(most, high) : high;
  ahead = least <= 0 && most >= 0 ? 0 : (least + most) / 2;
}

/** The time by the daemon's clock, epoch ms: all times that it tells are by that one. */
export function daemonNow(): number {
  return Date.now() + ahead;
}

/** The time now by the daemon's clock, once a second while the page is seen. Ages are drawn from it. */
export const now = createStore(daemonNow());

/** Ages stand still while the daemon cannot be reached: nobody knows them. */
export function startClock(frozen: () => boolean) {
  const tick = () => {
    if (!document.hidden && !frozen()) now.set(daemonNow());
  };
  setInterval(tick, 1000);
  document.addEventListener("visibilitychange", tick);
}
