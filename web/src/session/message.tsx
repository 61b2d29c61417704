import { useState } from "react";
import type { SessionView } from "../api/types";
import { Icon } from "../parts/icons";
import { useLayout } from "../parts/layout";
import { useStore } from "../state/store";
import type { TerminalLink } from "../terminal/link";
import { drafts, sendDraft, sending, setDraft } from "./send";

/** A line for whole messages: sent as a paste and Enter. Dictation and spelling work here. */
export function MessageLine({
  session,
  link,
  compact,
}: {
  session: SessionView;
  link: TerminalLink;
  compact: boolean;
}) {
  const text = useStore(drafts, (all) => all[session.id] ?? "");
  const may = useStore(link.connection.state, () => link.connection.mayType);
  const busy = useStore(sending, (all) => all[session.id] !== undefined);
  const phone = useLayout() === "phone";
  const [asked, setAsked] = useState(false);
  const set = (next: string) => {
    setAsked(false);
    setDraft(session.id, next);
  };
  const send = async () => {
    if (text.trim() === "" || !may || busy) return;
    if (text.includes("\n") && !link.term.modes.bracketedPasteMode && !asked) {
      setAsked(true);
      return;
    }
    setAsked(false);
    link.claimSize();
    link.connection.forgetRefused();
    const problem = await sendDraft(session.id);
    if (problem) link.connection.refuse(`${problem.title} ${problem.hint}`);
  };
  return (
    <form
      className={compact ? "say compact" : "say"}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <div className="field">
        <textarea
          id="message"
          rows={1}
          aria-label={`Message ${session.agent}`}
          placeholder={
            asked
              ? ""
              : `Message ${session.agent}. Sent as a paste and Enter.`.slice(
                  0,
                  phone ? 8 + session.agent.length : 200,
                )
          }
          value={text}
          onChange={(event) => set(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
              event.preventDefault();
              void send();
            }
            if (event.key === "Escape") event.currentTarget.blur();
          }}
        />
      </div>
      {asked && (
        <span className="small mid" role="alert">
          The program does not tell pastes from keys: each line may run at once.
        </span>
      )}
      <button
        type="submit"
        className={phone ? "btn icon ink" : "btn"}
        disabled={!may || busy || text.trim() === ""}
        aria-label={phone ? (asked ? "Send all lines" : "Send") : undefined}
        title={may ? undefined : "The terminal takes no keys now"}
      >
        {phone ? (
          <Icon name="send" />
        ) : (
          <>
            {asked ? "Send all lines" : "Send"}
            <span className="keys" aria-hidden="true">
              <kbd>Ctrl</kbd>
              <kbd>Enter</kbd>
            </span>
          </>
        )}
      </button>
    </form>
  );
}
