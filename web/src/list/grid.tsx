import { Fragment, type KeyboardEvent, useEffect, useMemo, useRef } from "react";
import type { SessionView } from "../api/types";
import { useLayout } from "../parts/layout";
import { offsetsOf, seen, useScroll } from "../parts/window";
import { picked } from "../state/many";
import { prefs } from "../state/prefs";
import { go, sessionPath } from "../state/router";
import { useStore } from "../state/store";
import { gridName, useArrangement } from "./arrange";
import { useRowFocus } from "./focus";
import { Head, More } from "./heads";
import { pickHere } from "./pick";
import { SessionRow } from "./row";
import { drawnOf, heightOf, keyOf, type Row, rowByKey, stopOf } from "./rows";
import { hideWhy, hover, showWhy } from "./why";

const VIRTUAL_ABOVE = 100;

/** The rows of the list. Of many those in sight are drawn, and those that the keys must find. */
export function Rows({
  rows,
  byId,
  selected,
}: {
  rows: Row[];
  byId: ReadonlyMap<string, SessionView>;
  selected: string | null;
}) {
  const box = useRef<HTMLDivElement>(null);
  const phone = useLayout() === "phone";
  const { top, height } = useScroll(box);
  const offsets = useMemo(() => offsetsOf(rows.map((row) => heightOf(row, phone))), [rows, phone]);
  const places = useMemo(() => new Map(rows.map((row, at) => [keyOf(row), at])), [rows]);
  const picks = useStore(picked);
  const { by } = useArrangement();
  const focus = useRowFocus(box, rows, places);
  const stop = stopOf(rows, selected, focus.key);
  const range = rows.length > VIRTUAL_ABOVE ? seen(offsets, top, height) : { first: 0, end: rows.length };
  const kept = [focus.key, selected, stop ? keyOf(stop) : null];
  const drawn = drawnOf(
    range,
    kept.flatMap((key) => (key === null ? [] : (places.get(key) ?? []))),
  );

  // The selected row is brought into sight when the selection changes, not when rows move.
  const last = useRef<string | null>(null);
  useEffect(() => {
    if (selected === null || last.current === selected) return;
    last.current = selected;
    reveal(box.current, offsets, places.get(selected));
  }, [selected, places, offsets]);

  const onKey = (event: KeyboardEvent) => {
    const key = event.target instanceof HTMLElement ? event.target.dataset.key : undefined;
    const at = key === undefined ? undefined : places.get(key);
    const from = at === undefined ? undefined : rows[at];
    if (at === undefined || !from || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "i" && from.kind === "session" && prefs.get().letterKeys) {
      event.preventDefault();
      if (!event.repeat) showWhy(from.id, "key");
      return;
    }
    const to = rowByKey(event.key, at, rows, offsets, box.current?.clientHeight ?? 0);
    const row = to === null ? undefined : rows[to];
    if (to === null || !row) return;
    event.preventDefault();
    if (to === at) return;
    focus.move(keyOf(row));
    reveal(box.current, offsets, to);
    if (row.kind !== "session") return;
    if (event.shiftKey) pickHere(row.id, from.kind === "session" ? from.id : null);
    // On a phone a session takes the place of the list: one step would be the last.
    if (!phone) go(sessionPath(row.id), "replace");
  };

  const rowAt = (row: Row, index: number) => {
    const is = { index, stop: row === stop };
    if (row.kind === "group") return <Head row={row} {...is} />;
    if (row.kind === "more") return <More row={row} {...is} />;
    const session = byId.get(row.id);
    if (!session) return null;
    return (
      <SessionRow
        session={session}
        room={row.room}
        selected={row.id === selected}
        below={row.below}
        picking={picks.on}
        picked={picks.ids.has(row.id)}
        {...is}
      />
    );
  };

  /** Between two rows that are drawn stands the room of those that are not. */
  const gap = (from: number, to: number) => {
    const room = (offsets[to] ?? 0) - (offsets[from] ?? 0);
    return room > 0 && <div style={{ height: room }} aria-hidden="true" />;
  };

  return (
    <div className="scroll" ref={box} onScroll={hideWhy}>
      <div
        role="treegrid"
        aria-label={gridName(by)}
        aria-rowcount={rows.length}
        tabIndex={-1}
        onKeyDown={onKey}
        {...focus.events}
        {...hover}
      >
        {drawn.map((at, i) => {
          const row = rows[at];
          if (!row) return null;
          return (
            <Fragment key={keyOf(row)}>
              {gap((drawn[i - 1] ?? -1) + 1, at)}
              {rowAt(row, at + 1)}
            </Fragment>
          );
        })}
        {gap((drawn.at(-1) ?? -1) + 1, rows.length)}
      </div>
    </div>
  );
}

/** Scrolls as little as brings a row into sight. Above it, the head of its group has room. */
function reveal(box: HTMLElement | null, offsets: readonly number[], at: number | undefined) {
  if (!box || at === undefined) return;
  const from = offsets[at] ?? 0;
  const to = offsets[at + 1] ?? from;
  if (from < box.scrollTop) box.scrollTop = from - 28;
  else if (to > box.scrollTop + box.clientHeight) box.scrollTop = to - box.clientHeight + 12;
}
