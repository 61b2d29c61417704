import type { SessionView } from "../api/types";
import { useKeys } from "../keys/force";
import { capsOf, wordOfKeys } from "../keys/press";
import { Icon } from "../parts/icons";
import { useLayout } from "../parts/layout";
import { number } from "../parts/number";
import { Keys, Shown } from "../parts/text";
import { useStore } from "../state/store";
import { consents } from "./consents";
import type { TerminalLink } from "./link";
import { SplitMenu, TerminalMenu } from "./menu";
import { linkOf } from "./pool";

const SLOW_MS = 150;

/** Who types, in words. `focused`: the terminal of this page has the keys. */
export function leaseWords(lease: string | null, focused: boolean): string {
  if (lease !== null && lease !== "you") return `${lease} types`;
  if (focused) return "You type";
  return lease === "you" ? "You have the keys" : "Nobody types";
}

/** Who set the size; it is that of the one who types. */
export function sizeBy(by: string): string {
  if (by === "you") return ", set by you";
  if (by === "viewer") return ", set by another viewer";
  if (by === "native") return ", set by a terminal";
  return "";
}

/** Who types, how large, how quick, and what can be done about it. */
export default function TerminalChips({ session }: { session: SessionView }) {
  const link = linkOf(session.id);
  const phone = useLayout() === "phone";
  return (
    <>
      <Chips session={session} link={link} phone={phone} />
      <span className="chip-menus">
        <SplitMenu session={session} />
        <TerminalMenu link={link} phone={phone} />
      </span>
    </>
  );
}

function Chips({ session, link, phone }: { session: SessionView; link: TerminalLink; phone: boolean }) {
  const state = useStore(link.connection.state);
  const { focused, own } = useStore(link.pane);
  const consent = useStore(consents, (all) => all[session.id] ?? "ask");
  const leave = useKeys().leave ?? "Ctrl+]";
  // Nobody types to a program that has ended, and its size is what it was.
  if (session.state !== "running" || state.status !== "live" || state.exit) return null;
  const mine = state.lease === null || state.lease === "you";
  return (
    <>
      {mine ? (
        <span className="chip">
          <Icon name="keyb" size="s" />
          {leaseWords(state.lease, focused)}
          {focused && !phone && (
            <>
              <Keys keys={capsOf(leave)} />
              <span>leaves</span>
              <span className="sr">Press {wordOfKeys(leave)} to leave the terminal.</span>
            </>
          )}
        </span>
      ) : (
        <button type="button" className="chip" onClick={() => link.connection.lease(true)}>
          <Icon name="lock" size="s" />
          <Shown text={state.lease ?? ""} /> types. Take over
        </button>
      )}
      {state.lease === "you" && (
        <button type="button" className="chip opt" onClick={() => link.connection.lease(false)}>
          Release
        </button>
      )}
      {consent !== "ask" && (
        <button
          type="button"
          className="chip opt"
          title="Ask again"
          onClick={() => consents.set((old) => ({ ...old, [session.id]: "ask" }))}
        >
          <Icon name="copy" size="s" />
          {consent === "allow" ? "May set the clipboard" : "May not set the clipboard"}
        </button>
      )}
      {state.size && (
        <button
          type="button"
          className={phone || !own ? "chip" : "chip opt"}
          disabled={own}
          title={`${number(state.size.cols, "column")}, ${number(state.size.rows, "row")}${sizeBy(state.size.by)}`}
          onClick={() => link.fitToMe()}
        >
          <Icon name="size" size="s" />
          {state.size.cols}×{state.size.rows}
          {phone && sizeBy(state.size.by)}
          {!own && <span className="link">Fit to me</span>}
        </button>
      )}
      {state.latencyMs !== null && (
        <span
          className={`chip ${phone ? "" : "opt"} ${state.latencyMs > SLOW_MS ? "slow" : ""}`}
          title="From key to echo"
        >
          <Icon name="pulse" size="s" />
          {state.latencyMs} ms{state.latencyMs > SLOW_MS && ", slow"}
        </span>
      )}
    </>
  );
}
