import { live } from "../api/stream";
import type { Action } from "../api/types";
import { isPhone } from "../parts/layout";
import { actOnAll, endPicking, picked, pickedOf, pickTo } from "../state/many";
import { go, sessionPath, where } from "../state/router";
import { sessions } from "../state/sessions";
import { focusSoon } from "../state/ui";
import { shownRows } from "./list";
import { goOnTo, idsOfRows } from "./rows";

/** The session that is open. */
function open(): string | null {
  const { place } = where.get();
  return place.name === "sessions" ? place.id : null;
}

/** Selects all up to this one, from where the range began or the session that is open. */
export function pickHere(id: string, from: string | null = open()) {
  pickTo(idsOfRows(shownRows.get()), id, from);
}

/** Does something to all that are selected, and ends the selection. */
export function actOnPicked(action: Action) {
  const all = pickedOf(picked.get(), sessions.get().byId);
  if (all.length === 0 || live.get().state === "offline") return;
  const gone = new Set(all.map(({ id }) => id));
  const focused = document.activeElement !== document.body;
  endPicking();
  void actOnAll(all, action);
  const id = open();
  if (action === "trash" && id !== null && gone.has(id)) {
    const next = goOnTo(shownRows.get(), id, gone, sessions.get().byId);
    const alone = next === null || isPhone();
    go(alone ? "/" : sessionPath(next), "replace");
  }
  if (focused) focusSoon('.sessions [data-row][tabindex="0"], #main');
}
