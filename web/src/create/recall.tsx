import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { Icon } from "../parts/icons";
import { number } from "../parts/number";
import { Shown } from "../parts/text";
import { useStore } from "../state/store";
import { age } from "../state/time";
import {
  keepTasks,
  kept,
  matching,
  NAME_MOST,
  remove,
  saveTemplate,
  TEMPLATES_MOST,
  TEXT_MOST,
  type Template,
} from "./prompts";

/** Letters of a task that are shown in the list. */
const SHOWN_MOST = 200;

/** Tasks that were given before, and templates: to find, to take, to delete. */
export function Recall({
  id,
  task,
  title,
  onTake,
  onClose,
}: {
  id: string;
  /** What stands in the field now, and what a template of it would be called. */
  task: string;
  title: string;
  onTake(text: string, fill: boolean): void;
  onClose(): void;
}) {
  const { on, given, templates } = useStore(kept);
  const [words, setWords] = useState("");
  const [editing, setEditing] = useState<Template | null>(null);
  const [gone, setGone] = useState<{ words: string; undo(): void } | null>(null);
  const box = useRef<HTMLElement>(null);
  useEffect(() => box.current?.querySelector("input")?.focus(), []);
  const found = matching(given, words, (one) => one.text);
  const named = matching(templates, words, (one) => `${one.name} ${one.text}`);
  const take = (text: string, fill: boolean) => {
    // It gives the focus back, and what is taken wants it.
    onClose();
    onTake(text, fill);
  };
  const drop = (what: Parameters<typeof remove>[0], said: string) => {
    const undo = remove(what);
    setGone({ words: said, undo });
    // The button that was pressed goes with what it deleted.
    requestAnimationFrame(() => box.current?.querySelector<HTMLElement>(".undone button")?.focus());
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      if (editing) setEditing(null);
      else onClose();
      return;
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || event.target instanceof HTMLTextAreaElement) return;
    const stops = [...(box.current?.querySelectorAll<HTMLElement>("[data-stop]") ?? [])];
    const at = stops.indexOf(document.activeElement as HTMLElement);
    const next = stops[at + step];
    if (!next) return;
    event.preventDefault();
    next.focus();
  };
  return (
    <section className="recall" id={id} aria-label="Earlier tasks and templates" ref={box} onKeyDown={onKey}>
      {editing ? (
        <EditTemplate
          template={editing}
          onSave={(next) => {
            saveTemplate(next);
            setEditing(null);
          }}
          onCancel={() => setEditing(null)}
        />
      ) : (
        <>
          <div className="field quiet">
            <Icon name="search" size="s" />
            <input
              type="text"
              data-stop
              aria-label="Search earlier tasks and templates"
              placeholder="Search"
              autoComplete="off"
              spellCheck={false}
              value={words}
              onChange={(event) => setWords(event.target.value)}
              onKeyDown={(event) => {
                // Not the form's: nothing is created by a search.
                if (event.key !== "Enter" || event.ctrlKey || event.metaKey) return;
                event.preventDefault();
                const first = named[0] ?? found[0];
                if (words !== "" && first) take(first.text, "id" in first || first.fill);
              }}
            />
          </div>
          <div className="recalled">
            {named.length > 0 && <h2>Templates</h2>}
            <ul>
              {named.map((one) => (
                <Item
                  key={one.id}
                  onTake={() => take(one.text, true)}
                  acts={
                    <button
                      type="button"
                      className="btn bare"
                      aria-label={`Edit the template ${one.name}`}
                      onClick={() => setEditing(one)}
                    >
                      Edit
                    </button>
                  }
                  onDelete={() => drop({ template: one.id }, `“${one.name}” deleted.`)}
                  name={`Delete the template ${one.name}`}
                >
                  <span className="strong">
                    <Shown text={one.name} />
                  </span>{" "}
                  <span className="cut dim">
                    <Shown text={oneLine(one.text)} />
                  </span>
                </Item>
              ))}
            </ul>
            {found.length > 0 && <h2>Earlier tasks</h2>}
            <ul>
              {found.map((one) => (
                <Item
                  key={one.text}
                  onTake={() => take(one.text, one.fill)}
                  onDelete={() => drop({ given: one.text }, "Task deleted.")}
                  name="Delete this task"
                >
                  <span className="cut">
                    <Shown text={oneLine(one.text)} />
                  </span>
                  {one.at > 0 && <span className="dim when num">{age(Date.now() - one.at)}</span>}
                </Item>
              ))}
            </ul>
            {named.length + found.length === 0 && (
              <p className="hint">
                {words !== ""
                  ? "Nothing has these words."
                  : on
                    ? "Nothing yet. The tasks that sessions were made with are kept here, on this device only."
                    : "Nothing is kept."}
              </p>
            )}
          </div>
          {gone && (
            <p className="undone" role="status">
              <Shown text={gone.words} />
              <button
                type="button"
                className="link"
                onClick={() => {
                  gone.undo();
                  setGone(null);
                  box.current?.querySelector("input")?.focus();
                }}
              >
                Undo
              </button>
            </p>
          )}
          <div className="acts">
            <button
              type="button"
              className="btn"
              disabled={task.trim() === "" || task.length > TEXT_MOST || templates.length >= TEMPLATES_MOST}
              title={
                templates.length >= TEMPLATES_MOST
                  ? `${TEMPLATES_MOST} templates are the most`
                  : task.trim() === ""
                    ? "Write the task first"
                    : undefined
              }
              onClick={() => setEditing({ id: freshId(), name: title.slice(0, NAME_MOST), text: task })}
            >
              Save as a template
            </button>
            {given.length > 0 && (
              <button
                type="button"
                className="btn bare"
                onClick={() => drop({ all: true }, `${number(given.length, "task")} deleted.`)}
              >
                Delete all earlier tasks
              </button>
            )}
            <label className="check">
              <input type="checkbox" checked={on} onChange={(event) => keepTasks(event.target.checked)} />
              Keep tasks on this device
            </label>
          </div>
        </>
      )}
    </section>
  );
}

function oneLine(text: string): string {
  const line = text.slice(0, SHOWN_MOST).replace(/\s+/g, " ");
  return text.length > SHOWN_MOST ? `${line}…` : line;
}

function freshId(): string {
  return `t${Date.now().toString(36)}${Math.floor(performance.now() * 1000).toString(36)}`;
}

function Item({
  children,
  acts,
  name,
  onTake,
  onDelete,
}: {
  children: ReactNode;
  acts?: ReactNode;
  /** What the button that deletes it is called. */
  name: string;
  onTake(): void;
  onDelete(): void;
}) {
  return (
    <li>
      <button type="button" className="take" data-stop onClick={onTake}>
        {children}
      </button>
      {acts}
      <button type="button" className="btn bare icon" aria-label={name} onClick={onDelete}>
        <Icon name="x" size="s" />
      </button>
    </li>
  );
}

function EditTemplate({
  template,
  onSave,
  onCancel,
}: {
  template: Template;
  onSave(next: Template): void;
  onCancel(): void;
}) {
  const [name, setName] = useState(template.name);
  const [text, setText] = useState(template.text);
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  const able = name.trim() !== "" && text.trim() !== "";
  const save = () => {
    if (able) onSave({ ...template, name: name.trim(), text: text.trim() });
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: one key saves from either field
    <div
      className="edit"
      onKeyDown={(event) => {
        if (
          event.key !== "Enter" ||
          (event.target instanceof HTMLTextAreaElement && !event.ctrlKey && !event.metaKey)
        )
          return;
        if (event.target instanceof HTMLButtonElement) return;
        event.preventDefault();
        event.stopPropagation();
        save();
      }}
    >
      <label>
        Name
        <span className="field">
          <input
            ref={first}
            dir="auto"
            maxLength={NAME_MOST}
            autoComplete="off"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </span>
      </label>
      <label>
        Task of the template
        <span className="field area">
          <textarea
            rows={3}
            dir="auto"
            maxLength={TEXT_MOST}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </span>
      </label>
      <p className="hint">
        <span className="mono">{"{title} {branch} {repo} {base} {agent}"}</span> are filled in when a session
        is made.
      </p>
      <div className="acts">
        <button type="button" className="btn ink" disabled={!able} onClick={save}>
          Save
        </button>
        <button type="button" className="btn" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </div>
  );
}
