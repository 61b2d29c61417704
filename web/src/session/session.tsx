import type { SessionView } from "../api/types";
import { DiffPane } from "../diff/pane";
import { late } from "../parts/boundary";
import { useLayout } from "../parts/layout";
import { Loading } from "../parts/problem";
import { Stat } from "../parts/text";
import { refusals } from "../state/acts";
import { hasTerminal } from "../state/groups";
import { sessionPath, type Tab, where } from "../state/router";
import { useStore } from "../state/store";
import { full } from "../state/ui";
import { Head, PhoneHead } from "./head";
import { NotLive } from "./not-live";
import { Refusal } from "./rest";

const loadShip = () => import("../ship/pane").then((m) => ({ default: m.ShipPane }));
const loadPane = () => import("../terminal/pane");
const loadChips = () => import("../terminal/chips");
const Ship = late(loadShip, { wait: <Loading what="Reading what would be delivered" /> });
const Terminals = late(loadPane, { wait: <Loading what="Reading the terminal" ghosts={false} /> });
const TerminalChips = late(loadChips, { quiet: true });

/** Reads the code of the terminal before it is needed. */
export function preloadTerminal() {
  for (const load of [loadPane, loadChips]) load().catch(() => undefined);
}

/** One session: its head, its tabs, and the tab that is open. */
export function Session({ session, tab }: { session: SessionView; tab: Tab }) {
  const phone = useLayout() === "phone";
  const bare = useStore(full);
  const live = hasTerminal(session);
  const split = useStore(where, (w) => w.panes.length > 1) && !phone && tab === "terminal";
  const inPane = live && tab === "terminal";
  const refused = useStore(refusals, (all) => all[session.id]);
  return (
    <>
      {phone ? <PhoneHead session={session} /> : <Head session={session} />}
      <Tabs session={session} tab={tab} live={live} phone={phone} />
      {refused && !inPane && <Refusal session={session} problem={refused} />}
      {tab === "diff" && live && session.worktree !== null && !bare ? (
        <DiffPane key={session.id} session={session} />
      ) : tab === "ship" && live && session.worktree !== null && !bare ? (
        <Ship key={session.id} session={session} />
      ) : live || split ? (
        <Terminals session={session} />
      ) : (
        <NotLive session={session} />
      )}
    </>
  );
}

function Tabs({
  session,
  tab,
  live,
  phone,
}: {
  session: SessionView;
  tab: Tab;
  live: boolean;
  phone: boolean;
}) {
  const chips = tab === "terminal" && live && <TerminalChips session={session} />;
  return (
    <>
      <nav className="tabs" aria-label="Session">
        <a href={sessionPath(session.id)} aria-current={tab === "terminal" ? "page" : undefined}>
          Terminal
        </a>
        {live && session.worktree !== null && (
          <a href={sessionPath(session.id, "diff")} aria-current={tab === "diff" ? "page" : undefined}>
            Diff
            {session.diff_stat && (
              <Stat additions={session.diff_stat.additions} deletions={session.diff_stat.deletions} />
            )}
          </a>
        )}
        {live && session.worktree !== null && (
          <a href={sessionPath(session.id, "ship")} aria-current={tab === "ship" ? "page" : undefined}>
            Ship
          </a>
        )}
        {!phone && (
          <span className="chips num" id="chips">
            {chips}
          </span>
        )}
      </nav>
      {phone && chips && <div className="pstat num">{chips}</div>}
    </>
  );
}
