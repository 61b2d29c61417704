import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { createSession } from "../api/calls";
import { AWAY, actionKey, asProblem, isAnswered } from "../api/client";
import { live } from "../api/stream";
import type { ProblemBody } from "../api/types";
import { Dialog } from "../parts/dialog";
import { Line } from "../parts/line";
import { Keys, Shown, Words } from "../parts/text";
import { keep } from "../state/sessions";
import { patch, useStore } from "../state/store";
import { dialog, say } from "../state/ui";
import { useBranches, useChoices } from "./choices";
import { FolderField } from "./combo";
import {
  clearDraft,
  commandLine,
  type Draft,
  draft,
  rememberSent,
  requestOf,
  takesPrompt,
  titleOf,
} from "./draft";
import { Agents, More, WorkIn } from "./fields";
import { Unplaced } from "./foot";
import { goAndType } from "./made";

export function CreateDialog() {
  const d = useStore(draft);
  const choices = useChoices();
  const repo = useBranches(d.repo);
  const { branches, problem: repoProblem } = repo ?? { branches: null, problem: null };
  const [problem, setProblem] = useState<ProblemBody | null>(null);
  const [sending, setSending] = useState(false);
  // Asked for before it was known what the request is, or while the daemon is away.
  const [asked, setAsked] = useState<{ again: boolean; shared: boolean } | null>(null);
  const [made, setMade] = useState<string | null>(null);
  const offline = useStore(live, (l) => l.state === "offline");
  const key = useRef(actionKey());

  const set = (fields: Partial<Draft>) => {
    setProblem(null);
    setAsked(null);
    // Another request is another action.
    key.current = actionKey();
    patch(draft, fields);
  };
  const withTask = takesPrompt(choices.agents, d.agent);
  const noRepository = repoProblem?.code === "not_a_repository" || repoProblem?.code === "no_commits";
  const drawn: Draft = noRepository ? { ...d, workIn: "in-place" } : d;
  const request = requestOf(drawn, branches, withTask);
  const wrong = "words" in request ? request : null;

  const ready = repo !== null && d.agent !== "" && !offline;

  const close = () => dialog.set(null);
  const create = async (again: boolean, shared = false) => {
    if (sending) return;
    if (!ready) {
      setAsked({ again, shared });
      return;
    }
    if ("words" in request) {
      setProblem({ code: "field_invalid", title: request.words, hint: "", field: request.field });
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
        goAndType(session.id, close);
      }
    } catch (error) {
      // A definite no: the next press is another action. With no answer it is the same one.
      if (isAnswered(error)) key.current = actionKey();
      setProblem(asProblem(error));
    } finally {
      setSending(false);
    }
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was asked for is done once it can be
  useEffect(() => {
    if (!asked || !ready) return;
    setAsked(null);
    // What nobody has seen yet is not done: the agent would work on the person's own files.
    if (noRepository && d.workIn !== "in-place")
      setProblem({
        code: "field_invalid",
        field: "repo",
        title: "Nothing was created yet.",
        hint: "Create it again to work in the folder itself.",
      });
    else void create(asked.again, asked.shared);
  }, [asked, ready]);
  useEffect(() => {
    if (problem) focusField(problem.field ?? "");
  }, [problem]);
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
                data-first
                aria-invalid={bad("prompt")}
                aria-describedby="h-prompt"
                value={d.task}
                onChange={(event) => set({ task: event.target.value })}
              />
            </div>
            <p className="hint" id="h-prompt">
              {withTask
                ? "Given to the agent at its start. Leave it empty to start without a task."
                : `${d.agent === "shell" ? "A shell" : d.agent === "command" ? "A command" : d.agent} takes no task at its start: it only makes the title here.`}
            </p>
            {said("prompt")}
          </div>

          <span className="lab" id="l-agent">
            Agent
          </span>
          <div>
            <Agents
              choices={choices}
              value={d.agent}
              onChange={(name) => set({ agent: name })}
              onCommand={() => focusField("command")}
            />
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
        <Line text={wrong || "words" in request ? null : commandLine(request)}>
          {wrong && <span className="dim">{wrong.words}</span>}
        </Line>
        {problem && !isPlaced(problem) && <Unplaced problem={problem} />}
        <div className="go">
          <span className="dim cut" role="status">
            {offline
              ? `${AWAY}. ${asked ? "It is created once it does." : "The draft is kept."}`
              : made
                ? `“${made}” is being created.`
                : ""}
          </span>
          <button type="button" className="btn bare tall right" onClick={close}>
            Cancel <kbd aria-hidden="true">Esc</kbd>
          </button>
          <button type="submit" form="create" className="btn ink tall" disabled={sending || asked !== null}>
            {asked && offline ? "Waiting" : sending || asked ? "Creating" : "Create"}
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
  requestAnimationFrame(() => {
    document.getElementById(`f-${field}`)?.focus();
    // The words stand below the field: on a phone that is out of sight.
    document.querySelector("#create [role=alert]")?.scrollIntoView({ block: "nearest" });
  });
}

export function FieldProblem({ field, problem }: { field: string; problem: ProblemBody | null }) {
  if (!problem || problem.field !== field) return null;
  return (
    <div role="alert">
      <p className="hint bad">
        <Shown text={problem.title} />
      </p>
      {problem.hint !== "" && (
        <p className="hint">
          <Words text={problem.hint} />
        </p>
      )}
    </div>
  );
}
