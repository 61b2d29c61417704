import type { ReactNode } from "react";
import type { SessionView } from "../api/types";
import { Glyph } from "../parts/glyph";
import { Icon } from "../parts/icons";
import { number } from "../parts/number";
import { Shown } from "../parts/text";
import { NotLive } from "../session/not-live";
import { wordOf } from "../state/acts";
import { hasTerminal, shownState } from "../state/groups";
import { go, sessionPath } from "../state/router";
import { sessions } from "../state/sessions";
import { closePane } from "../state/split";
import { useStore } from "../state/store";
import { leaseWords, sizeBy } from "./chips";
import { TerminalPane } from "./pane";
import { linkOf } from "./pool";

/** Up to four terminals beside each other. One of them is typed to: that of the session of the address. */
export function Split({
  session,
  panes,
  children,
}: {
  session: SessionView;
  panes: string[];
  children: ReactNode;
}) {
  return (
    <>
      <div className="split">
        <div className="panes" data-count={panes.length}>
          {panes.map((id) => (
            <Pane key={id} id={id} current={id === session.id} />
          ))}
        </div>
      </div>
      {children}
    </>
  );
}

function Pane({ id, current }: { id: string; current: boolean }) {
  const session = useStore(sessions, (s) => s.byId.get(id));
  const ready = useStore(sessions, (s) => s.state === "ready");
  // What is pressed or has the focus is what is typed to.
  const choose = () => {
    if (!current) go(sessionPath(id), "replace");
  };
  return (
    <section
      className={current ? "split-pane here" : "split-pane"}
      aria-label={session ? `Pane: ${session.title}` : "Pane"}
      aria-current={current || undefined}
      data-pane={id}
      onFocusCapture={(event) => {
        // Its buttons are pressed without a detour.
        if (event.target instanceof Element && event.target.closest(".term")) choose();
      }}
      onPointerDownCapture={(event) => {
        if (event.target instanceof Element && !event.target.closest("button")) choose();
      }}
    >
      {session ? <PaneHead session={session} /> : <EmptyHead id={id} />}
      {session && hasTerminal(session) ? (
        <TerminalPane session={session} name={`Terminal: ${session.title}`} />
      ) : session ? (
        <NotLive session={session} />
      ) : (
        ready && (
          <div className="blank mid-page">
            <p className="mid">No session has this id: it was purged, or never was.</p>
          </div>
        )
      )}
    </section>
  );
}

function PaneHead({ session }: { session: SessionView }) {
  const link = linkOf(session.id);
  const state = useStore(link.connection.state);
  const { focused, own } = useStore(link.pane);
  const live = state.status === "live" && state.exit === null;
  return (
    <header className="pane-head">
      <Glyph state={shownState(session)} />
      <span className="sr">{wordOf(session)}</span>
      <h2 className="cut" title={session.title}>
        <Shown text={session.title} />
      </h2>
      <span className="pane-chips num">
        {live && (
          <span className="cut">
            <Shown text={leaseWords(state.lease, focused)} />
          </span>
        )}
        {live && state.size && (
          <button
            type="button"
            className="chip"
            disabled={own}
            title={`${number(state.size.cols, "column")}, ${number(state.size.rows, "row")}${sizeBy(state.size.by)}`}
            onClick={() => link.fitToMe()}
          >
            {state.size.cols}×{state.size.rows}
            {!own && <span className="link">Fit to me</span>}
          </button>
        )}
      </span>
      <Close id={session.id} title={session.title} />
    </header>
  );
}

function EmptyHead({ id }: { id: string }) {
  return (
    <header className="pane-head">
      <span className="mono cut">{id}</span>
      <Close id={id} title="this pane" />
    </header>
  );
}

function Close({ id, title }: { id: string; title: string }) {
  return (
    <button
      type="button"
      className="btn bare icon low right"
      aria-label={`Close the pane of ${title}`}
      title="Close this pane; its session goes on"
      onClick={() => closePane(id)}
    >
      <Icon name="x" size="s" />
    </button>
  );
}
