import { pieces } from "./hidden";

/** Text of others, with every hidden character drawn as its code point. */
export function Shown({ text }: { text: string }) {
  const parts = pieces(text);
  const only = parts[0];
  if (parts.length === 1 && only && "text" in only) return only.text;
  return parts.map((piece, i) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text have no other name
    if ("text" in piece) return <span key={i}>{piece.text}</span>;
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: as above
      <span key={i} className="hid" title={piece.name}>
        {piece.code}
      </span>
    );
  });
}

/** Words of ours, in which what stands between backquotes is a command or a name. */
export function Words({ text }: { text: string }) {
  return text.split("`").map((part, i) =>
    i % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text have no other name
      <code key={i} className="mono">
        <Shown text={part} />
      </code>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: as above
      <Shown key={i} text={part} />
    ),
  );
}

/** `+added −removed`; a zero is not drawn. */
export function Stat({
  additions,
  deletions,
  wide,
}: {
  additions: number;
  deletions: number;
  wide?: boolean;
}) {
  if (!wide && additions === 0 && deletions === 0) return null;
  return (
    <span className={wide ? "stat wide" : "stat"}>
      <span className="add">{additions > 0 ? `+${additions}` : ""}</span>
      <span className="del">{deletions > 0 ? `−${deletions}` : ""}</span>
    </span>
  );
}

export function Keys({ keys }: { keys: string[] }) {
  return (
    <span className="keys" aria-hidden="true">
      {keys.map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </span>
  );
}
