import "@xterm/xterm/css/xterm.css";
import { type ReactNode, useEffect, useRef } from "react";
import type { SessionView } from "../api/types";
import { useLayout } from "../parts/layout";
import { MessageLine } from "../session/message";
import { where } from "../state/router";
import { patch, useStore } from "../state/store";
import { full, keysUp } from "../state/ui";
import { endAwaiting, isAwaited } from "./ahead";
import { Banners } from "./banners";
import { FindBar } from "./find";
import { KeyBar, SelectionBar } from "./keybar";
import type { TerminalLink } from "./link";
import { PasteSheet } from "./paste-sheet";
import { hide, linkOf, show } from "./pool";
import { SendKeys } from "./sendkeys-sheet";
import { Split } from "./split";

/** The terminal of a session, alone or with others beside it. */
export default function Terminals({ session }: { session: SessionView }) {
  const panes = useStore(where, (w) => w.panes);
  const phone = useLayout() === "phone";
  const link = linkOf(session.id);
  if (panes.length > 1 && !phone)
    return (
      <Split session={session} panes={panes}>
        <Message session={session} link={link} />
      </Split>
    );
  return (
    <TerminalPane key={session.id} session={session}>
      <Message session={session} link={link} />
    </TerminalPane>
  );
}

function Message({ session, link }: { session: SessionView; link: TerminalLink }) {
  const bare = useStore(full);
  const keyboard = useStore(keysUp);
  const phone = useLayout() === "phone";
  if (bare || session.state !== "running") return null;
  return <MessageLine key={session.id} session={session} link={link} compact={phone && keyboard} />;
}

/** One terminal, with what stands above and below it. */
export function TerminalPane({
  session,
  name = "Terminal",
  children,
}: {
  session: SessionView;
  /** What it is called, where there are several. */
  name?: string;
  children?: ReactNode;
}) {
  const link = linkOf(session.id);
  const box = useRef<HTMLDivElement>(null);
  const phone = useLayout() === "phone";
  const selected = useStore(link.pane, (p) => p.selected);
  const runs = session.state === "running";
  useEffect(() => {
    const el = box.current;
    if (!el) return;
    show(link, el);
    const stop = giveFocus(link);
    return () => {
      stop();
      hide(link);
    };
  }, [link]);
  return (
    <section className="pane" aria-label={name}>
      <Banners link={link} session={session} />
      <FindBar link={link} />
      <Box link={link} box={box} ended={!runs} />
      {phone && selected && <SelectionBar link={link} />}
      {phone && runs && !selected && <KeyBar link={link} />}
      {children}
      <PasteSheet link={link} />
      <SendKeys link={link} />
    </section>
  );
}

/** Gives the focus to a terminal that is awaited: at once, and for good when it is attached. */
function giveFocus(link: TerminalLink): () => void {
  const give = () => {
    if (!isAwaited(link.id)) return;
    link.focus();
    if (link.connection.live) endAwaiting();
  };
  give();
  return link.connection.state.subscribe(give);
}

function Box({
  link,
  box,
  ended,
}: {
  link: TerminalLink;
  box: React.RefObject<HTMLDivElement | null>;
  ended: boolean;
}) {
  const { focused, own } = useStore(link.pane);
  const status = useStore(link.connection.state, (s) => s.status);
  const exit = useStore(link.connection.state, (s) => s.exit);
  const dim = ended || exit !== null || status === "stopped";
  const names = ["term", own ? "own" : "", focused && exit === null ? "keyed" : "", dim ? "dimmed" : ""];
  return (
    <div
      className={names.join(" ")}
      ref={box}
      data-terminal={link.id}
      data-status={status}
      onPointerDown={(event) => {
        // Beside the screen too, a press means the terminal.
        if (event.target === event.currentTarget && event.pointerType === "mouse") {
          event.preventDefault();
          link.focus();
        }
      }}
    />
  );
}

export function openFind(id: string) {
  patch(linkOf(id).pane, { find: true });
}
