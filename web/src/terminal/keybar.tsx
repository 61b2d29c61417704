import { type ReactNode, useEffect, useRef, useState } from "react";
import { Icon, type IconName } from "../parts/icons";
import { patch, useStore } from "../state/store";
import type { TerminalLink } from "./link";

const HOLD_MS = 400;
const REPEAT_MS = 70;

const ARROWS: [string, "A" | "B" | "C" | "D", IconName][] = [
  ["Left", "D", "left"],
  ["Up", "A", "upk"],
  ["Down", "B", "downk"],
  ["Right", "C", "rightk"],
];
const SIGNS: [string, string][] = [
  ["Slash", "/"],
  ["Bar", "|"],
  ["Tilde", "~"],
  ["Minus", "-"],
];
const MOVES: [string, string, string][] = [
  ["Home", "Home", "\x1b[H"],
  ["End", "End", "\x1b[F"],
  ["Page up", "PgUp", "\x1b[5~"],
  ["Page down", "PgDn", "\x1b[6~"],
];

/** Keys that a phone's keyboard lacks: two rows of them, of which one is seen. Pressing them keeps that keyboard as it is. */
export function KeyBar({ link }: { link: TerminalLink }) {
  const may = useStore(link.connection.state, () => link.connection.mayType);
  const rows = useRef<HTMLDivElement>(null);
  const [second, setSecond] = useState(false);
  const stay = (event: React.PointerEvent | React.MouseEvent) => event.preventDefault();
  const turn = () => {
    const box = rows.current;
    box?.scrollTo({ left: second ? 0 : box.scrollWidth, behavior: "instant" });
  };
  const off = !may;
  return (
    <div className="keybar" role="toolbar" aria-label="Keys" onMouseDown={stay}>
      <div
        className="rows"
        ref={rows}
        onScroll={({ currentTarget: box }) => setSecond(box.scrollLeft > box.clientWidth / 2)}
      >
        <div inert={second}>
          <Key name="Esc" off={off} run={() => link.press("\x1b")} />
          <Key name="Tab" off={off} run={() => link.press("\t")} />
          <LatchKey link={link} which="ctrl" off={off} />
          <Key name="Ctrl C" off={off} run={() => link.press("\x03")}>
            ^C
          </Key>
          {ARROWS.map(([name, letter, icon]) => (
            <Key key={name} name={name} off={off} repeats run={() => link.arrow(letter)}>
              <Icon name={icon} />
            </Key>
          ))}
        </div>
        <div inert={!second}>
          <LatchKey link={link} which="alt" off={off} />
          {SIGNS.map(([name, sign]) => (
            <Key key={name} name={name} off={off} run={() => link.press(sign)}>
              {sign}
            </Key>
          ))}
          {MOVES.map(([name, words, bytes]) => (
            <Key
              key={name}
              name={name}
              off={off}
              repeats={name.startsWith("Page")}
              run={() => link.press(bytes)}
            >
              <span className="words">{words}</span>
            </Key>
          ))}
        </div>
      </div>
      <button type="button" className="turn" aria-label={second ? "First keys" : "More keys"} onClick={turn}>
        <Icon name={second ? "back" : "fwd"} size="s" />
      </button>
    </div>
  );
}

/** What can be done with what was selected by a touch that stayed; it stands where the keys were. */
export function SelectionBar({ link }: { link: TerminalLink }) {
  return (
    <div className="keybar picks" role="toolbar" aria-label="Selection">
      <button
        type="button"
        onClick={() => {
          link.copySelection();
          link.term.clearSelection();
        }}
      >
        <Icon name="copy" size="s" /> Copy
      </button>
      <button type="button" onClick={() => link.term.clearSelection()}>
        <Icon name="x" size="s" /> Clear
      </button>
      <button type="button" onClick={() => patch(link.pane, { find: true })}>
        <Icon name="search" size="s" /> Search
      </button>
    </div>
  );
}

const LATCHES = { ctrl: "Ctrl", alt: "Alt" } as const;

/** A tap holds it for the next key, a second one until it is tapped again. */
function LatchKey({ link, which, off }: { link: TerminalLink; which: "ctrl" | "alt"; off: boolean }) {
  const latch = useStore(link.pane, (p) => p[which]);
  const name = LATCHES[which];
  return (
    <button
      type="button"
      disabled={off}
      aria-pressed={latch !== "off"}
      aria-label={latch === "locked" ? `${name}, locked` : `${name}, for the next key`}
      className={latch}
      onPointerDown={(event) => event.preventDefault()}
      onClick={() => link.tapLatch(which)}
    >
      {name}
    </button>
  );
}

function Key({
  name,
  off,
  repeats,
  run,
  children,
}: {
  name: string;
  off: boolean;
  /** It repeats while it is held. */
  repeats?: boolean;
  run(): void;
  children?: ReactNode;
}) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const held = useRef(false);
  const stop = () => clearTimeout(timer.current);
  useEffect(() => () => clearTimeout(timer.current), []);
  const again = () => {
    held.current = true;
    run();
    timer.current = setTimeout(again, REPEAT_MS);
  };
  return (
    <button
      type="button"
      aria-label={name}
      disabled={off}
      onPointerDown={(event) => {
        event.preventDefault();
        held.current = false;
        if (repeats) timer.current = setTimeout(again, HOLD_MS);
      }}
      onPointerUp={stop}
      onPointerLeave={stop}
      onPointerCancel={stop}
      onContextMenu={(event) => event.preventDefault()}
      onClick={() => {
        if (!held.current) run();
        held.current = false;
      }}
    >
      {children ?? name}
    </button>
  );
}
