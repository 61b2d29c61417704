import { pressOf } from "../keys/press";
import { prefs } from "../state/prefs";

type Pressed = Pick<
  KeyboardEvent,
  "ctrlKey" | "altKey" | "shiftKey" | "metaKey" | "key" | "code" | "getModifierState"
>;

/** The key of a bracket types one of these on other keyboards, and with Ctrl they set the zoom. */
const ZOOM = ["+", "=", "-", "0"];

/** The key that leaves a terminal: the one that was chosen, else Ctrl ] by what it types or by where it is. */
export function isLeave(event: Pressed): boolean {
  if (event.ctrlKey && event.shiftKey && !event.altKey) {
    // Whatever is chosen: nobody must be caught in a terminal.
    if (event.code === "KeyL") return true;
  }
  const own = prefs.get().keys.leave;
  if (own) return pressOf(event) === own;
  if (!event.ctrlKey || event.altKey || event.shiftKey) return false;
  return event.key === "]" || (event.code === "BracketRight" && !ZOOM.includes(event.key));
}
