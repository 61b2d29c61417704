import { Fragment } from "react";
import type { SessionView } from "../api/types";
import { quote } from "../create/shell";
import { Copy } from "../parts/copy";
import { Icon } from "../parts/icons";
import { number } from "../parts/number";
import { Shown, Words } from "../parts/text";
import { isOpen } from "../state/groups";
import { sessionPath } from "../state/router";
import { sessions } from "../state/sessions";
import { useStore } from "../state/store";
import { clock } from "../state/time";
import { Reasons, StateLine } from "./why";
import { OwnWords } from "./words";

/** The aside: why the session is in its state, and what it is made of. */
export function Details({ session, onClose }: { session: SessionView; onClose?: () => void }) {
  return (
    <aside aria-label="Details" id="details">
      <div className="scroll">
        <section className="sect" style={{ paddingTop: 11 }}>
          <header>
            <StateLine session={session} />
            {onClose && (
              <button
                type="button"
                className="btn bare icon right"
                aria-label="Close the details"
                onClick={onClose}
              >
                <Icon name="x" />
              </button>
            )}
          </header>
          <Reasons session={session} />
        </section>
        {session.problem && session.state !== "failed" && (
          <section className="sect">
            <header>
              <h3>Problem</h3>
            </header>
            <p className="small">
              <Shown text={session.problem.title} />
            </p>
            <p className="small mid">
              <Words text={session.problem.hint} />
            </p>
          </section>
        )}
        <OwnWords key={session.id} session={session} />
        <section className="sect">
          <header>
            <h3>Branch</h3>
          </header>
          <dl className="kv">
            {session.branch !== null && (
              <Row name="Branch" mono text={session.branch} copy="Copy the branch" />
            )}
            {session.base !== null && (
              <>
                <dt>Base</dt>
                <dd>
                  <span className="mono">
                    <Shown text={session.base} />
                  </span>{" "}
                  {session.base_commit && <span className="dim mono">{session.base_commit.slice(0, 7)}</span>}
                </dd>
              </>
            )}
            {session.diff_stat && (
              <>
                <dt>Changed</dt>
                <dd className="num">{number(session.diff_stat.files, "file")}</dd>
              </>
            )}
            <Row name="Repository" path text={session.repo} />
            {session.worktree !== null && session.worktree !== session.repo && (
              <Row name="Worktree" path text={session.worktree} copy="Copy the path of the worktree" />
            )}
            <Kin session={session} />
            <Row name="Works in" text={KINDS[session.kind] ?? session.kind} />
          </dl>
        </section>
        <section className="sect">
          <header>
            <h3>Program</h3>
          </header>
          <dl className="kv">
            <Row name="Agent" text={session.agent} />
            <Row name="Command" mono text={session.command.map(quote).join(" ")} copy="Copy the command" />
            {session.adopted && (
              <>
                <Row name="Pane" mono text={`${session.adopted.name} (${session.adopted.pane})`} />
                <Row name="tmux" mono text={session.adopted.socket} copy="Copy the socket of its tmux" />
              </>
            )}
            {session.terminal_title && <Row name="Its title" text={session.terminal_title} />}
            {session.exit && <Row name="Exit" text={exitOf(session)} />}
            {session.pane && <Row name="Size" text={`${session.pane.cols}×${session.pane.rows}`} />}
            <Row name="Created" text={clock(session.created_at)} />
            {session.wake_at && <Row name="Wakes" text={clock(session.wake_at)} />}
            <Row name="Id" mono text={session.id} copy="Copy the id" />
          </dl>
        </section>
        {session.messages.length > 0 && (
          <section className="sect" style={{ border: 0 }}>
            {session.messages.map((words) => (
              <p className="small mid" key={words} style={{ marginTop: 6 }}>
                <Shown text={words} />
              </p>
            ))}
          </section>
        )}
      </div>
    </aside>
  );
}

/** The session that a shell belongs to, and the shells that belong to a session. */
function Kin({ session }: { session: SessionView }) {
  const byId = useStore(sessions, (s) => s.byId);
  const parent = session.parent === null ? undefined : byId.get(session.parent);
  const shells = [...byId.values()].filter((one) => one.parent === session.id && isOpen(one));
  const kin: [string, SessionView[]][] = [
    ["Belongs to", parent ? [parent] : []],
    ["Shells", shells],
  ];
  return kin.map(
    ([name, all]) =>
      all.length > 0 && (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>
            {all.map((one) => (
              <a key={one.id} className="link" style={{ display: "block" }} href={sessionPath(one.id)}>
                <Shown text={one.title} />
              </a>
            ))}
          </dd>
        </Fragment>
      ),
  );
}

const KINDS: Record<string, string> = {
  worktree: "its own worktree",
  "existing-worktree": "a worktree that was there",
  "in-place": "the folder itself",
  adopted: "a tmux pane of your own, where it is",
};

function exitOf(session: SessionView): string {
  if (!session.exit) return "";
  if (session.exit.code !== null) return `code ${session.exit.code}`;
  return session.exit.signal !== null ? `signal ${session.exit.signal}` : "not known";
}

/** A path goes on in the next line after a slash, not within a name. */
function Path({ text }: { text: string }) {
  return text.split(/(?<=\/)/).map((part, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one path have no other name
    <Fragment key={i}>
      <Shown text={part} />
      <wbr />
    </Fragment>
  ));
}

function Row({
  name,
  text,
  mono,
  path,
  copy,
}: {
  name: string;
  text: string;
  mono?: boolean;
  path?: boolean;
  copy?: string;
}) {
  return (
    <>
      <dt>{name}</dt>
      <dd className={copy ? "flex" : ""}>
        <span className={mono || path ? "mono" : ""}>
          {path ? <Path text={text} /> : <Shown text={text} />}
        </span>
        {copy && <Copy icon text={text} label={copy} />}
      </dd>
    </>
  );
}
