import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { createSession } from "../api/calls";
import { AWAY, actionKey, asProblem, isAnswered } from "../api/client";
import { live } from "../api/stream";
import type { ProblemBody } from "../api/types";
import { Line } from "../parts/line";
import { Keys } from "../parts/text";
import { keep } from "../state/sessions";
import { patch, useStore } from "../state/store";
import { say } from "../state/ui";
import { begin } from "./batch";
import { useBranches, useChoices } from "./choices";
import { FolderField } from "./combo";
import {
  clearDraft,
  commandLine,
  type Draft,
  draft,
  promptOf,
  rememberSent,
  takesPrompt,
  titleMade,
  titleOf,
} from "./draft";
import { Agents, More, WorkIn } from "./fields";
import { goAndType } from "./made";
import { Plan } from "./plan";
import { remember } from "./prompts";
import { FieldProblem, focusField, HiddenIn, Unplaced } from "./said";
import { fieldOf, isWrong, type Planned, planOf } from "./several";
import { TaskField } from "./task";

/** The fields of one session, or of several with the same task. */
export function Form({
  was,
  made,
  onMade,
  onSeveral,
  onClose,
}: {
  /** What was wrong with it when it was asked for. */
  was: ProblemBody | null;
  /** What was created before, while the dialog stays. */
  made: string | null;
  onMade(title: string | null): void;
  /** Several are on their way; whether the dialog stays for the next. */
  onSeveral(again: boolean): void;
  onClose(): void;
}) {
  const d = useStore(draft);
  const choices = useChoices();
  const repo = useBranches(d.repo);
  const { branches, problem: repoProblem } = repo ?? { branches: null, problem: null };
  const [problem, setProblem] = useState<ProblemBody | null>(was);
  const [sending, setSending] = useState(false);
  // Asked for before it was known what the request is, or while the daemon is away.
  const [asked, setAsked] = useState<{ again: boolean; shared: boolean } | null>(null);
  const offline = useStore(live, (l) => l.state === "offline");
  const key = useRef(actionKey());

  const set = (fields: Partial<Draft>) => {
    setProblem(null);
    setAsked(null);
    // Another request is another action.
    key.current = actionKey();
    patch(draft, fields);
  };
  const noRepository = repoProblem?.code === "not_a_repository" || repoProblem?.code === "no_commits";
  const drawn: Draft = noRepository ? { ...d, workIn: "in-place" } : d;
  const plan = planOf(drawn, branches, choices.agents);
  const several = plan.length > 1;
  const wrong = plan.map(({ request }) => request).find(isWrong);
  const withTask = plan.some(({ draft: { agent } }) => takesPrompt(choices.agents, agent));
  const ready = repo !== null && d.agent !== "" && !offline;

  const create = async (again: boolean, shared = false) => {
    if (sending) return;
    if (!ready) {
      setAsked({ again, shared });
      return;
    }
    for (const { key: whose, request } of plan) {
      if (!isWrong(request)) continue;
      const field = several ? fieldOf(whose, request.field) : request.field;
      setProblem({ code: "field_invalid", title: request.words, hint: "", field });
      return;
    }
    setProblem(null);
    onMade(null);
    if (several) {
      onSeveral(again);
      void begin(plan.flatMap(toAsk));
      return;
    }
    const [only] = plan;
    if (!only || isWrong(only.request)) return;
    const { request } = only;
    setSending(true);
    try {
      const session = await createSession(shared ? { ...request, shared } : request, key.current);
      key.current = actionKey();
      rememberSent(session.id, d);
      if (request.prompt) remember(d.task, d.fill, Date.now());
      keep(session);
      clearDraft();
      const title = titleOf(d) || d.agent;
      say(`Creating ${title}`);
      if (again) {
        focusField("prompt");
        onMade(`“${title}”`);
      } else {
        goAndType(session.id, onClose);
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: when it comes back after several were made
  useEffect(() => {
    if (made) focusField("prompt");
  }, []);
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void create(event.shiftKey);
    }
  };
  const said = (field: string): ReactNode => <FieldProblem field={field} problem={problem} />;
  const bad = (field: string) => problem?.field === field;
  const lines = plan.flatMap(({ request }) => (isWrong(request) ? [] : [commandLine(request)]));

  return (
    <>
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
          <TaskField
            d={d}
            given={plan[0] ? promptOf(plan[0].draft, branches) : d.task}
            withTask={withTask}
            invalid={bad("prompt")}
            set={set}
            said={said("prompt")}
          />

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
                  autoCapitalize="none"
                  autoCorrect="off"
                  placeholder="npm run dev"
                  value={d.command}
                  onChange={(event) => set({ command: event.target.value })}
                />
              </div>
            )}
            <HiddenIn text={d.agent === "command" ? d.command : ""} />
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
              onChange={(path) => set({ repo: path, base: "", existing: "", worktree: "" })}
            />
            <p className="hint" id="h-repo">
              {bad("repo")
                ? ""
                : repoProblem
                  ? `${repoProblem.title}${noRepository ? " The program works in the folder itself." : ""}`
                  : branches && branches.repo !== d.repo
                    ? `In ${branches.repo}`
                    : ""}
            </p>
            <HiddenIn text={d.repo} />
            {said("repo")}
          </div>

          <span className="lab" id="l-work">
            Work in
          </span>
          <div>
            <WorkIn d={drawn} branches={branches} only={noRepository} several={several} set={set} bad={bad} />
            {!several && drawn.workIn === "new" && <HiddenIn text={d.branchEdited ? d.branch : ""} />}
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
                dir="auto"
                autoComplete="off"
                aria-invalid={bad("title")}
                value={titleOf(d)}
                placeholder={titleMade(d) || "Made from the task or the command"}
                onChange={(event) => set({ title: event.target.value, titleEdited: true })}
              />
              {!d.titleEdited && titleOf(d) !== "" && <span className="dim small">from the task</span>}
            </div>
            <HiddenIn text={titleOf(d)} />
            {said("title")}
          </div>

          <span className="lab">More</span>
          <More d={d} set={set} said={said} bad={bad} />

          <span className="lab">What is made</span>
          <Plan
            d={drawn}
            plan={plan}
            branches={branches}
            agents={choices.agents}
            set={set}
            said={said}
            bad={bad}
          />
        </form>
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: as above */}
      <footer onKeyDown={onKey}>
        <Line text={wrong ? null : lines}>{wrong && <span className="dim">{wrong.words}</span>}</Line>
        {problem && !isPlaced(problem) && <Unplaced problem={problem} />}
        <div className="go">
          <span className="dim cut" role="status">
            {offline
              ? `${AWAY}. ${asked ? "It is created once it does." : "The draft is kept."}`
              : made
                ? `${made} ${made.startsWith("“") ? "is" : "are"} being created.`
                : ""}
          </span>
          <button type="button" className="btn bare tall right" onClick={onClose}>
            Cancel <kbd aria-hidden="true">Esc</kbd>
          </button>
          <button type="submit" form="create" className="btn ink tall" disabled={sending || asked !== null}>
            {asked && offline
              ? "Waiting"
              : sending || asked
                ? "Creating"
                : several
                  ? `Create ${plan.length}`
                  : "Create"}
            <Keys keys={["Ctrl", "Enter"]} />
          </button>
        </div>
      </footer>
    </>
  );
}

function toAsk({ key, draft: alone, request, title }: Planned) {
  return isWrong(request) ? [] : [{ key, title, draft: alone, request }];
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

function isPlaced({ field }: ProblemBody): boolean {
  return PLACED.some((name) => field === name || field?.startsWith(`${name}-`));
}
