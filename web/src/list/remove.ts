import { live } from "../api/stream";
import type { SessionView } from "../api/types";
import { isPhone } from "../parts/layout";
import { act } from "../state/acts";
import { isOpen } from "../state/groups";
import { go, sessionPath } from "../state/router";
import { sessions } from "../state/sessions";
import { focusSoon } from "../state/ui";
import { focusRow, shownRows } from "./list";
import { goOnTo } from "./rows";

/** Deletes the session that is open and goes on to the next one. A focus that was somewhere is not lost. */
export function removeAndGoOn(session: SessionView) {
  if (!isOpen(session) || live.get().state === "offline") return;
  const other = goOnTo(shownRows.get(), session.id, new Set([session.id]), sessions.get().byId);
  const alone = other === null || isPhone();
  const focused = document.activeElement !== document.body;
  void act(session, "trash");
  go(alone ? "/" : sessionPath(other), "replace");
  if (!focused) return;
  if (alone) focusSoon("#main");
  else focusRow(other);
}
