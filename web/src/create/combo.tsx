import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { listPaths } from "../api/calls";
import type { RepoInfo } from "../api/types";
import { Icon } from "../parts/icons";
import { Shown } from "../parts/text";

const WAIT_MS = 120;

/** A folder: typed, with the folders that begin so, or one that was used before. */
export function FolderField({
  id,
  value,
  recent,
  invalid,
  describedBy,
  onChange,
}: {
  id: string;
  value: string;
  recent: RepoInfo[];
  invalid: boolean;
  describedBy: string | undefined;
  onChange(next: string): void;
}) {
  const [open, setOpen] = useState(false);
  const [found, setFound] = useState<string[]>([]);
  const [at, setAt] = useState(-1);
  const list = useId();
  const box = useRef<HTMLUListElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const change = useRef(onChange);
  change.current = onChange;

  useEffect(() => {
    if (!open || !/^[/~]|^$/.test(value)) {
      setFound([]);
      return;
    }
    const stop = new AbortController();
    const timer = setTimeout(() => {
      // With nothing typed, what is in the person's home: somebody who begins here has no other.
      listPaths(value === "" ? "~/" : value, stop.signal)
        .then((reply) => {
          if (stop.signal.aborted) return;
          setFound(reply.paths);
          // The path as it is: what is made is shown with it.
          if (reply.home && /^~(\/|$)/.test(value)) change.current(`${reply.home}${value.slice(1)}`);
        })
        .catch(() => undefined);
    }, WAIT_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [value, open]);

  const words = value.toLowerCase();
  const used = recent.map((r) => r.path).filter((p) => p !== value && p.toLowerCase().includes(words));
  const options = [...used, ...found.filter((p) => p !== value && !used.includes(p))];
  const choose = (path: string) => {
    onChange(path);
    setAt(-1);
    setOpen(false);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      setOpen(true);
      const step = event.key === "ArrowDown" ? 1 : -1;
      const next = options.length === 0 ? -1 : (at + step + options.length) % options.length;
      setAt(next);
      box.current?.children[next]?.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter" && open && at >= 0 && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      const path = options[at];
      if (path) choose(path);
    } else if (
      event.key === "Tab" &&
      open &&
      found.length === 1 &&
      found[0] &&
      found[0] !== value &&
      !event.shiftKey
    ) {
      // Completing, as in a shell: the next Tab goes on.
      event.preventDefault();
      onChange(`${found[0]}/`);
    } else if (event.key === "Escape" && open) {
      event.preventDefault();
      event.stopPropagation();
      setOpen(false);
    }
  };
  const shown = open && options.length > 0;
  return (
    <div className="combo">
      <div className="field mono">
        <input
          ref={input}
          id={id}
          role="combobox"
          aria-expanded={shown}
          aria-controls={list}
          aria-activedescendant={shown && at >= 0 ? `${list}-${at}` : undefined}
          aria-autocomplete="list"
          aria-invalid={invalid}
          aria-describedby={describedBy}
          autoComplete="off"
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          placeholder="/path/of/a/repository"
          value={value}
          onChange={(event) => {
            // A line break is in no text field: that it is gone from here is nothing that was typed.
            if (event.target.value === value.replace(/[\r\n]/g, "")) return;
            onChange(event.target.value);
            setOpen(true);
            setAt(-1);
          }}
          onFocus={() => setOpen(true)}
          onBlur={() => setOpen(false)}
          onKeyDown={onKey}
        />
        <button
          type="button"
          className="inside"
          aria-label="Folders inside"
          title="Folders inside"
          tabIndex={-1}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => {
            onChange(value === "" ? "~/" : value.endsWith("/") ? value : `${value}/`);
            setAt(-1);
            setOpen(true);
            input.current?.focus();
          }}
        >
          <Icon name="down" size="s" />
        </button>
      </div>
      <ul className="options" id={list} role="listbox" aria-label="Folders" hidden={!shown} ref={box}>
        {shown &&
          options.map((path, i) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the text field has the keys
            <li
              key={path}
              id={`${list}-${i}`}
              role="option"
              aria-selected={i === at}
              tabIndex={-1}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => choose(path)}
            >
              <span className="mono cut">
                <Shown text={path} />
              </span>
              {i < used.length && <span className="dim small right">used before</span>}
            </li>
          ))}
      </ul>
    </div>
  );
}
