import { live } from "../api/stream";
import type { SessionView } from "../api/types";
import { act } from "../state/acts";
import { isOpen } from "../state/groups";
import { go, sessionPath } from "../state/router";
import { focusSoon } from "../state/ui";
import { focusRow, shownRows } from "./list";
import { neighbour } from "./rows";

/** Deletes the session that is open and goes on to the next one. A focus that was somewhere is not lost. */
export function removeAndGoOn(session: SessionView) {
  if (!isOpen(session) || live.get().state === "offline") return;
  const rows = shownRows.get();
  const next = neighbour(rows, session.id, 1);
  const other = next === session.id ? neighbour(rows, session.id, -1) : next;
  const alone = other === null || other === session.id || matchMedia("(max-width: 767px)").matches;
  const focused = document.activeElement !== document.body;
  void act(session, "trash");
  go(alone ? "/" : sessionPath(other), "replace");
  if (!focused) return;
  if (alone) focusSoon("#main");
  else focusRow(other);
}
