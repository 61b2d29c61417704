import { type FocusEvent, type RefObject, useLayoutEffect, useRef, useState } from "react";
import { heir, keyOf, type Row } from "./rows";

/** The focus among the rows of the list, which outlives that they are drawn only in sight, and that they go. */
export interface RowFocus {
  /** The row that has the focus, if one has. */
  key: string | null;
  /** Puts it on another row, which is drawn for that. */
  move(key: string): void;
  events: { onFocus(event: FocusEvent): void; onBlur(event: FocusEvent): void };
}

/** `places` tells where each row is among the rows, by its key. */
export function useRowFocus(
  box: RefObject<HTMLElement | null>,
  rows: readonly Row[],
  places: ReadonlyMap<string, number>,
): RowFocus {
  const [key, setKey] = useState<string | null>(null);
  const wanted = useRef<string | null>(null);
  const place = useRef(0);
  const move = (to: string) => {
    wanted.current = to;
    setKey(to);
  };
  useLayoutEffect(() => {
    const row = wanted.current === null ? null : rowElement(box.current, wanted.current);
    if (row) {
      wanted.current = null;
      row.focus({ preventScroll: true });
    }
    if (key === null) return;
    const at = places.get(key);
    if (at !== undefined) {
      place.current = at;
      return;
    }
    // Its row has gone, and a browser tells nobody of a focus that goes with it.
    const next = heir(rows, place.current);
    if (next && isNowhere()) return move(keyOf(next));
    wanted.current = null;
    setKey(null);
  });
  return {
    key,
    move,
    events: {
      onFocus(event) {
        const to = event.target.closest<HTMLElement>("[data-row]")?.dataset.key;
        if (to !== undefined) setKey(to);
      },
      onBlur(event) {
        // Another window has it for now.
        if (document.activeElement === event.target) return;
        if (!event.currentTarget.contains(event.relatedTarget)) setKey(null);
      },
    },
  };
}

function rowElement(box: HTMLElement | null, key: string): HTMLElement | undefined {
  return [...(box?.querySelectorAll<HTMLElement>("[data-row]") ?? [])].find((el) => el.dataset.key === key);
}

function isNowhere(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}
