import { useEffect, useRef } from "react";
import { Icon, type IconName } from "../parts/icons";
import { useStore } from "../state/store";
import type { TerminalLink } from "./link";

const HOLD_MS = 400;
const REPEAT_MS = 70;

const ARROWS: [string, "A" | "B" | "C" | "D", IconName][] = [
  ["Left", "D", "left"],
  ["Up", "A", "upk"],
  ["Down", "B", "downk"],
  ["Right", "C", "rightk"],
];

/** Keys that a phone's keyboard lacks. Pressing them keeps that keyboard as it is. */
export function KeyBar({ link }: { link: TerminalLink }) {
  const ctrl = useStore(link.pane, (p) => p.ctrl);
  const may = useStore(link.connection.state, () => link.connection.mayType);
  const stay = (event: React.PointerEvent | React.MouseEvent) => event.preventDefault();
  return (
    <div className="keybar" role="toolbar" aria-label="Keys" onPointerDown={stay} onMouseDown={stay}>
      <button type="button" disabled={!may} onClick={() => link.press("\x1b")}>
        Esc
      </button>
      <button type="button" disabled={!may} onClick={() => link.press("\t")}>
        Tab
      </button>
      <button
        type="button"
        disabled={!may}
        aria-pressed={ctrl !== "off"}
        aria-label={ctrl === "locked" ? "Ctrl, locked" : "Ctrl, for the next key"}
        className={ctrl}
        onClick={() => link.cycleCtrl()}
      >
        Ctrl
      </button>
      <button type="button" disabled={!may} aria-label="Ctrl C" onClick={() => link.press("\x03")}>
        ^C
      </button>
      {ARROWS.map(([name, letter, icon]) => (
        <Repeat key={name} name={name} disabled={!may} run={() => link.arrow(letter)}>
          <Icon name={icon} />
        </Repeat>
      ))}
    </div>
  );
}

function Repeat({
  name,
  disabled,
  run,
  children,
}: {
  name: string;
  disabled: boolean;
  run(): void;
  children: React.ReactNode;
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
      disabled={disabled}
      onPointerDown={() => {
        held.current = false;
        timer.current = setTimeout(again, HOLD_MS);
      }}
      onPointerUp={stop}
      onPointerLeave={stop}
      onPointerCancel={stop}
      onClick={() => {
        if (!held.current) run();
        held.current = false;
      }}
    >
      {children}
    </button>
  );
}
