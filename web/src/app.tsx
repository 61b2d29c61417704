import { useEffect } from "react";
import { live, outdated, tryNow } from "./api/stream";
import { access } from "./api/token";
import { CreateDialog } from "./create/dialog";
import { ForkDialog } from "./create/fork";
import { KeyOf } from "./keys/cap";
import { useKeyWord } from "./keys/force";
import { KeySheet } from "./keys/sheet";
import { SelectButton, SessionList } from "./list/list";
import { Palette } from "./palette/palette";
import { Boundary } from "./parts/boundary";
import { Icon, Mark } from "./parts/icons";
import { useLayout } from "./parts/layout";
import { Login, NoAccess } from "./places/gate";
import { SettingsPlace } from "./places/settings";
import { TrashPlace } from "./places/trash";
import { Details } from "./session/details";
import { Session } from "./session/session";
import { groupOf, isOpen } from "./state/groups";
import { forking } from "./state/more";
import { prefs } from "./state/prefs";
import { go, sessionPath, where } from "./state/router";
import { sessions } from "./state/sessions";
import { useStore } from "./state/store";
import { clock, now } from "./state/time";
import { asideOver, dialog, full, keysUp, said } from "./state/ui";

export function App() {
  const allowed = useStore(access);
  const { place } = useStore(where);
  if (place.name === "login") return <Login />;
  if (allowed !== "ok") return <NoAccess />;
  return <Shell />;
}

/** How many sessions are open, and how many of them need you. */
function useCounts(): { open: number; hot: number } {
  const byId = useStore(sessions, (s) => s.byId);
  let open = 0;
  let hot = 0;
  for (const session of byId.values()) {
    if (!isOpen(session)) continue;
    open += 1;
    if (groupOf(session) === "Needs you") hot += 1;
  }
  return { open, hot };
}

function Shell() {
  const { place } = useStore(where);
  const phone = useLayout() === "phone";
  const up = useStore(keysUp);
  const { open, hot } = useCounts();
  const title = useStore(sessions, (s) =>
    place.name === "sessions" && place.id ? s.byId.get(place.id)?.title : null,
  );
  useEffect(() => {
    const name =
      title ??
      { sessions: "Sessions", trash: "Trash", settings: "Settings", login: "", lost: "" }[place.name];
    document.title = `${hot > 0 ? `(${hot}) ` : ""}${name ? `${name} – ` : ""}Quarterdeck`;
  }, [title, place.name, hot]);
  const inSession = place.name === "sessions" && place.id !== null;
  return (
    <div className={up ? "app keys-up" : "app"}>
      <Skips />
      {!phone && <Bar open={open} />}
      <Boundary of={place}>
        <Place />
      </Boundary>
      {phone && !(up || inSession) && <PhoneBar open={open} hot={hot} />}
      <div className="sr" role="status" aria-live="polite">
        {useStore(said)}
      </div>
      <Floating />
      <Forking />
    </div>
  );
}

/** By itself, so that what floats does not draw the rest of the page anew. */
function Floating() {
  const which = useStore(dialog);
  switch (which) {
    case "create":
      return <CreateDialog />;
    case "keys":
      return <KeySheet />;
    case "palette":
      return <Palette />;
    default:
      return null;
  }
}

function Forking() {
  const id = useStore(forking);
  const session = useStore(sessions, (s) => (id === null ? undefined : s.byId.get(id)));
  return session ? <ForkDialog key={session.id} session={session} /> : null;
}

function useFirstHot(): string | null {
  return useStore(sessions, ({ byId }) => {
    for (const session of byId.values())
      if (isOpen(session) && groupOf(session) === "Needs you") return sessionPath(session.id);
    return null;
  });
}

/** The first that the Tab key comes to: past the bar and the list. */
function Skips() {
  const { place } = useStore(where);
  return (
    <nav className="skips" aria-label="Ways past the list">
      <a className="skip" href={useFirstHot() ?? "/"}>
        Next that needs you
      </a>
      <button type="button" className="skip" onClick={() => document.getElementById("main")?.focus()}>
        {place.name === "sessions" && place.id !== null ? "To the session" : "To the content"}
      </button>
    </nav>
  );
}

function Bar({ open }: { open: number }) {
  const { place } = useStore(where);
  return (
    <header className="bar">
      <a className="mark" href="/">
        <Mark />
        Quarterdeck
      </a>
      <nav className="nav" aria-label="Main">
        <a href="/" aria-current={place.name === "sessions" ? "page" : undefined}>
          Sessions {open > 0 && <span className="badge">{open}</span>}
        </a>
        {place.name === "trash" && (
          <a href="/trash" aria-current="page">
            Trash
          </a>
        )}
      </nav>
      <button type="button" className="btn bare find right" onClick={() => dialog.set("palette")}>
        <Icon name="search" size="s" />
        Find <KeyOf id="palette" />
      </button>
      <button type="button" className="btn" onClick={() => dialog.set("create")}>
        <Icon name="plus" size="s" />
        New session <KeyOf id="new" />
      </button>
      <a
        className="btn bare icon"
        href="/settings"
        aria-label="Settings"
        aria-current={place.name === "settings" ? "page" : undefined}
      >
        <Icon name="gear" />
      </a>
      <Connected />
    </header>
  );
}

function Connected() {
  const { state, since, nextAt, pingMs } = useStore(live);
  useStore(now);
  if (useStore(outdated))
    return (
      <span className="live wait" role="status">
        <i />
        There is a newer page.
        <button type="button" className="link" onClick={() => location.reload()}>
          Reload
        </button>
      </span>
    );
  if (state === "live")
    return (
      <span className="live">
        <i />
        Connected <span className="num opt ping">{pingMs !== null && `${pingMs} ms`}</span>
      </span>
    );
  if (state === "connecting")
    return (
      <span className="live wait">
        <i />
        Connecting
      </span>
    );
  const wait = nextAt === null ? 0 : Math.max(0, Math.ceil((nextAt - Date.now()) / 1000));
  return (
    <span className="live off" role="alert">
      <i />
      <strong>Offline since {since === null ? "now" : clock(since)}</strong>
      <button type="button" className="link" onClick={tryNow}>
        {wait > 1 ? "Try now" : "Trying"}
      </button>
    </span>
  );
}

function Place() {
  const { place } = useStore(where);
  switch (place.name) {
    case "sessions":
      return <SessionsPlace id={place.id} />;
    case "trash":
      return <TrashPlace />;
    case "settings":
      return <SettingsPlace />;
    default:
      return (
        <main className="page" id="main" tabIndex={-1}>
          <h1>Nothing is here</h1>
          <p className="mid" style={{ marginTop: 6 }}>
            The address <span className="mono">{location.pathname}</span> is not a place of this page.{" "}
            <a className="link" href="/">
              Go to the sessions
            </a>
          </p>
        </main>
      );
  }
}

function SessionsPlace({ id }: { id: string | null }) {
  const layout = useLayout();
  const { byId, state } = useStore(sessions);
  const tab = useStore(where, (w) => (w.place.name === "sessions" ? w.place.tab : "terminal"));
  const listOn = useStore(prefs, (p) => p.list);
  const asideOn = useStore(prefs, (p) => p.aside);
  const over = useStore(asideOver);
  const bare = useStore(full);
  const session = id === null ? undefined : byId.get(id);
  const { open } = useCounts();
  const phone = layout === "phone";

  // The first session is selected where there is room for it beside the list.
  useEffect(() => {
    if (!phone && id === null && state === "ready" && open === 1) {
      const only = [...byId.values()].find(isOpen);
      const parent = only?.parent ? byId.get(only.parent) : undefined;
      // A shell whose session is on its way to the trash goes with it.
      if (only && (!parent || isOpen(parent))) go(sessionPath(only.id), "replace");
    }
  }, [phone, id, state, open, byId]);

  if (phone) {
    if (id === null)
      return (
        <main style={{ display: "flex", flexDirection: "column", minHeight: 0 }} id="main" tabIndex={-1}>
          <header className="ptop">
            <h1>Sessions</h1>
            <span className="dim num">{open > 0 ? open : ""}</span>
            <span className="right" style={{ display: "flex", alignItems: "center" }}>
              <Connected />
              <button
                type="button"
                className="btn bare icon"
                aria-label="Find"
                onClick={() => dialog.set("palette")}
              >
                <Icon name="search" />
              </button>
              <SelectButton total={open} className="btn bare" />
            </span>
          </header>
          <SessionList selected={null} />
        </main>
      );
    return (
      <main className="cols" aria-labelledby="session-title" id="main" tabIndex={-1}>
        <div>{session ? <Session session={session} tab={tab} /> : <Gone id={id} />}</div>
        {over && session && <Details session={session} onClose={() => asideOver.set(false)} />}
      </main>
    );
  }

  const wide = layout === "wide" || layout === "mid";
  const diff = tab === "diff" && session !== undefined;
  const list = listOn && !bare && !diff;
  const aside = session !== undefined && !bare && (wide ? asideOn && !diff : over);
  const names = ["cols", list ? "" : "no-list", aside && wide ? "" : "no-aside", open === 1 ? "one" : ""];
  return (
    <div className={names.filter(Boolean).join(" ")}>
      {list && <SessionList selected={id} />}
      <main aria-labelledby={session ? "session-title" : undefined} id="main" tabIndex={-1}>
        {session ? (
          <Session session={session} tab={tab} />
        ) : id !== null ? (
          <Gone id={id} />
        ) : (
          <>
            <h1 className="sr">Sessions</h1>
            <Nothing open={open} ready={state === "ready"} />
          </>
        )}
      </main>
      {aside && <Details session={session} onClose={wide ? undefined : () => asideOver.set(false)} />}
    </div>
  );
}

function Gone({ id }: { id: string }) {
  const ready = useStore(sessions, (s) => s.state === "ready");
  if (!ready) return null;
  return (
    <div className="blank mid-page">
      <h1>No session has this id</h1>
      <p className="mid">
        <span className="mono">{id}</span> was purged, or never was.
      </p>
      <div className="acts">
        <a className="btn" href="/">
          All sessions
        </a>
      </div>
    </div>
  );
}

function Nothing({ open, ready }: { open: number; ready: boolean }) {
  if (!ready) return null;
  return (
    <div className="blank mid-page">
      {open === 0 ? (
        <p className="mid">Sessions that you start show their terminal here.</p>
      ) : (
        <>
          <h2>No session is selected</h2>
          <p className="mid">
            Choose one in the list
            <ByKey />.
          </p>
        </>
      )}
    </div>
  );
}

function ByKey() {
  const key = useKeyWord("next");
  if (key === null) return null;
  return (
    <>
      , or press <kbd>{key}</kbd>
    </>
  );
}

function PhoneBar({ open, hot }: { open: number; hot: number }) {
  const { place } = useStore(where);
  const at = (name: string) => (place.name === name ? "page" : undefined);
  return (
    <nav className="pnav" aria-label="Main">
      <a href="/" aria-current={at("sessions")}>
        <Icon name="list" />
        Sessions
        {hot > 0 && <span className="badge">{hot}</span>}
        <span className="sr">{open} open</span>
      </a>
      <button type="button" onClick={() => dialog.set("create")}>
        <Icon name="plus" />
        New
      </button>
      <a href="/trash" aria-current={at("trash")}>
        <Icon name="trash" />
        Trash
      </a>
      <a href="/settings" aria-current={at("settings")}>
        <Icon name="gear" />
        Settings
      </a>
    </nav>
  );
}
