import "@xterm/xterm/css/xterm.css";
import { useEffect, useRef } from "react";
import type { SessionView } from "../api/types";
import { useLayout } from "../parts/layout";
import { MessageLine } from "../session/message";
import { patch, useStore } from "../state/store";
import { full, keysUp } from "../state/ui";
import { endAwaiting, isAwaited } from "./ahead";
import { Banners } from "./banners";
import { FindBar } from "./find";
import { KeyBar } from "./keybar";
import type { TerminalLink } from "./link";
import { hide, linkOf, show } from "./pool";

/** The terminal of a session, with what stands above and below it. */
export default function TerminalPane({ session }: { session: SessionView }) {
  const link = linkOf(session.id);
  const box = useRef<HTMLDivElement>(null);
  const phone = useLayout() === "phone";
  const bare = useStore(full);
  const keyboard = useStore(keysUp);
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
    <section className="pane" aria-label="Terminal">
      <Banners link={link} session={session} />
      <FindBar link={link} />
      <Box link={link} box={box} ended={!runs} />
      {phone && runs && <KeyBar link={link} />}
      {!bare && runs && (
        <MessageLine key={session.id} session={session} link={link} compact={phone && keyboard} />
      )}
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
