import { type RefObject, useEffect, useState } from "react";

export interface Range {
  first: number;
  /** One past the last. */
  end: number;
}

/** The rows of a list with these offsets that are seen, and some more at both ends. */
export function seen(offsets: readonly number[], top: number, height: number, more = 400): Range {
  const count = offsets.length - 1;
  const first = Math.max(0, lastBefore(offsets, top - more));
  const end = Math.min(count, lastBefore(offsets, top + height + more) + 1);
  return { first, end: Math.max(first, end) };
}

/** The index of the last offset that is not above the value. */
export function lastBefore(offsets: readonly number[], value: number): number {
  let low = 0;
  let high = offsets.length - 1;
  while (low < high) {
    const mid = (low + high + 1) >> 1;
    if ((offsets[mid] ?? 0) <= value) low = mid;
    else high = mid - 1;
  }
  return low;
}

/** Where each row begins, and where the last ends. */
export function offsetsOf(heights: readonly number[]): number[] {
  const out = [0];
  let sum = 0;
  for (const height of heights) {
    sum += height;
    out.push(sum);
  }
  return out;
}

/** Follows the scroll place and the height of a box. */
export function useScroll(box: RefObject<HTMLElement | null>): { top: number; height: number } {
  const [at, setAt] = useState({ top: 0, height: 800 });
  useEffect(() => {
    const el = box.current;
    if (!el) return;
    const read = () =>
      setAt((old) =>
        old.top === el.scrollTop && old.height === el.clientHeight
          ? old
          : { top: el.scrollTop, height: el.clientHeight },
      );
    const watch = new ResizeObserver(read);
    watch.observe(el);
    el.addEventListener("scroll", read, { passive: true });
    read();
    return () => {
      watch.disconnect();
      el.removeEventListener("scroll", read);
    };
  }, [box]);
  return at;
}
