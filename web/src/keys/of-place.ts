import { action, NOT_HERE } from "./action";
import { isMac } from "./press";

/** What leaves the terminal whatever was chosen: nobody must be caught in it. */
export const ALWAYS_LEAVES = "Ctrl+Shift+l";

const inDiff = ({ place, tab }: { place: { name: string }; tab: string }) =>
  place.name === "sessions" && tab === "diff" ? null : NOT_HERE;

export const OF_DIFF = [
  action({
    id: "next-change",
    words: "next change",
    group: "diff",
    key: "n",
    held: true,
    off: inDiff,
    run: () => dispatchEvent(new Event("qd:next-change")),
  }),
  action({
    id: "previous-change",
    words: "previous change",
    group: "diff",
    key: "p",
    held: true,
    off: inDiff,
    run: () => dispatchEvent(new Event("qd:previous-change")),
  }),
];

const paste = isMac ? "Meta+v" : "Ctrl+Shift+v";

/** The terminal itself does these; only the key that leaves it is anybody's choice. */
export const OF_TERMINAL = [
  action({
    id: "leave",
    words: "leave the terminal; twice sends the key to the program",
    group: "terminal",
    key: "Ctrl+]",
  }),
  action({
    id: "leave-too",
    words: "leave, whatever is chosen",
    group: "terminal",
    key: ALWAYS_LEAVES,
    fixed: true,
  }),
  action({
    id: "type-in-next",
    words: "type in the next pane",
    group: "terminal",
    key: "Ctrl+Shift+o",
    fixed: true,
  }),
  action({ id: "find", words: "search the output", group: "terminal", key: "Ctrl+Shift+f", fixed: true }),
  action({ id: "copy", words: "copy", group: "terminal", key: "Ctrl+Shift+c", fixed: true }),
  action({ id: "paste", words: "paste", group: "terminal", key: paste, fixed: true }),
];
