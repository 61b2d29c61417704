import { focusRow, shownRows } from "../list/list";
import { pickHere } from "../list/pick";
import { idsOfRows, neighbour } from "../list/rows";
import { number } from "../parts/number";
import { endPicking, pick, pickAll } from "../state/many";
import { go, sessionPath } from "../state/router";
import { action, type Context, NOT_HERE } from "./action";

const open = ({ place }: Context) => (place.name === "sessions" ? place.id : null);

/** The focus is on the row that was gone from, or on nothing that has keys of its own. */
function goesAlong(): boolean {
  const at = document.activeElement;
  return at === null || at === document.body || at.id === "main" || at.closest(".sessions") !== null;
}

function move(context: Context, step: number) {
  const next = neighbour(shownRows.get(), open(context), step);
  if (next === null) return;
  const along = goesAlong();
  go(sessionPath(next, context.tab), "replace");
  if (along) focusRow(next);
}

function moveAndPick(context: Context, step: number) {
  const to = neighbour(shownRows.get(), context.row, step);
  if (to === null) return;
  move(context, step);
  pickHere(to, context.row);
}

const hasRows = () => (idsOfRows(shownRows.get()).length > 0 ? null : "The list is empty");
const onRow = ({ row }: Context) =>
  row !== null && idsOfRows(shownRows.get()).includes(row) ? null : NOT_HERE;

export const OF_LIST = [
  action({
    id: "next",
    words: "next session",
    group: "sessions",
    key: "j",
    held: true,
    off: hasRows,
    run: (context) => move(context, 1),
  }),
  action({
    id: "previous",
    words: "previous session",
    group: "sessions",
    key: "k",
    held: true,
    off: hasRows,
    run: (context) => move(context, -1),
  }),
  action({
    id: "select",
    words: "select, for what is done to several",
    label: () => "Select",
    group: "sessions",
    key: "x",
    off: onRow,
    run: ({ row }) => row !== null && pick(row),
  }),
  action({
    id: "select-to",
    words: "select up to here",
    group: "sessions",
    key: "X",
    off: onRow,
    run: ({ row }) => row !== null && pickHere(row),
  }),
  action({
    id: "select-next",
    words: "select on the way to the next",
    group: "sessions",
    key: "J",
    held: true,
    off: hasRows,
    run: (context) => moveAndPick(context, 1),
  }),
  action({
    id: "select-previous",
    words: "select on the way to the previous",
    group: "sessions",
    key: "K",
    held: true,
    off: hasRows,
    run: (context) => moveAndPick(context, -1),
  }),
  action({
    id: "select-all",
    words: "select all that the list shows",
    group: "sessions",
    key: "*",
    off: hasRows,
    run: () => pickAll(idsOfRows(shownRows.get())),
  }),
  action({
    id: "select-none",
    words: "end the selection",
    label: ({ picked }) => `End the selection of ${number(picked.length, "session")}`,
    group: "sessions",
    key: "Escape",
    fixed: true,
    off: ({ picked }) => (picked.length > 0 ? null : NOT_HERE),
    run: endPicking,
  }),
];
