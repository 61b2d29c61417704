export interface SentKey {
  /** As it stands on the button. */
  name: string;
  bytes: string;
}

const key = (name: string, bytes: string): SentKey => ({ name, bytes });
const ctrl = (letter: string) => key(`Ctrl ${letter}`, String.fromCharCode(letter.charCodeAt(0) & 0x1f));

/** F1 to F12, as xterm sends them. */
const F = ["OP", "OQ", "OR", "OS", "[15~", "[17~", "[18~", "[19~", "[20~", "[21~", "[23~", "[24~"];
const ARROWS: [string, string][] = [
  ["←", "D"],
  ["↓", "B"],
  ["↑", "A"],
  ["→", "C"],
];

/** Keys that browsers or desktops take before a page sees them. */
export const SENT_KEYS: { name: string; keys: SentKey[] }[] = [
  {
    name: "Taken by the browser",
    keys: [
      ...["W", "T", "N", "L", "R", "K", "Q"].map(ctrl),
      key("Ctrl Tab", "\x1b[27;5;9~"),
      key("Ctrl Shift Tab", "\x1b[27;6;9~"),
      key("Ctrl ]", "\x1d"),
      key("Ctrl Space", "\0"),
      key("Alt Enter", "\x1b\r"),
    ],
  },
  { name: "Function keys", keys: F.map((rest, i) => key(`F${i + 1}`, `\x1b${rest}`)) },
  {
    name: "Arrows",
    keys: [
      ...ARROWS.map(([arrow, letter]) => key(`Alt ${arrow}`, `\x1b[1;3${letter}`)),
      ...ARROWS.map(([arrow, letter]) => key(`Ctrl ${arrow}`, `\x1b[1;5${letter}`)),
      ...ARROWS.map(([arrow, letter]) => key(`Shift ${arrow}`, `\x1b[1;2${letter}`)),
    ],
  },
];
