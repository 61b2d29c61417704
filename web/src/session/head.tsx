import { useEffect, useRef, useState } from "react";
import { changeSession } from "../api/calls";
import { AWAY, asProblem } from "../api/client";
import { live } from "../api/stream";
import type { ProblemBody, SessionView } from "../api/types";
import { contextOf, labelOf, offOf } from "../keys/action";
import { type ActionId, actionOf } from "../keys/actions";
import { isOn, useKeys } from "../keys/force";
import { wordOfKeys } from "../keys/press";
import { Glyph } from "../parts/glyph";
import { Icon } from "../parts/icons";
import { type Entry, Menu } from "../parts/menu";
import { Shown } from "../parts/text";
import { actsOf, doingOf, perform, WORDS, wordOf } from "../state/acts";
import { nameOf, shownState, sinceOf } from "../state/groups";
import { losses, readLoss, stakeWords } from "../state/loss";
import { hasFiles, startFork } from "../state/more";
import { go, sessionPath } from "../state/router";
import { keep, sessions } from "../state/sessions";
import { useStore } from "../state/store";
import { age, now } from "../state/time";
import { renaming } from "../state/ui";

/** What the menu has, in its order; an action that is not about the session is left out. */
const IN_MENU: readonly ActionId[] = [
  ...(["aside", "rename", "pin", "go-on", "pause", "hibernate", "restart"] as const),
  ...(["shell", "fork", "copy-attach", "copy-id", "delete"] as const),
];
const LABELS: Partial<Record<ActionId, string>> = { aside: "Details" };

function useEntries(session: SessionView): Entry[] {
  useStore(live, (l) => l.state === "offline");
  const loss = useStore(losses, (known) => known[session.id]);
  const byId = useStore(sessions, (s) => s.byId);
  const keys = useKeys();
  const context = contextOf(session);
  const entries = IN_MENU.flatMap((id): Entry[] => {
    const one = actionOf(id);
    const off = offOf(one, context);
    // What needs the daemon says why it cannot be had; what does not fit its state is left out.
    if (off !== null && off !== AWAY) return [];
    const key = keys[id];
    const about = id === "delete" && loss ? stakeWords(loss, byId) : one.about?.(context);
    const run = () => one.run?.(contextOf(session));
    const label = LABELS[id] ?? labelOf(one, context);
    return [
      { label, about, key: key && isOn(key) ? wordOfKeys(key) : undefined, off: off ?? undefined, run },
    ];
  });
  return entries.filter(({ label }, at) => entries.findIndex((one) => one.label === label) === at);
}

/** The session that a shell belongs to, else the repository. */
function OfOrIn({ session }: { session: SessionView }) {
  const { parent, agent, repo } = session;
  const title = useStore(sessions, (s) => (parent === null ? null : (s.byId.get(parent)?.title ?? null)));
  if (parent === null || title === null) return <Shown text={`${agent} in ${nameOf(repo)}`} />;
  return (
    <>
      <Shown text={agent} /> of{" "}
      <a className="link" href={sessionPath(parent)}>
        <Shown text={title} />
      </a>
    </>
  );
}

function More({ session, tap }: { session: SessionView; tap?: boolean }) {
  return (
    <Menu
      name="More actions"
      className={tap ? "ptap" : "btn bare icon"}
      entries={useEntries(session)}
      onOpen={() => void readLoss(session.id)}
    >
      <Icon name="more" />
    </Menu>
  );
}

export function Head({ session }: { session: SessionView }) {
  const editing = useStore(renaming) === session.id;
  const offline = useStore(live, (l) => l.state === "offline");
  const reason = offline ? AWAY : undefined;
  const doing = doingOf(session);
  return (
    <div className="head">
      <Glyph state={shownState(session)} />
      {editing ? (
        <Rename session={session} />
      ) : (
        <>
          <h1 className="cut" id="session-title" title={session.title}>
            <Shown text={session.title} />
          </h1>
          <span className="dim cut what">
            <OfOrIn session={session} />
          </span>
          {doing !== null && <span className="tag">{doing}</span>}
        </>
      )}
      {!editing && actsOf(session).includes("pause") && (
        <button
          type="button"
          className="btn bare opt"
          disabled={offline}
          title={reason ?? WORDS.pause.about}
          onClick={() => perform(session, "pause")}
        >
          {WORDS.pause.verb}
        </button>
      )}
      {!editing && hasFiles(session) && (
        <button
          type="button"
          className="btn bare opt"
          disabled={offline}
          title={reason}
          onClick={() => startFork(session)}
        >
          Fork
        </button>
      )}
      <More session={session} />
    </div>
  );
}

export function PhoneHead({ session }: { session: SessionView }) {
  const editing = useStore(renaming) === session.id;
  const time = useStore(now);
  return (
    <header className="ptop session">
      <button type="button" className="ptap" aria-label="Back to sessions" onClick={() => go("/")}>
        <Icon name="back" />
      </button>
      {editing ? (
        <Rename session={session} />
      ) : (
        <div className="who">
          <h1 className="cut" id="session-title">
            <Shown text={session.title} />
          </h1>
          <p className="cut">
            <Glyph state={shownState(session)} />
            {wordOf(session)} {doingOf(session) === null && age(time - Date.parse(sinceOf(session)))}
            <span className="dim cut">
              <OfOrIn session={session} />
            </span>
          </p>
        </div>
      )}
      <More session={session} tap />
    </header>
  );
}

function Rename({ session }: { session: SessionView }) {
  const [text, setText] = useState(session.title);
  const [problem, setProblem] = useState<ProblemBody | null>(null);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.select(), []);
  const save = async () => {
    const title = text.trim();
    if (title === "" || title === session.title) return renaming.set(null);
    try {
      keep(await changeSession(session.id, { title }));
      renaming.set(null);
    } catch (error) {
      setProblem(asProblem(error));
    }
  };
  return (
    <form
      className="rename"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <div className="field">
        <input
          ref={input}
          aria-label="Title"
          maxLength={200}
          value={text}
          aria-invalid={problem !== null}
          // biome-ignore lint/a11y/noAutofocus: it was opened to be typed in
          autoFocus
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Escape") renaming.set(null);
          }}
          onBlur={() => void save()}
        />
        {problem && (
          <span className="small" style={{ color: "var(--error)" }} role="alert">
            <Shown text={problem.title} />
          </span>
        )}
      </div>
    </form>
  );
}
