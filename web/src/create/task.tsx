import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { Icon } from "../parts/icons";
import { Shown } from "../parts/text";
import { useStore } from "../state/store";
import { type Draft, titleOf } from "./draft";
import { placesIn } from "./fill";
import { followKept, type Given, kept } from "./prompts";
import { Recall } from "./recall";

/** The task: written, taken from before, or from a template. */
export function TaskField({
  d,
  given,
  withTask,
  invalid,
  set,
  said,
}: {
  d: Draft;
  /** The task as the first of them gets it. */
  given: string;
  /** Whether anything that is made takes it. */
  withTask: boolean;
  invalid: boolean;
  set(fields: Partial<Draft>): void;
  said: ReactNode;
}) {
  const [open, setOpen] = useState(false);
  const panel = useId();
  const button = useRef<HTMLButtonElement>(null);
  const onKey = useEarlier(d, set);
  useEffect(followKept, []);
  const places = placesIn(d.task);
  return (
    <>
      <div className="lab reuse">
        <label htmlFor="f-prompt">Task</label>
        <button
          ref={button}
          type="button"
          className="tag open"
          aria-label="Reuse an earlier task or a template"
          aria-expanded={open}
          aria-controls={panel}
          onClick={() => setOpen(!open)}
        >
          <Icon name="clock" size="xs" />
          Reuse
        </button>
      </div>
      <div>
        <div className="field area">
          <textarea
            id="f-prompt"
            rows={4}
            dir="auto"
            data-first
            aria-invalid={invalid}
            aria-describedby="h-prompt"
            value={d.task}
            onChange={(event) =>
              set({ task: event.target.value, ...(event.target.value === "" && { fill: false }) })
            }
            onKeyDown={onKey}
          />
        </div>
        <p className="hint" id="h-prompt">
          {withTask
            ? "Given to the agent at its start. Leave it empty to start without a task."
            : `${d.agent === "shell" ? "A shell" : d.agent === "command" ? "A command" : d.agent} takes no task at its start: it only makes the title here.`}
        </p>
        {withTask && places.length > 0 && (
          <div className="hint filled">
            <p role="status">
              {d.fill ? (
                <>
                  Given as: <Shown text={short(given)} />
                </>
              ) : (
                <>
                  <span className="mono">{places.map((name) => `{${name}}`).join(" ")}</span>{" "}
                  {places.length === 1 ? "is" : "are"} given as written.
                </>
              )}
            </p>
            <button type="button" className="link" onClick={() => set({ fill: !d.fill })}>
              {d.fill ? "Leave as written" : "Fill in"}
            </button>
          </div>
        )}
        {said}
        {open && (
          <Recall
            id={panel}
            task={d.task}
            title={titleOf(d)}
            onTake={(task, fill) => {
              set({ task, fill });
              // Where it can be changed before it is given.
              document.getElementById("f-prompt")?.focus();
            }}
            onClose={() => {
              setOpen(false);
              button.current?.focus();
            }}
          />
        )}
      </div>
    </>
  );
}

function short(text: string): string {
  const line = text.slice(0, 120).replace(/\s+/g, " ");
  return text.length > 120 ? `${line}…` : line;
}

/** Up at the beginning of the task goes to the ones before, Down back to what was being written. */
function useEarlier(d: Draft, set: (fields: Partial<Draft>) => void) {
  const given = useStore(kept, (all) => all.given);
  const at = useRef(-1);
  const written = useRef<Omit<Given, "at">>({ text: "", fill: false });
  return (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const step = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (step === undefined || event.nativeEvent.isComposing) return;
    const { selectionStart, selectionEnd, value } = event.currentTarget;
    // What was changed since is no longer that one.
    if (at.current >= 0 && given[at.current]?.text !== value) at.current = -1;
    const edge = selectionStart === 0 || (step < 0 && selectionStart === value.length);
    if (selectionStart !== selectionEnd || !edge) return;
    if (step < 0 && at.current < 0) return;
    const next = at.current + step;
    const one = next < 0 ? written.current : given[next];
    if (!one) return;
    event.preventDefault();
    if (at.current < 0) written.current = { text: d.task, fill: d.fill };
    at.current = next;
    set({ task: one.text, fill: one.fill });
    const area = event.currentTarget;
    requestAnimationFrame(() => area.setSelectionRange(0, 0));
  };
}
