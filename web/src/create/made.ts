import { flushSync } from "react-dom";
import { go, sessionPath } from "../state/router";
import { typeInNew } from "../terminal/ahead";

/** Goes from a dialog to the session that it made, to type there. */
export function goAndType(id: string, close: () => void) {
  // At once: a dialog that closes gives the focus back to the button that opened it, and takes it from the terminal.
  flushSync(() => {
    close();
    go(sessionPath(id));
  });
  typeInNew(id);
}
