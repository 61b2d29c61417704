import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { createSession, listAgents, listBranches, listRepos } from "../api/calls";
import { actionKey, asProblem, Failure } from "../api/client";
import { live } from "../api/stream";
import type { AgentInfo, Branches, ProblemBody, RepoInfo } from "../api/types";
import { Copy } from "../parts/copy";
import { Dialog } from "../parts/dialog";
import { Icon } from "../parts/icons";
import { Keys, Shown } from "../parts/text";
import { go, sessionPath } from "../state/router";
import { keep } from "../state/sessions";
import { patch, useStore } from "../state/store";
import { dialog, say } from "../state/ui";
import { FolderField } from "./combo";
import {
  branchOf,
  clearDraft,
  commandLine,
  type Draft,
  draft,
  rememberSent,
  requestOf,
  titleOf,
} from "./draft";

interface Choices {
  agents: AgentInfo[] | null;
  repos: RepoInfo[];
  problem: ProblemBody | null;
}

export function CreateDialog() {
  const d = useStore(draft);
  const choices = useChoices();
  const { branches, problem: repoProblem } = useBranches(d.repo);
  const [problem, setProblem] = useState<ProblemBody | null>(null);
  const [sending, setSending] = useState(false);
  const [made, setMade] = useState<string | null>(null);
  const offline = useStore(live, (l) => l.state === "offline");
  const key = useRef(actionKey());

  const set = (fields: Partial<Draft>) => {
    setProblem(null);
    // Another request is another action.
    key.current = actionKey();
    patch(draft, fields);
  };
  const agent = choices.agents?.find((a) => a.name === d.agent);
  const takesPrompt = agent?.takes_prompt ?? false;
  const noRepository = repoProblem?.code === "not_a_repository" || repoProblem?.code === "no_commits";
  const drawn: Draft = noRepository ? { ...d, workIn: "in-place" } : d;
  const request = requestOf(drawn, branches, takesPrompt);
  const wrong = "words" in request ? request : null;

  const close = () => dialog.set(null);
  const create = async (again: boolean, shared = false) => {
    if (sending || offline) return;
    if ("words" in request) {
      setProblem({ code: "field_invalid", title: request.words, hint: "", field: request.field });
      focusField(request.field);
      return;
    }
    setSending(true);
    setProblem(null);
    setMade(null);
    try {
      const session = await createSession(shared ? { ...request, shared } : request, key.current);
      key.current = actionKey();
      rememberSent(session.id, d);
      keep(session);
      clearDraft();
      const title = titleOf(d) || d.agent;
      say(`Creating ${title}`);
      if (again) {
        setMade(title);
        focusField("prompt");
      } else {
        close();
        go(sessionPath(session.id));
      }
    } catch (error) {
      const told = asProblem(error);
      // A definite no: the next press is another action. With no answer it is the same one.
      if (error instanceof Failure && error.status !== 0) key.current = actionKey();
      setProblem(told);
      focusField(told.field ?? "");
    } finally {
      setSending(false);
    }
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void create(event.shiftKey);
    }
  };
  const said = (field: string): ReactNode => <FieldProblem field={field} problem={problem} />;
  const bad = (field: string) => problem?.field === field;

  return (
    <Dialog title="New session" onClose={close}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: one key works in every field */}
      <div style={{ display: "contents" }} onKeyDown={onKey}>
        <form
          className="form"
          id="create"
          onSubmit={(event) => {
            event.preventDefault();
            void create(false);
          }}
        >
          <label htmlFor="f-prompt">Task</label>
          <div>
            <div className="field area">
              <textarea
                id="f-prompt"
                rows={4}
                autoFocus
                aria-invalid={bad("prompt")}
                aria-describedby="h-prompt"
                value={d.task}
                onChange={(event) => set({ task: event.target.value })}
              />
            </div>
            <p className="hint" id="h-prompt">
              {d.agent === "" || takesPrompt
                ? "Given to the agent at its start. Leave it empty to start without a task."
                : `${d.agent === "shell" ? "A shell" : d.agent === "command" ? "A command" : d.agent} takes no task at its start: it only makes the title here.`}
            </p>
            {said("prompt")}
          </div>

          <span className="lab" id="l-agent">
            Agent
          </span>
          <div>
            <Agents choices={choices} value={d.agent} onChange={(name) => set({ agent: name })} />
            {d.agent === "command" && (
              <div className="field mono" style={{ marginTop: 8 }}>
                <span className="dim">$</span>
                <input
                  id="f-command"
                  aria-label="Command"
                  aria-invalid={bad("command")}
                  spellCheck={false}
                  autoComplete="off"
                  placeholder="npm run dev"
                  value={d.command}
                  onChange={(event) => set({ command: event.target.value })}
                />
              </div>
            )}
            {said("agent")}
            {said("command")}
          </div>

          <label htmlFor="f-repo">Repository</label>
          <div>
            <FolderField
              id="f-repo"
              value={d.repo}
              recent={choices.repos}
              invalid={bad("repo")}
              describedBy="h-repo"
              onChange={(repo) => set({ repo, base: "", existing: "", worktree: "" })}
            />
            <p className="hint" id="h-repo">
              {repoProblem
                ? `${repoProblem.title}${noRepository ? " The program works in the folder itself." : ""}`
                : branches && branches.repo !== d.repo
                  ? `In ${branches.repo}`
                  : ""}
            </p>
            {said("repo")}
          </div>

          <span className="lab" id="l-work">
            Work in
          </span>
          <div>
            <WorkIn d={drawn} branches={branches} only={noRepository} set={set} bad={bad} />
            {said("branch")}
            {said("base")}
            {said("worktree")}
            {problem?.code === "worktree_in_use" && (
              <button
                type="button"
                className="btn"
                style={{ marginTop: 6 }}
                onClick={() => void create(false, true)}
              >
                Work in it all the same
              </button>
            )}
          </div>

          <label htmlFor="f-title">Title</label>
          <div>
            <div className="field">
              <input
                id="f-title"
                maxLength={200}
                aria-invalid={bad("title")}
                value={titleOf(d)}
                placeholder="Made from the task or the command"
                onChange={(event) => set({ title: event.target.value, titleEdited: true })}
              />
              {!d.titleEdited && titleOf(d) !== "" && <span className="dim small">from the task</span>}
            </div>
            {said("title")}
          </div>

          <span className="lab">More</span>
          <More d={d} set={set} said={said} bad={bad} />
        </form>
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: as above */}
      <footer onKeyDown={onKey}>
        <div className="cli">
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with keys */}
          <pre tabIndex={0}>
            <code>
              <span className="dim">$</span>{" "}
              {wrong ? (
                <span className="dim">{wrong.words}</span>
              ) : (
                <Shown text={"words" in request ? "" : commandLine(request)} />
              )}
            </code>
          </pre>
          {!wrong && !("words" in request) && <Copy text={commandLine(request)} label="Copy" />}
        </div>
        {problem && !isPlaced(problem) && (
          <div style={{ padding: "10px 12px 0 20px" }} role="alert">
            <p className="hint bad">{problem.title}</p>
            <p className="hint">
              <Shown text={problem.hint} />
            </p>
          </div>
        )}
        <div className="go">
          <span className="dim cut" role="status">
            {offline
              ? "The daemon does not answer. The draft is kept."
              : made
                ? `“${made}” is being created.`
                : ""}
          </span>
          <button type="button" className="btn bare tall right" onClick={close}>
            Cancel <kbd aria-hidden="true">Esc</kbd>
          </button>
          <button type="submit" form="create" className="btn ink tall" disabled={sending || offline}>
            {sending ? "Creating" : "Create"}
            <Keys keys={["Ctrl", "Enter"]} />
          </button>
        </div>
      </footer>
    </Dialog>
  );
}

const PLACED = [
  "prompt",
  "agent",
  "command",
  "repo",
  "branch",
  "base",
  "worktree",
  "title",
  "tags",
  "cols",
  "rows",
  "env",
];

function isPlaced(problem: ProblemBody): boolean {
  return PLACED.includes(problem.field ?? "");
}

function focusField(field: string) {
  requestAnimationFrame(() => document.getElementById(`f-${field}`)?.focus());
}

function FieldProblem({ field, problem }: { field: string; problem: ProblemBody | null }) {
  if (!problem || problem.field !== field) return null;
  return (
    <div role="alert">
      <p className="hint bad">
        <Shown text={problem.title} />
      </p>
      {problem.hint !== "" && (
        <p className="hint">
          <Shown text={problem.hint} />
        </p>
      )}
    </div>
  );
}

function useChoices(): Choices {
  const [choices, setChoices] = useState<Choices>({ agents: null, repos: [], problem: null });
  useEffect(() => {
    let gone = false;
    void (async () => {
      const [agents, repos] = await Promise.allSettled([listAgents(), listRepos()]);
      if (gone) return;
      const known = agents.status === "fulfilled" ? agents.value : [];
      const used = repos.status === "fulfilled" ? repos.value : [];
      const recent = [...used].sort((a, b) => Date.parse(b.used_at) - Date.parse(a.used_at));
      setChoices({
        agents: known,
        repos: recent,
        problem: agents.status === "rejected" ? asProblem(agents.reason) : null,
      });
      // Only what is still empty: typing came first.
      const now = draft.get();
      patch(draft, {
        agent: now.agent || (known.find((a) => a.found !== null && a.name !== "shell")?.name ?? "shell"),
        repo: now.repo || (recent[0]?.path ?? ""),
      });
    })();
    return () => {
      gone = true;
    };
  }, []);
  return choices;
}

const BRANCHES_MS = 200;

function useBranches(repo: string): { branches: Branches | null; problem: ProblemBody | null } {
  const [state, setState] = useState<{ branches: Branches | null; problem: ProblemBody | null }>({
    branches: null,
    problem: null,
  });
  useEffect(() => {
    if (repo.trim() === "") {
      setState({ branches: null, problem: null });
      return;
    }
    const stop = new AbortController();
    const timer = setTimeout(() => {
      listBranches(repo.trim(), stop.signal)
        .then((branches) => setState({ branches, problem: null }))
        .catch((error: unknown) => {
          if (!stop.signal.aborted) setState({ branches: null, problem: asProblem(error) });
        });
    }, BRANCHES_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [repo]);
  return state;
}

function Agents({
  choices,
  value,
  onChange,
}: {
  choices: Choices;
  value: string;
  onChange(name: string): void;
}) {
  const agents = (choices.agents ?? []).filter((a) => a.name !== "shell" && a.name !== "command");
  const found = agents.filter((a) => a.found !== null);
  const missing = agents.filter((a) => a.found === null);
  const shell = choices.agents?.find((a) => a.name === "shell");
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
        onChange={() => onChange(name)}
      />
      <span>{words}</span>
      <span className={absent ? "ver" : "ver mono"}>{note}</span>
    </label>
  );
  return (
    <>
      <div className="agents" role="radiogroup" aria-labelledby="l-agent">
        {found.map((a) => option(a.name, a.name, a.version ?? ""))}
        {option("shell", "Plain shell", shell?.version ?? "")}
        {option("command", "Command…", "")}
        {missing.map((a) => option(a.name, a.name, "missing", true))}
      </div>
      {chosen && (
        <p className="hint">
          {chosen.title} is not on this machine. {chosen.install ? `To get it: ${chosen.install}` : ""}
        </p>
      )}
      {choices.problem && <p className="hint bad">{choices.problem.title}</p>}
    </>
  );
}

const WORK: [Draft["workIn"], string][] = [
  ["new", "New branch"],
  ["branch", "Existing branch"],
  ["worktree", "Existing worktree"],
  ["in-place", "In place"],
];

function WorkIn({
  d,
  branches,
  only,
  set,
  bad,
}: {
  d: Draft;
  branches: Branches | null;
  /** Not a repository: only in place is possible. */
  only: boolean;
  set(fields: Partial<Draft>): void;
  bad(field: string): boolean;
}) {
  const branch = branchOf(d, branches);
  const base = d.base || branches?.default || "the default branch";
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
              disabled={only && value !== "in-place"}
              onChange={() => set({ workIn: value })}
            />
            {words}
          </label>
        ))}
      </div>
      {d.workIn === "new" && (
        <div className="pair">
          <div className="field mono">
            <Icon name="branch" size="s" />
            <input
              id="f-branch"
              aria-label="Branch"
              aria-invalid={bad("branch")}
              spellCheck={false}
              autoComplete="off"
              placeholder="made from the title"
              value={branch}
              onChange={(event) =>
                set({ branch: event.target.value, branchEdited: event.target.value !== "" })
              }
            />
          </div>
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
              <option value="">{branches?.default ?? "the default branch"}</option>
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
            className="mono"
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
            className="mono"
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
        {d.workIn === "new" && there && (
          <>
            <span className="mono">{branch}</span> is there already: it is checked out as it is, in its own
            worktree.
          </>
        )}
        {d.workIn === "new" && !there && (
          <>
            Its own worktree. <span className="mono">{base}</span> is fetched first. Your own changes stay
            put.
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

function More({
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
        <button
          type="button"
          className="tag"
          style={{ height: 24 }}
          onClick={() => patch(draft, { more: true })}
        >
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
