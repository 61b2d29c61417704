import { useEffect, useRef, useState } from "react";
import { changeSession } from "../api/calls";
import { AWAY, asProblem } from "../api/client";
import { live } from "../api/stream";
import type { Action, ProblemBody, SessionView } from "../api/types";
import { removeAndGoOn } from "../list/remove";
import { copyText } from "../parts/copy";
import { Glyph } from "../parts/glyph";
import { Icon } from "../parts/icons";
import { useLayout } from "../parts/layout";
import { type Entry, Menu } from "../parts/menu";
import { Shown } from "../parts/text";
import { actsOf, doingOf, goOnOf, isAdopted, perform, WORDS, wordOf } from "../state/acts";
import { describe, pinIt } from "../state/describe";
import { isOpen, nameOf, shownState, sinceOf } from "../state/groups";
import { losses, readLoss, stakeWords } from "../state/loss";
import { canFork, hasFiles, startFork, startShell } from "../state/more";
import { prefs } from "../state/prefs";
import { go, sessionPath } from "../state/router";
import { keep, sessions } from "../state/sessions";
import { createStore, patch, useStore } from "../state/store";
import { age, now } from "../state/time";
import { asideOver } from "../state/ui";

/** The session whose title is being changed. */
export const renaming = createStore<string | null>(null);

export function toggleAside(layout: string) {
  if (layout === "phone" || layout === "narrow") asideOver.set(!asideOver.get());
  else patch(prefs, { aside: !prefs.get().aside });
}

const ACT_KEYS: Partial<Record<Action, string>> = { pause: "P", hibernate: "H" };

function useEntries(session: SessionView): Entry[] {
  const layout = useLayout();
  const offline = useStore(live, (l) => l.state === "offline");
  // What needs the daemon says why it cannot be had.
  const off = offline ? AWAY : undefined;
  const loss = useStore(losses, (known) => known[session.id]);
  const byId = useStore(sessions, (s) => s.byId);
  const entries: Entry[] = [{ label: "Details", key: "]", run: () => toggleAside(layout) }];
  if (isOpen(session)) {
    entries.push({ label: "Rename", key: "R", off, run: () => renaming.set(session.id) });
    const pin = () => void describe(session.id, pinIt(!session.pinned));
    entries.push({ label: session.pinned ? "Unpin" : "Pin", off, run: pin });
  }
  const goOn = goOnOf(session);
  for (const action of actsOf(session)) {
    const { verb, about } = WORDS[action];
    const key = action === goOn ? "W" : ACT_KEYS[action];
    entries.push({ label: verb, about, key, off, run: () => perform(session, action) });
  }
  if (hasFiles(session)) {
    const shell = "A second terminal in its worktree; it goes to the trash with it";
    entries.push({ label: "Shell", about: shell, key: "S", off, run: () => void startShell(session) });
  }
  if (canFork(session)) {
    const fork = "A session like it, on a new branch that begins where it is, with its uncommitted files";
    entries.push({ label: "Fork", about: fork, key: "Shift F", off, run: () => startFork(session) });
  }
  if (session.state === "running" && !isAdopted(session))
    entries.push({ label: "Copy qd attach command", run: () => void copyText(`qd attach ${session.id}`) });
  entries.push({ label: "Copy the id", run: () => void copyText(session.id) });
  if (isOpen(session)) {
    const { verb } = WORDS.trash;
    const about = loss ? stakeWords(loss, byId) : WORDS.trash.about;
    entries.push({ label: verb, about, key: "#", off, run: () => removeAndGoOn(session) });
  }
  return entries;
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
