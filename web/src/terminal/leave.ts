type Pressed = Pick<KeyboardEvent, "ctrlKey" | "altKey" | "shiftKey" | "key" | "code">;

/** The key of a bracket types one of these on other keyboards, and with Ctrl they set the zoom. */
const ZOOM = ["+", "=", "-", "0"];

/** Ctrl ], by what it types or by where it is. */
export function isLeave(event: Pressed): boolean {
  if (!event.ctrlKey || event.altKey) return false;
  if (event.shiftKey) return event.code === "KeyL";
  return event.key === "]" || (event.code === "BracketRight" && !ZOOM.includes(event.key));
}
