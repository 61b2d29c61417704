import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { forkSession } from "../api/calls";
import { AWAY, actionKey, asProblem, isAnswered } from "../api/client";
import { live } from "../api/stream";
import type { NewFork, ProblemBody, SessionView } from "../api/types";
import { Dialog } from "../parts/dialog";
import { Line } from "../parts/line";
import { Keys, Shown } from "../parts/text";
import { forking } from "../state/more";
import { keep } from "../state/sessions";
import { useStore } from "../state/store";
import { say } from "../state/ui";
import { useChoices } from "./choices";
import { takesPrompt } from "./draft";
import { goAndType } from "./made";
import { FieldProblem, HiddenIn, Unplaced } from "./said";
import { quote } from "./shell";

const FIELDS = ["title", "branch", "prompt"];

/** The fields that were filled in. */
export function forkOf(title: string, branch: string, prompt: string): NewFork {
  const out: NewFork = {};
  if (title.trim() !== "") out.title = title.trim();
  if (branch.trim() !== "") out.branch = branch.trim();
  if (prompt.trim() !== "") out.prompt = prompt.trim();
  return out;
}

export function forkLine(id: string, fork: NewFork): string {
  const words = [`qd fork ${id}`];
  for (const name of ["title", "branch", "prompt"] as const)
    if (fork[name] !== undefined) words.push(`--${name} ${quote(fork[name])}`);
  return words.join(" ");
}

/** Asks what a session that begins where another one is should be called, and what it should do. */
export function ForkDialog({ session }: { session: SessionView }) {
  const [title, setTitle] = useState("");
  const [branch, setBranch] = useState("");
  const [prompt, setPrompt] = useState("");
  const [problem, setProblem] = useState<ProblemBody | null>(null);
  const [sending, setSending] = useState(false);
  const offline = useStore(live, (l) => l.state === "offline");
  const choices = useChoices();
  const withTask = takesPrompt(choices.agents, session.agent);
  const key = useRef(actionKey());
  const request = forkOf(title, branch, withTask ? prompt : "");
  const close = () => forking.set(null);
  const set = (change: (value: string) => void) => (event: { target: { value: string } }) => {
    setProblem(null);
    // Another request is another action.
    key.current = actionKey();
    change(event.target.value);
  };
  const run = async () => {
    if (sending || offline) return;
    setSending(true);
    setProblem(null);
    try {
      const made = await forkSession(session.id, request, key.current);
      keep(made);
      say(`Creating ${made.title}`);
      goAndType(made.id, close);
    } catch (error) {
      if (isAnswered(error)) key.current = actionKey();
      setProblem(asProblem(error));
      setSending(false);
    }
  };
  useEffect(() => {
    if (problem) document.getElementById(`fork-${problem.field ?? ""}`)?.focus();
  }, [problem]);
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    void run();
  };
  const bad = (field: string) => problem?.field === field;
  const said = (field: string) => <FieldProblem field={field} problem={problem} />;
  return (
    <Dialog slim title="Fork" onClose={close}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: one key works in every field */}
      <div style={{ display: "contents" }} onKeyDown={onKey}>
        <form
          className="form"
          id="fork"
          onSubmit={(event) => {
            event.preventDefault();
            void run();
          }}
        >
          <p className="mid wide">
            A new session on a new branch and worktree, which begin where “<Shown text={session.title} />” is
            now, its uncommitted and untracked files included. That one is only read, and runs on.
          </p>
          <label htmlFor="fork-title">Title</label>
          <div>
            <div className="field">
              <input
                id="fork-title"
                data-first
                dir="auto"
                autoComplete="off"
                aria-invalid={bad("title")}
                placeholder={`${session.title} (fork)`}
                value={title}
                onChange={set(setTitle)}
              />
            </div>
            <HiddenIn text={title} />
            {said("title")}
          </div>
          <label htmlFor="fork-branch">Branch</label>
          <div>
            <div className="field mono">
              <input
                id="fork-branch"
                autoComplete="off"
                autoCapitalize="none"
                autoCorrect="off"
                spellCheck={false}
                aria-invalid={bad("branch")}
                placeholder="Made from the title"
                value={branch}
                onChange={set(setBranch)}
              />
            </div>
            {said("branch")}
          </div>
          {withTask && (
            <>
              <label htmlFor="fork-prompt">Task</label>
              <div>
                <div className="field area">
                  <textarea
                    id="fork-prompt"
                    rows={4}
                    aria-invalid={bad("prompt")}
                    aria-describedby="fork-prompt-hint"
                    value={prompt}
                    onChange={set(setPrompt)}
                  />
                </div>
                <p className="hint" id="fork-prompt-hint">
                  Given to the agent at its start. Leave it empty to start with the same task again.
                </p>
                {said("prompt")}
              </div>
            </>
          )}
        </form>
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: as above */}
      <footer onKeyDown={onKey}>
        <Line text={forkLine(session.id, request)} />
        {problem && !FIELDS.includes(problem.field ?? "") && <Unplaced problem={problem} />}
        <div className="go">
          <span className="dim cut" role="status">
            {offline ? `${AWAY}.` : ""}
          </span>
          <button type="button" className="btn bare tall right" onClick={close}>
            Cancel <kbd aria-hidden="true">Esc</kbd>
          </button>
          <button type="submit" form="fork" className="btn ink tall" disabled={sending || offline}>
            {sending ? "Forking" : "Fork"}
            <Keys keys={["Ctrl", "Enter"]} />
          </button>
        </div>
      </footer>
    </Dialog>
  );
}
