import { createStore } from "../state/store";

/** A task that was given before. */
export interface Given {
  text: string;
  /** Epoch ms by this device's clock. */
  at: number;
  /** Whether its places were filled in. */
  fill: boolean;
}

export interface Template {
  id: string;
  name: string;
  text: string;
}

/** What this device keeps of tasks, in the browser only. */
export interface Kept {
  /** Whether tasks are kept at all; templates always are. */
  on: boolean;
  given: Given[];
  templates: Template[];
}

const KEY = "qd.tasks";
export const GIVEN_MOST = 50;
export const TEMPLATES_MOST = 50;
/** Characters of one task that is kept; a longer one is not. */
export const TEXT_MOST = 20_000;
export const NAME_MOST = 80;

const NOTHING: Kept = { on: true, given: [], templates: [] };

function isText(value: unknown): value is string {
  return typeof value === "string" && value.length <= TEXT_MOST;
}

/** What is stored, as far as it can be read. */
export function read(text: string | null): Kept {
  try {
    const value = JSON.parse(text ?? "{}") as Partial<Record<keyof Kept, unknown>> | null;
    const list = (of: unknown) => (Array.isArray(of) ? (of as Partial<Given & Template>[]) : []);
    return {
      on: value?.on !== false,
      given: list(value?.given)
        .flatMap((g) =>
          g && isText(g.text) ? [{ text: g.text, at: Number(g.at) || 0, fill: g.fill === true }] : [],
        )
        .slice(0, GIVEN_MOST),
      templates: list(value?.templates)
        .flatMap((t) =>
          t && isText(t.id) && isText(t.name) && isText(t.text)
            ? [{ id: t.id, name: t.name, text: t.text }]
            : [],
        )
        .slice(0, TEMPLATES_MOST),
    };
  } catch {
    return NOTHING;
  }
}

function load(without: Kept): Kept {
  try {
    return read(localStorage.getItem(KEY));
  } catch {
    // No storage: it lasts as long as the page.
    return without;
  }
}

export const kept = createStore<Kept>(load(NOTHING));

/** Takes over what another tab has kept; ends with the function that it gives. */
export function followKept(): () => void {
  const take = (event: StorageEvent) => {
    if (event.key === null || event.key === KEY) kept.set(load(kept.get()));
  };
  addEventListener("storage", take);
  return () => removeEventListener("storage", take);
}

/** Changes what is stored now: another tab may have changed it since. */
function change(next: (old: Kept) => Kept) {
  const now = next(load(kept.get()));
  kept.set(now);
  try {
    localStorage.setItem(KEY, JSON.stringify(now));
  } catch {
    // Full or none: as above.
  }
}

/** Keeps a task that was given, as the newest, each text once. */
export function remember(text: string, fill: boolean, at: number) {
  const task = text.trim();
  if (task === "" || task.length > TEXT_MOST) return;
  change((old) => {
    if (!old.on) return old;
    const others = old.given.filter((one) => one.text !== task);
    return { ...old, given: [{ text: task, at, fill }, ...others].slice(0, GIVEN_MOST) };
  });
}

export function keepTasks(on: boolean) {
  change((old) => ({ ...old, on }));
}

export function saveTemplate(template: Template) {
  change((old) => {
    const there = old.templates.some(({ id }) => id === template.id);
    if (!there && old.templates.length >= TEMPLATES_MOST) return old;
    const templates = there
      ? old.templates.map((one) => (one.id === template.id ? template : one))
      : [...old.templates, template];
    return { ...old, templates };
  });
}

/** Takes something away, and gives what brings it back. */
export function remove(what: { given?: string; template?: string; all?: true }): () => void {
  const before = load(kept.get());
  const goes = (one: Given) => what.all === true || one.text === what.given;
  change((old) => ({
    ...old,
    given: old.given.filter((one) => !goes(one)),
    templates: old.templates.filter(({ id }) => id !== what.template),
  }));
  return () =>
    change((old) => ({
      ...old,
      given: merged(before.given.filter(goes), old.given),
      templates: placed(
        before.templates.findIndex(({ id }) => id === what.template),
        before.templates,
        old.templates,
      ),
    }));
}

/** Newest first, each text once. */
function merged(back: Given[], now: Given[]): Given[] {
  const there = new Set(now.map(({ text }) => text));
  return [...now, ...back.filter(({ text }) => !there.has(text))]
    .sort((a, b) => b.at - a.at)
    .slice(0, GIVEN_MOST);
}

function placed(at: number, before: Template[], now: Template[]): Template[] {
  const one = before[at];
  if (!one || now.some(({ id }) => id === one.id)) return now;
  return [...now.slice(0, at), one, ...now.slice(at)];
}

/** Those in which each word is, whatever its letters' size. */
export function matching<T>(all: readonly T[], words: string, text: (one: T) => string): T[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return all.filter((one) => {
    const has = text(one).toLowerCase();
    return wanted.every((word) => has.includes(word));
  });
}
