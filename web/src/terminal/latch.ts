import type { Latch } from "./pane-state";

export interface Latches {
  ctrl: Latch;
  alt: Latch;
}

const NEXT: Record<Latch, Latch> = { off: "once", once: "locked", locked: "off" };

/** A tap: for one key; a second one locks; a third lets go. */
export function tapped(latch: Latch): Latch {
  return NEXT[latch];
}

/** What is left of the latches after a key. */
export function spent({ ctrl, alt }: Latches): Latches {
  return { ctrl: ctrl === "once" ? "off" : ctrl, alt: alt === "once" ? "off" : alt };
}

/** What a key types with the latches that hold; null when they change nothing about it. */
export function latched(data: string, { ctrl, alt }: Latches): string | null {
  if (ctrl === "off" && alt === "off") return null;
  if ([...data].length === 1) {
    const key = ctrl === "off" ? data : controlOf(data);
    return alt === "off" ? key : `\x1b${key}`;
  }
  // 1 for a key alone, 2 more for Alt, 4 more for Ctrl, as xterm counts.
  const held = 1 + (alt === "off" ? 0 : 2) + (ctrl === "off" ? 0 : 4);
  const letter = data.length === 3 && /[A-DFH]/.test(data[2] ?? "") ? data[2] : null;
  if (letter && (data.startsWith("\x1b[") || data.startsWith("\x1bO"))) return `\x1b[1;${held}${letter}`;
  const number = data.startsWith("\x1b[") && data.endsWith("~") ? data.slice(2, -1) : "";
  return /^\d+$/.test(number) ? `\x1b[${number};${held}~` : null;
}

function controlOf(letter: string): string {
  const code = letter.toUpperCase().charCodeAt(0);
  if (code >= 0x40 && code <= 0x5f) return String.fromCharCode(code & 0x1f);
  return { " ": "\0", "/": "\x1f", "-": "\x1f", "~": "\x1e", "|": "\x1c", "?": "\x7f" }[letter] ?? letter;
}
