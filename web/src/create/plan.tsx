import type { ReactNode } from "react";
import type { AgentInfo, Branches } from "../api/types";
import { Icon } from "../parts/icons";
import { Shown } from "../parts/text";
import { type Draft, draft, type Own, takesPrompt } from "./draft";
import { focusField, HiddenIn } from "./said";
import {
  beginOf,
  FIRST,
  MOST_AT_ONCE,
  ownOf,
  type Planned,
  withAnother,
  withOwn,
  withoutOwn,
} from "./several";

/** What will be made, before it is: one line for one session, fields for each of several. */
export function Plan({
  d,
  plan,
  branches,
  agents,
  set,
  said,
  bad,
}: {
  d: Draft;
  plan: Planned[];
  branches: Branches | null;
  agents: AgentInfo[] | null;
  set(fields: Partial<Draft>): void;
  said(field: string): ReactNode;
  bad(field: string): boolean;
}) {
  const [only] = plan;
  const own = ownOf(d);
  return (
    <div className="plan">
      {plan.length === 1 && only && (
        <div className="planned">
          <Names one={only} d={d} branches={branches} />
        </div>
      )}
      {plan.length > 1 &&
        plan.map((one, i) => {
          const mine = own[i];
          if (!mine) return null;
          return (
            <fieldset className="planned" key={one.key} aria-label={`Session ${i + 1}`}>
              <Fields
                one={one}
                mine={mine}
                nth={i + 1}
                agents={agents}
                bad={bad}
                set={(fields) => set(withOwn(d, one.key, fields))}
                onRemove={() => {
                  set(withoutOwn(d, one.key));
                  focusField("another");
                }}
              />
              {said(`command-${one.key}`)}
              {said(`title-${one.key}`)}
              {said(`branch-${one.key}`)}
              <Where one={one} d={d} branches={branches} />
            </fieldset>
          );
        })}
      {plan.length > 1 && (d.workIn === "in-place" || d.workIn === "worktree") && (
        <p className="hint">All of them work in one folder, on the same files.</p>
      )}
      <button
        type="button"
        id="f-another"
        className="tag open"
        disabled={own.length >= MOST_AT_ONCE}
        onClick={() => {
          const more = withAnother(draft.get(), agents);
          set(more);
          const last = more.also?.at(-1);
          if (last) focusField(`agent-${last.key}`);
        }}
      >
        <Icon name="plus" size="xs" />
        {own.length >= MOST_AT_ONCE ? `${MOST_AT_ONCE} at once is the most` : "Another with the same task"}
      </button>
    </div>
  );
}

/** What one session is called, and on what and where it works. */
function Names({ one, d, branches }: { one: Planned; d: Draft; branches: Branches | null }) {
  return (
    <dl className="names">
      <dt>Title</dt>
      <dd>{one.title === "" ? "–" : <Shown text={one.title} />}</dd>
      {one.branch !== null && (
        <>
          <dt>Branch</dt>
          <dd>
            <span className="mono">
              <Shown text={one.branch || "–"} />
            </span>{" "}
            {one.branch !== "" && branches && <Shown text={beginOf(d, branches, one.branch)} />}
          </dd>
        </>
      )}
      <dt>Folder</dt>
      <dd>
        <Folder one={one} />
      </dd>
    </dl>
  );
}

function Folder({ one }: { one: Planned }) {
  if (!one.folder) return "–";
  return (
    <span className="mono folder">
      <Shown text={one.folder} />
      {one.unnamed && <em title="The session's id, once it has one">ID</em>}
    </span>
  );
}

/** The same of one of several, whose title and branch stand in fields. */
function Where({ one, d, branches }: { one: Planned; d: Draft; branches: Branches | null }) {
  const begins = one.branch && branches ? beginOf(d, branches, one.branch) : "";
  return (
    <p className="hint where">
      {begins !== "" && <Shown text={`${begins.slice(0, 1).toUpperCase()}${begins.slice(1)}, in `} />}
      <Folder one={one} />
    </p>
  );
}

function Fields({
  one,
  mine,
  nth,
  agents,
  bad,
  set,
  onRemove,
}: {
  one: Planned;
  mine: Own;
  nth: number;
  agents: AgentInfo[] | null;
  bad(field: string): boolean;
  set(fields: Partial<Omit<Own, "key">>): void;
  onRemove(): void;
}) {
  const { key } = one;
  const found = (agents ?? []).filter((a) => a.found !== null && a.name !== "shell" && a.name !== "command");
  const named = found.some((a) => a.name === mine.agent) || ["shell", "command", ""].includes(mine.agent);
  const empties = (field: "title" | "branch") => () => {
    // What was emptied follows the rest again.
    if (mine[field]?.trim() === "") set({ [field]: null });
  };
  return (
    <>
      <div className="own">
        <div className="field">
          <select
            id={`f-agent-${key}`}
            aria-label={`Agent of session ${nth}`}
            value={mine.agent}
            onChange={(event) => {
              set({ agent: event.target.value });
              if (event.target.value === "command") focusField(key === FIRST ? "command" : `command-${key}`);
            }}
          >
            {!named && <option value={mine.agent}>{mine.agent}</option>}
            {found.map((a) => (
              <option key={a.name}>{a.name}</option>
            ))}
            <option value="shell">Plain shell</option>
            <option value="command">Command…</option>
          </select>
          <Icon name="down" size="s" />
        </div>
        <div className="field">
          <input
            id={`f-title-${key}`}
            dir="auto"
            autoComplete="off"
            aria-label={`Title of session ${nth}`}
            aria-invalid={bad(`title-${key}`)}
            value={mine.title ?? one.title}
            onChange={(event) => set({ title: event.target.value })}
            onBlur={empties("title")}
          />
        </div>
        <button
          type="button"
          className="btn bare icon"
          aria-label={`Leave out session ${nth}`}
          onClick={onRemove}
        >
          <Icon name="x" size="s" />
        </button>
      </div>
      {mine.agent === "command" && key !== FIRST && (
        <div className="field mono">
          <span className="dim">$</span>
          <input
            id={`f-command-${key}`}
            aria-label={`Command of session ${nth}`}
            aria-invalid={bad(`command-${key}`)}
            spellCheck={false}
            autoComplete="off"
            autoCapitalize="none"
            autoCorrect="off"
            placeholder="npm run dev"
            value={mine.command}
            onChange={(event) => set({ command: event.target.value })}
          />
        </div>
      )}
      {one.branch !== null && (
        <div className="field mono">
          <Icon name="branch" size="s" />
          <input
            id={`f-branch-${key}`}
            aria-label={`Branch of session ${nth}`}
            aria-invalid={bad(`branch-${key}`)}
            spellCheck={false}
            autoComplete="off"
            autoCapitalize="none"
            autoCorrect="off"
            value={mine.branch ?? one.branch}
            onChange={(event) => set({ branch: event.target.value })}
            onBlur={empties("branch")}
          />
        </div>
      )}
      <HiddenIn text={one.title} />
      <HiddenIn text={one.branch ?? ""} />
      {!takesPrompt(agents, mine.agent) && <p className="hint">It takes no task at its start.</p>}
    </>
  );
}
