import { Fragment, type ReactNode, useEffect, useRef, useState } from "react";

export interface Entry {
  label: string;
  /** What it is told apart by, where labels may be the same. */
  id?: string;
  /** What it does, on a second line. */
  about?: string;
  key?: string;
  /** Why it cannot be had now. */
  off?: string;
  icon?: ReactNode;
  /** It is one of several of which one is chosen, and whether it is the one. */
  checked?: boolean;
  /** The heading above it, where a new part of the menu begins. */
  head?: string;
  run(): void;
}

function roleOf({ checked }: Entry) {
  return checked === undefined ? { role: "menuitem" } : { role: "menuitemradio", "aria-checked": checked };
}

/** A button with a list of actions below it. */
export function Menu({
  name,
  entries,
  className,
  children,
  onOpen,
}: {
  name: string;
  entries: Entry[];
  className: string;
  children: ReactNode;
  onOpen?(): void;
}) {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return;
    box.current?.querySelector<HTMLElement>("[role^=menuitem]")?.focus();
    const away = (event: PointerEvent) => {
      if (event.target instanceof Node && !box.current?.contains(event.target)) setOpen(false);
    };
    document.addEventListener("pointerdown", away);
    return () => document.removeEventListener("pointerdown", away);
  }, [open]);
  const close = () => {
    setOpen(false);
    box.current?.querySelector("button")?.focus();
  };
  const onKey = (event: React.KeyboardEvent) => {
    if (!open) return;
    const items = [...(box.current?.querySelectorAll<HTMLElement>("[role^=menuitem]") ?? [])];
    const at = items.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 + items.length, Home: 0, End: items.length - 1 }[
      event.key
    ];
    if (event.key === "Escape" || event.key === "Tab") close();
    else if (to !== undefined) items[to % items.length]?.focus();
    else return;
    event.stopPropagation();
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it listens for the keys of the menu inside it
    <div className="menu-anchor" ref={box} onKeyDown={onKey}>
      <button
        type="button"
        className={className}
        aria-label={name}
        aria-haspopup="menu"
        aria-expanded={open}
        onClick={() => {
          if (!open) onOpen?.();
          setOpen(!open);
        }}
      >
        {children}
      </button>
      {open && (
        <div className="menu" role="menu" aria-label={name}>
          {entries.map((entry) => (
            <Fragment key={entry.id ?? entry.label}>
              {entry.head && (
                <span className="part" role="presentation">
                  {entry.head}
                </span>
              )}
              <button
                type="button"
                {...roleOf(entry)}
                aria-disabled={entry.off !== undefined}
                onClick={() => {
                  if (entry.off !== undefined) return;
                  close();
                  entry.run();
                }}
              >
                {entry.icon}
                <span>
                  {entry.label}
                  {(entry.off ?? entry.about) && <span className="about">{entry.off ?? entry.about}</span>}
                </span>
                {entry.key && <kbd aria-hidden="true">{entry.key}</kbd>}
              </button>
            </Fragment>
          ))}
        </div>
      )}
    </div>
  );
}
