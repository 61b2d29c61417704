import { type ReactNode, useRef } from "react";
import type { AgentInfo, Branches } from "../api/types";
import { Copy } from "../parts/copy";
import { Icon } from "../parts/icons";
import { patch } from "../state/store";
import type { Choices } from "./choices";
import { branchOf, type Draft, draft, startOf } from "./draft";

export function Agents({
  choices,
  value,
  onChange,
  onCommand,
}: {
  choices: Choices;
  value: string;
  onChange(name: string): void;
  /** A command was chosen by pointer: next it is written. Arrow keys go on to what stands behind it. */
  onCommand(): void;
}) {
  const pointed = useRef(false);
  const agents = (choices.agents ?? []).filter((a) => a.name !== "shell" && a.name !== "command");
  const found = agents.filter((a) => a.found !== null);
  const missing = agents.filter((a) => a.found === null);
  const shell = choices.agents?.find((a) => a.name === "shell");
  // The choice of before, while it is not known what is there.
  const before = choices.agents === null && !["", "shell", "command"].includes(value) ? value : null;
  const chosen = missing.find((a) => a.name === value);
  const option = (name: string, words: string, note: string, absent = false) => (
    <label
      key={name}
      className={absent ? "missing" : ""}
      title={absent ? "Not found on this machine" : undefined}
    >
      <input
        type="radio"
        name="agent"
        id={`f-agent-${name}`}
        checked={value === name}
        onChange={() => {
          onChange(name);
          if (name === "command" && pointed.current) onCommand();
        }}
      />
      <span>{words}</span>
      <span className={absent ? "ver" : "ver mono"}>{note}</span>
    </label>
  );
  return (
    <>
      <div
        className="agents"
        role="radiogroup"
        aria-labelledby="l-agent"
        onPointerDown={() => {
          pointed.current = true;
        }}
        onKeyDown={() => {
          pointed.current = false;
        }}
      >
        {before && option(before, before, "")}
        {found.map((a) => option(a.name, a.name, a.version ?? ""))}
        {option("shell", "Plain shell", shell?.version ?? "")}
        {option("command", "Command…", "")}
        {missing.map((a) => option(a.name, a.name, "missing", true))}
      </div>
      {chosen && <Missing agent={chosen} onAgain={choices.again} />}
      {choices.agents !== null && found.length === 0 && !chosen && (
        <div className="hint">
          <p>No coding agent was found on this machine. A shell or any command works without one.</p>
          {missing.some((a) => a.install) && <p>Choose one that is missing to see how to get it.</p>}
        </div>
      )}
      {choices.problem && <p className="hint bad">{choices.problem.title}</p>}
    </>
  );
}

/** An agent that is not there: how to get it, and to look again once it is. */
function Missing({ agent, onAgain }: { agent: AgentInfo; onAgain(): void }) {
  return (
    <div className="missing-agent">
      <p className="hint">
        {agent.title} is not on this machine.{agent.install ? " To get it:" : ""}
      </p>
      {agent.install && (
        <div className="install">
          <code className="mono">{agent.install}</code>
          <Copy text={agent.install} label="Copy" />
          <button type="button" className="btn bare" onClick={onAgain}>
            Look again
          </button>
        </div>
      )}
    </div>
  );
}

const WORK: [Draft["workIn"], string][] = [
  ["new", "New branch"],
  ["branch", "Existing branch"],
  ["worktree", "Existing worktree"],
  ["in-place", "In place"],
];

export function WorkIn({
  d,
  branches,
  only,
  several,
  set,
  bad,
}: {
  d: Draft;
  branches: Branches | null;
  /** Not a repository: only in place is possible. */
  only: boolean;
  /** More than one is made: each has its branch in a field of its own. */
  several: boolean;
  set(fields: Partial<Draft>): void;
  bad(field: string): boolean;
}) {
  const branch = branchOf(d, branches);
  const start = startOf(d.base, branches);
  const worktrees = branches?.worktrees.filter((path) => path !== branches.repo) ?? [];
  const there = branches?.local.includes(branch) ?? false;
  return (
    <>
      <div className="seg fill" role="radiogroup" aria-labelledby="l-work">
        {WORK.map(([value, words]) => (
          <label key={value}>
            <input
              type="radio"
              name="work"
              checked={d.workIn === value}
              disabled={(only && value !== "in-place") || (several && value === "branch")}
              onChange={() => set({ workIn: value })}
            />
            {words}
          </label>
        ))}
      </div>
      {d.workIn === "new" && (
        <div className={several ? "pair alone" : "pair"}>
          {!several && (
            <div className="field mono">
              <Icon name="branch" size="s" />
              <input
                id="f-branch"
                aria-label="Branch"
                aria-invalid={bad("branch")}
                spellCheck={false}
                autoComplete="off"
                autoCapitalize="none"
                autoCorrect="off"
                placeholder="made from the title"
                value={branch}
                onChange={(event) =>
                  set({ branch: event.target.value, branchEdited: event.target.value !== "" })
                }
              />
            </div>
          )}
          <div className="field">
            <span className="dim">from</span>
            <select
              id="f-base"
              className="mono"
              aria-label="Base"
              aria-invalid={bad("base")}
              value={d.base}
              onChange={(event) => set({ base: event.target.value })}
            >
              <option value="">{branches?.default ?? "the default"}</option>
              {[...(branches?.local ?? []), ...(branches?.remote ?? [])]
                .filter((name) => name !== branches?.default)
                .map((name) => (
                  <option key={name}>{name}</option>
                ))}
            </select>
            <Icon name="down" size="s" />
          </div>
        </div>
      )}
      {d.workIn === "branch" && (
        <div className="field" style={{ marginTop: 8 }}>
          <Icon name="branch" size="s" />
          <select
            id="f-branch"
            className={d.existing === "" ? "" : "mono"}
            aria-label="Branch"
            aria-invalid={bad("branch")}
            value={d.existing}
            onChange={(event) => set({ existing: event.target.value })}
          >
            <option value="">Choose a branch</option>
            {branches?.local.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
          <Icon name="down" size="s" />
        </div>
      )}
      {d.workIn === "worktree" && (
        <div className="field" style={{ marginTop: 8 }}>
          <select
            id="f-worktree"
            className={d.worktree === "" ? "" : "mono"}
            aria-label="Worktree"
            aria-invalid={bad("worktree")}
            value={d.worktree}
            onChange={(event) => set({ worktree: event.target.value })}
          >
            <option value="">
              {worktrees.length === 0 ? "This repository has no other worktree" : "Choose a worktree"}
            </option>
            {worktrees.map((path) => (
              <option key={path}>{path}</option>
            ))}
          </select>
          <Icon name="down" size="s" />
        </div>
      )}
      <p className="hint">
        {d.workIn === "new" && several && "Each has its own branch and worktree. Your own changes stay put."}
        {d.workIn === "new" && !several && there && (
          <>
            <span className="mono">{branch}</span> is there already: it is checked out as it is, in its own
            worktree.
          </>
        )}
        {d.workIn === "new" && !several && !there && (
          <>
            Its own worktree. <span className="mono">{start.name}</span>{" "}
            {start.fetched ? "is fetched first, if its remote answers." : "is where it begins."} Your own
            changes stay put.
          </>
        )}
        {d.workIn === "branch" &&
          "Its own worktree, with that branch checked out. Your own changes stay put."}
        {d.workIn === "worktree" && "It works in that folder, with what is changed there."}
        {d.workIn === "in-place" && "No worktree: it works in the folder itself, on your own files."}
      </p>
    </>
  );
}

export function More({
  d,
  set,
  said,
  bad,
}: {
  d: Draft;
  set(fields: Partial<Draft>): void;
  said(field: string): ReactNode;
  bad(field: string): boolean;
}) {
  if (!d.more)
    return (
      <div style={{ paddingTop: 6 }}>
        <button type="button" className="tag open" onClick={() => patch(draft, { more: true })}>
          Tags, size, environment
        </button>
      </div>
    );
  return (
    <div className="more">
      <label>
        Tags
        <span className="field">
          <input
            id="f-tags"
            aria-invalid={bad("tags")}
            autoCapitalize="none"
            autoComplete="off"
            placeholder="sprint-12 upload"
            value={d.tags}
            onChange={(e) => set({ tags: e.target.value })}
          />
        </span>
        {said("tags")}
      </label>
      <label>
        Size at birth
        <span className="field">
          <input
            id="f-cols"
            aria-invalid={bad("cols") || bad("rows")}
            placeholder="120x40"
            value={d.size}
            onChange={(e) => set({ size: e.target.value })}
          />
        </span>
        {said("cols")}
        {said("rows")}
      </label>
      <label className="wide">
        Environment
        <span className="field area">
          <textarea
            id="f-env"
            className="mono"
            rows={2}
            style={{ minHeight: 40 }}
            aria-invalid={bad("env")}
            spellCheck={false}
            autoCapitalize="none"
            autoCorrect="off"
            placeholder="NAME=value, one a line"
            value={d.env}
            onChange={(e) => set({ env: e.target.value })}
          />
        </span>
        {said("env")}
      </label>
    </div>
  );
}
