import { useState } from "react";
import { Icon } from "../parts/icons";
import { theme } from "../state/prefs";
import { patch, useStore } from "../state/store";
import type { TerminalLink } from "./link";

/** Search in what this page holds of the output. */
export function FindBar({ link }: { link: TerminalLink }) {
  const open = useStore(link.pane, (p) => p.find);
  return open ? <Bar link={link} /> : null;
}

function Bar({ link }: { link: TerminalLink }) {
  const [text, setText] = useState("");
  const [none, setNone] = useState(false);
  const look = (words: string, back: boolean, here: boolean) => {
    const dark = theme.get() === "dark";
    const options = {
      incremental: here,
      decorations: {
        matchBackground: dark ? "#5a4a1a" : "#f2dfae",
        activeMatchBackground: dark ? "#a3781f" : "#e0b455",
        matchOverviewRuler: "#f2b544",
        activeMatchColorOverviewRuler: "#f2b544",
      },
    };
    const found = back ? link.search.findPrevious(words, options) : link.search.findNext(words, options);
    setNone(words !== "" && !found);
  };
  const close = () => {
    link.search.clearDecorations();
    patch(link.pane, { find: false });
    link.focus();
  };
  return (
    <search className="findbar">
      <div className="field quiet">
        <Icon name="search" size="s" />
        <input
          aria-label="Search the output"
          placeholder="Search the output"
          value={text}
          // biome-ignore lint/a11y/noAutofocus: it was opened to be typed in
          autoFocus
          onChange={(event) => {
            setText(event.target.value);
            look(event.target.value, true, true);
          }}
          onKeyDown={(event) => {
            if (event.key === "Enter") look(text, !event.shiftKey, false);
            if (event.key === "Escape") close();
          }}
        />
      </div>
      <button
        type="button"
        className="btn bare icon"
        aria-label="Older match"
        onClick={() => look(text, true, false)}
      >
        <Icon name="up" />
      </button>
      <button
        type="button"
        className="btn bare icon"
        aria-label="Newer match"
        onClick={() => look(text, false, false)}
      >
        <Icon name="down" />
      </button>
      <span className="dim" role="status">
        {none ? "Not found" : ""}
      </span>
      <button type="button" className="btn bare icon right" aria-label="Close the search" onClick={close}>
        <Icon name="x" />
      </button>
    </search>
  );
}
