/** A word as a POSIX shell needs it. */
export function quote(word: string): string {
  if (/^[A-Za-z0-9_@%+=:,./-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Cuts a command into words as a shell does, without expanding anything. Null when a quote is open. */
export function split(command: string): string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  for (let i = 0; i < command.length; i += 1) {
    const c = command[i] ?? "";
    if (c === "'" || c === '"') {
      const end = closing(command, i);
      if (end < 0) return null;
      const inner = command.slice(i + 1, end);
      word =
        (word ?? "") +
        (c === '"' ? inner.replace(/\\([\\"$`\n])/g, (_, x: string) => (x === "\n" ? "" : x)) : inner);
      i = end;
    } else if (c === "\\") {
      i += 1;
      if (i >= command.length) return null;
      if (command[i] !== "\n") word = (word ?? "") + command[i];
    } else if (/\s/.test(c)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? "") + c;
  }
  if (word !== null) words.push(word);
  return words;
}

function closing(text: string, at: number): number {
  const mark = text[at];
  for (let i = at + 1; i < text.length; i += 1) {
    if (text[i] === "\\" && mark === '"') i += 1;
    else if (text[i] === mark) return i;
  }
  return -1;
}
