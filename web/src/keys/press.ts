/** One press in one word: `c`, `F`, `[`, `Enter`, `Ctrl+]`, `Meta+k`. What is pressed one after the other has a space between. */
export type Press = string;

type Pressed = Pick<
  KeyboardEvent,
  "key" | "code" | "ctrlKey" | "altKey" | "shiftKey" | "metaKey" | "getModifierState"
>;

export const isMac = typeof navigator !== "undefined" && /Mac|iP/.test(navigator.platform);

/** The press with the key of the system's own commands: ⌘ on a Mac, else Ctrl. */
export const command = (key: string): Press => `${isMac ? "Meta" : "Ctrl"}+${key}`;

/** Keys that say nothing by themselves. */
const MODIFIERS = [
  "Control",
  "Alt",
  "AltGraph",
  "Shift",
  "Meta",
  "CapsLock",
  "Dead",
  "Process",
  "Unidentified",
];

/** The letter that is meant: with Caps Lock on, and on keyboards of other scripts, by its place. */
function letterOf({ key, code, shiftKey }: Pressed): string {
  const place = /^Key([A-Z])$/.exec(code)?.[1];
  const plain = key.charCodeAt(0) > 127 && place !== undefined ? place : key;
  if (!/^[a-z]$/i.test(plain)) return plain;
  return shiftKey ? plain.toUpperCase() : plain.toLowerCase();
}

/** The press in its word; null for a key that only changes others. */
export function pressOf(event: Pressed, mac = isMac): Press | null {
  const { key } = event;
  if (MODIFIERS.includes(key)) return null;
  const letter = [...key].length === 1;
  // AltGr, and Option on a Mac, are how some characters are typed.
  const typed = letter && (event.getModifierState("AltGraph") || (mac && event.altKey && !event.ctrlKey));
  const ctrl = event.ctrlKey && !typed;
  const alt = event.altKey && !typed;
  const name = key === " " ? "Space" : letterOf(event);
  if (!ctrl && !alt && !event.metaKey) return letter || !event.shiftKey ? name : `Shift+${name}`;
  const shift = event.shiftKey && (!letter || /^[a-z]$/i.test(name));
  const mods = [ctrl ? "Ctrl" : "", event.metaKey ? "Meta" : "", alt ? "Alt" : "", shift ? "Shift" : ""];
  return [...mods.filter(Boolean), letter ? name.toLowerCase() : name].join("+");
}

/** Whether it types a character: such keys act outside text fields only, and can be turned off as one. */
export function isCharacter(press: Press): boolean {
  return [...press].length === 1 || press === "Space";
}

/** The parts of a press; the last is the key itself, which may be a plus. */
function partsOf(press: Press): string[] {
  if (press.length === 1) return [press];
  const end = press.endsWith("+") ? press.length - 1 : press.lastIndexOf("+") + 1;
  return [...press.slice(0, end).split("+").filter(Boolean), press.slice(end)];
}

const SHOWN: Record<string, string> = {
  Escape: "Esc",
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
};

/** The caps of a key as they are drawn: `G`, `S`; `Ctrl`, `]`. */
export function capsOf(keys: string, mac = isMac): string[] {
  return keys.split(" ").flatMap((press) => {
    const parts = partsOf(press);
    const key = parts.at(-1) ?? "";
    const mods = parts.slice(0, -1).map((mod) => (mod === "Meta" && mac ? "⌘" : mod));
    if (/^[A-Z]$/.test(key)) mods.push("Shift");
    const cap = key.length === 1 ? key.toUpperCase() : (SHOWN[key] ?? key);
    return [...mods, cap];
  });
}

/** The same as one word for who reads or listens: `Shift F`. */
export function wordOfKeys(keys: string, mac = isMac): string {
  return capsOf(keys, mac).join(" ");
}

const MOVES = [
  ...["Escape", "Tab", "Space", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"],
  ...["Home", "End", "PageUp", "PageDown", "Enter", "Backspace", "Delete"],
];

/** Keys that the page and the browser need as they are; everything moves and chooses with them. */
export function isTaken(press: Press): boolean {
  return MOVES.includes(press.replace(/^Shift\+/, ""));
}

/** What a program in a terminal gets for a press; null for one that it cannot be sent as. */
export function bytesOf(press: Press): string | null {
  const parts = partsOf(press);
  const key = parts.at(-1) ?? "";
  const mods = parts.slice(0, -1);
  if (key.length !== 1 || mods.length !== 1) return null;
  if (mods[0] === "Alt") return `\x1b${key}`;
  const code = key.toUpperCase().charCodeAt(0);
  return mods[0] === "Ctrl" && code >= 0x40 && code <= 0x5f ? String.fromCharCode(code & 0x1f) : null;
}
