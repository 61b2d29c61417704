import type { IDisposable, IParser } from "@xterm/xterm";

/**
 * Queries that a terminal would answer. The daemon answers them, once; an answer of each viewer
 * would reach the program as keys. A handler that returns true ends the search for another.
 */
const CSI = [
  { final: "c" },
  { prefix: ">", final: "c" },
  { prefix: "=", final: "c" },
  { final: "n" },
  { prefix: "?", final: "n" },
  { prefix: ">", final: "q" },
  { intermediates: "$", final: "p" },
  { prefix: "?", intermediates: "$", final: "p" },
  { prefix: "?", final: "u" },
  { final: "t" },
  { prefix: ">", final: "t" },
  { final: "x" },
  { intermediates: "$", final: "u" },
  { intermediates: "&", final: "u" },
  { intermediates: "$", final: "w" },
  { intermediates: "*", final: "y" },
] as const;

const DCS = [
  { intermediates: "$", final: "q" },
  { intermediates: "+", final: "q" },
] as const;

/** Colours: setting one is drawn, asking for one is not answered. */
const OSC_COLOUR = [4, 5, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19] as const;

const asks = (data: string) => data.split(";").includes("?");

/** Takes every answer out of a terminal. */
export function silence(parser: IParser): IDisposable[] {
  return [
    ...CSI.map((id) => parser.registerCsiHandler(id, () => true)),
    ...DCS.map((id) => parser.registerDcsHandler(id, () => true)),
    ...OSC_COLOUR.map((code) => parser.registerOscHandler(code, asks)),
    parser.registerEscHandler({ final: "Z" }, () => true),
  ];
}

/** What a terminal says when its focus changes, when the program asked for that. */
export function isFocusReport(data: string): boolean {
  return data === "\x1b[I" || data === "\x1b[O";
}

/** Reports of the mouse, which are not typing. */
export function isMouseReport(data: string): boolean {
  return data.startsWith("\x1b[<") || data.startsWith("\x1b[M");
}

/** The text that a program wants in the clipboard (OSC 52), or null: reading it is never allowed. */
export function clipboardText(data: string): string | null {
  const semi = data.indexOf(";");
  if (semi < 0) return null;
  const payload = data.slice(semi + 1);
  if (payload === "" || payload === "?") return null;
  try {
    const bytes = Uint8Array.from(atob(payload), (c) => c.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Only what a browser may open without harm. */
export function safeLink(text: string): string | null {
  try {
    const url = new URL(text);
    return url.protocol === "http:" || url.protocol === "https:" ? url.href : null;
  } catch {
    return null;
  }
}
