import { AWAY } from "../api/client";
import type { SessionView } from "../api/types";
import { KeyOf } from "../keys/cap";
import { Copy } from "../parts/copy";
import { number } from "../parts/number";
import { Shown, Words } from "../parts/text";
import { Banner } from "../session/banner";
import { Refusal, RestBanner } from "../session/rest";
import { refusals } from "../state/acts";
import { useStore } from "../state/store";
import { clock } from "../state/time";
import type { TerminalLink } from "./link";

/** What stands between the tabs and the screen: one at a time, the worst first. */
export function Banners({ link, session }: { link: TerminalLink; session: SessionView }) {
  const state = useStore(link.connection.state);
  const pane = useStore(link.pane);
  const refused = useStore(refusals, (all) => all[session.id]);
  const { connection } = link;

  if (state.status === "stopped" && state.stopped)
    return (
      <Banner
        tone={state.stopped.takeBack ? "plain" : "bad"}
        icon={state.stopped.takeBack ? "keyb" : "warn"}
        acts={
          <button type="button" className="btn" onClick={() => connection.start()}>
            {state.stopped.takeBack ? "Take over" : "Try again"}
          </button>
        }
      >
        <span className="strong">{state.stopped.title}</span> <Words text={state.stopped.hint} />
      </Banner>
    );
  const lost = state.status === "waiting" || (state.status === "connecting" && state.tries > 0);
  if (lost && state.tries > 4)
    return (
      <Banner
        tone="bad"
        icon="warn"
        loud
        acts={
          <>
            <Copy text="qd doctor" label="Copy qd doctor" />
            <button type="button" className="btn" onClick={() => connection.tryNow()}>
              Try now
            </button>
          </>
        }
      >
        <span className="strong">{AWAY}.</span> Agents go on in tmux.
        {state.lastByteAt !== null && ` Shown as of ${clock(state.lastByteAt)}.`} Try {state.tries}.
      </Banner>
    );
  if (lost)
    return (
      <Banner
        icon="pulse"
        loud
        acts={
          <button type="button" className="btn" onClick={() => connection.tryNow()}>
            Try now
          </button>
        }
      >
        <span className="strong">Reconnecting, try {state.tries}.</span>
        {/* No age: what changes in an alert is read out each time. */}
        {state.lastByteAt !== null && ` Shown as of ${clock(state.lastByteAt)}.`} Typing is off; your draft is
        kept.
      </Banner>
    );
  if (pane.link !== null)
    return (
      <Banner
        icon="eye"
        acts={
          <>
            <button type="button" className="btn" onClick={() => link.answerLink(false)}>
              Cancel
            </button>
            <button type="button" className="btn" onClick={() => link.answerLink(true)}>
              Open
            </button>
          </>
        }
      >
        <span className="strong">The link leads to</span>{" "}
        <span className="mono">
          <Shown text={pane.link} />
        </span>
      </Banner>
    );
  if (pane.clipboard !== null)
    return (
      <Banner
        icon="copy"
        acts={
          <>
            <button type="button" className="btn" onClick={() => link.answerClipboard(false)}>
              Deny
            </button>
            <button type="button" className="btn" onClick={() => link.answerClipboard(true)}>
              Allow
            </button>
          </>
        }
      >
        <span className="strong">The program wants to set your clipboard</span> to{" "}
        {number(pane.clipboard.length, "character")}:{" "}
        <span className="mono">
          <Shown text={pane.clipboard.slice(0, 60)} />
          {pane.clipboard.length > 60 && "…"}
        </span>
        . The answer holds for this session.
      </Banner>
    );
  if (refused) return <Refusal session={session} problem={refused} />;
  if (session.state !== "running" || session.pending !== null || state.exit)
    return <RestBanner session={session} exit={state.exit} />;
  if (state.lease !== null && state.lease !== "you")
    return (
      <Banner
        tone="plain"
        icon="keyb"
        acts={
          <button type="button" className="btn" onClick={() => connection.lease(true)}>
            Take over <KeyOf id="take-over" />
          </button>
        }
      >
        <span className="strong">
          <Shown text={state.lease} /> types now.
        </span>{" "}
        You read.
      </Banner>
    );
  if (state.refused)
    return (
      <Banner
        icon="warn"
        acts={
          <button type="button" className="btn" onClick={() => connection.forgetRefused()}>
            Close
          </button>
        }
      >
        <span className="strong">Not sent.</span> <Shown text={state.refused.message} />
      </Banner>
    );
  if (state.skipped)
    return (
      <Banner
        icon="eye"
        acts={
          <button type="button" className="btn" onClick={() => connection.forgetSkipped()}>
            Close
          </button>
        }
      >
        <span className="strong">Some output was skipped.</span> This page was slow, the program was not. What
        is on the screen is right.
      </Banner>
    );
  return null;
}
