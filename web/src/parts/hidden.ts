/** A piece of text: shown as it is, or a character that would not be seen. */
export type Piece = { text: string } | { code: string; name: string };

const NAMES: Record<number, string> = {
  173: "soft hyphen",
  1564: "Arabic letter mark",
  4447: "Hangul filler",
  4448: "Hangul filler",
  6158: "Mongolian vowel separator",
  8203: "zero-width space",
  8204: "zero-width non-joiner",
  8205: "zero-width joiner",
  8206: "left-to-right mark",
  8207: "right-to-left mark",
  8232: "line separator",
  8233: "paragraph separator",
  8234: "left-to-right embedding",
  8235: "right-to-left embedding",
  8236: "end of direction",
  8237: "left-to-right override",
  8238: "right-to-left override",
  8288: "word joiner",
  8294: "left-to-right isolate",
  8295: "right-to-left isolate",
  8296: "first strong isolate",
  8297: "end of isolate",
  12644: "Hangul filler",
  65279: "byte order mark",
  65440: "Hangul filler",
};

// Controls but the tab, format characters, fillers, variation selectors and tag characters.
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is what it is for
  /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\ufe00-\ufe0f\uffa0\ufff0-\ufffb]|[\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

/** Joiners, and one selector each, inside a drawn emoji or a keycap are part of it. */
const EMOJI =
  /\p{Extended_Pictographic}[\ufe0e\ufe0f]?\p{Emoji_Modifier}?(?:\u200d\p{Extended_Pictographic}[\ufe0e\ufe0f]?\p{Emoji_Modifier}?)*|[0-9#*]\ufe0f\u20e3/gu;

/** Cuts a text at each character that would not be seen. */
export function pieces(text: string): Piece[] {
  const spared: [number, number][] = [];
  for (const match of text.matchAll(EMOJI)) spared.push([match.index, match.index + match[0].length]);
  const out: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(HIDDEN)) {
    const at = match.index;
    if (spared.some(([a, b]) => at >= a && at < b)) continue;
    if (at > from) out.push({ text: text.slice(from, at) });
    const point = match[0].codePointAt(0) ?? 0;
    out.push({
      code: `U+${point.toString(16).toUpperCase().padStart(4, "0")}`,
      name:
        NAMES[point] ??
        (point < 0x20 || (point >= 0x7f && point < 0xa0) ? "control character" : "hidden character"),
    });
    from = at + match[0].length;
  }
  if (from < text.length) out.push({ text: text.slice(from) });
  return out;
}

/** The text as it is seen. */
export function plain(text: string): string {
  return pieces(text)
    .map((piece) => ("text" in piece ? piece.text : ""))
    .join("");
}

/** How many characters of the text would not be seen. */
export function hiddenCount(text: string): number {
  let n = 0;
  for (const piece of pieces(text)) if ("code" in piece) n += 1;
  return n;
}
