import type { SessionView } from "../api/types";
import { quote } from "../create/shell";
import { type Action, type Context, labelOf, NOT_HERE, offOf } from "../keys/action";
import type { ActionId } from "../keys/actions";
import { number } from "../parts/number";
import { group, groupOf, isOpen, matcher, nameOf, type Shown, shownState } from "../state/groups";
import type { Use } from "./use";

/** One line of the palette. */
export interface Found {
  /** Told apart by it. */
  id: string;
  kind: "session" | "action" | "place" | "branch" | "tag" | "agent" | "all";
  words: string;
  /** What tells it apart from others of its words, or why it cannot be had. */
  about: string;
  /** The state of a session. */
  state?: Shown;
  /** The action that it is. */
  action?: ActionId;
  off: string | null;
  /** The command of `qd` that does the same. */
  command: string | null;
  /** Where it leads. */
  path?: string;
}

export interface Section {
  title: string;
  rows: Found[];
}

export interface Local {
  sessions: readonly SessionView[];
  actions: readonly Action<ActionId>[];
  context: Context;
  use: Use;
}

const SHOWN = { empty: 8, mixed: 8, all: 40 };

/** In the order in which they are of interest. */
const STATES = [
  ...["Needs you", "Working", "Running", "Done", "Idle", "Paused", "Hibernated", "Failed", "Ended"],
];

/** What is found for what was typed, from what the page has: nothing is asked of the daemon. */
export function find(typed: string, local: Local): Section[] {
  const sign = typed.trimStart()[0] ?? "";
  const text = typed.trim();
  const rest = text.slice(1).trim();
  const out =
    sign === ">"
      ? inOrder(rest, actions(rest, local))
      : sign === "#"
        ? marked(rest, local, "tag")
        : sign === "@"
          ? marked(rest, local, "agent")
          : text === ""
            ? begin(local)
            : mixed(text, local);
  return out.filter(({ rows }) => rows.length > 0);
}

/** Who needs somebody, then what was open last; with no session, what can be done. */
function begin(local: Local): Section[] {
  const [first] = group(local.sessions, "");
  const byId = new Map(local.sessions.map((one) => [one.id, one]));
  const hot = first?.key === "Needs you" ? first.ids.flatMap((id) => byId.get(id) ?? []) : [];
  const open = local.context.session?.id;
  const recent = local.sessions
    .filter((one) => isOpen(one) && groupOf(one) !== "Needs you" && one.id !== open)
    .sort((a, b) => lastUse(local.use, b) - lastUse(local.use, a) || changed(b) - changed(a));
  if (hot.length + recent.length === 0) return actions("", local);
  return [
    { title: "Needs you", rows: hot.slice(0, SHOWN.empty).map(ofSession) },
    { title: "Recent", rows: recent.slice(0, SHOWN.empty).map(ofSession) },
  ];
}

function mixed(text: string, local: Local): Section[] {
  const { sessions, use } = local;
  const found = sorted(sessions.filter(matcher(text)), use);
  const rows = found.slice(0, SHOWN.mixed).map(ofSession);
  if (found.length > rows.length)
    rows.push({
      id: "all",
      kind: "all",
      words: `All ${found.length} in the list`,
      about: "",
      off: null,
      command: `qd ls --filter ${quote(text)}`,
      path: `/?q=${encodeURIComponent(text)}`,
    });
  const cut = (section: Section) => ({ ...section, rows: section.rows.slice(0, SHOWN.mixed) });
  return inOrder(text, [
    { title: "Sessions", rows },
    ...actions(text, local).map(cut),
    cut({ title: "Branches", rows: named(sessions, text, "branch") }),
  ]);
}

/** What begins with what was typed stands before what has it somewhere. */
function inOrder(text: string, sections: Section[]): Section[] {
  const keyed = sections.map((section) => ({
    section,
    fit: best(
      text,
      section.rows.filter(({ off }) => off === null).map(({ words }) => words),
    ),
  }));
  return keyed.sort((a, b) => b.fit - a.fit).map(({ section }) => section);
}

/** The tags or agents that have what was typed, and their sessions. */
function marked(text: string, local: Local, field: "tag" | "agent"): Section[] {
  const names = named(local.sessions, text, field);
  const has = new Set(names.map(({ words }) => words));
  const theirs = local.sessions.filter((one) => isOpen(one) && valuesOf(one, field).some((v) => has.has(v)));
  return [
    { title: field === "tag" ? "Tags" : "Agents", rows: names.slice(0, SHOWN.all) },
    { title: "Sessions", rows: sorted(theirs, local.use).slice(0, SHOWN.all).map(ofSession) },
  ];
}

/** What can be done: to the session that is open, else, and where one can go. What cannot be done now comes last. */
function actions(text: string, { actions: all, context, use }: Local): Section[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const { session, picked } = context;
  const of = picked.length > 0 ? `the ${picked.length} that are selected` : `“${session?.title ?? ""}”`;
  const parts = { session: `On ${of}`, page: "Actions", place: "Places" };
  const seen = new Set<string>();
  const hits = all.flatMap((one) => {
    // What opens the palette is no use in it, and what the terminal does needs its keys.
    if (one.id === "palette" || !one.run) return [];
    const off = offOf(one, context);
    if (off === NOT_HERE) return [];
    const label = labelOf(one, context);
    const command = off === null ? (one.command?.(context) ?? null) : null;
    const hay = `${label} ${one.words} ${one.also ?? ""} ${command ?? ""}`.toLowerCase();
    if (seen.has(label) || !words.every((word) => hay.includes(word))) return [];
    seen.add(label);
    const part: keyof typeof parts = one.onSession ? "session" : one.id.startsWith("go-") ? "place" : "page";
    const row: Found = {
      id: one.id,
      kind: part === "place" ? "place" : "action",
      words: label,
      about: off ?? "",
      action: one.id,
      off,
      command,
    };
    return [
      {
        part,
        row,
        rank: [
          Number(off !== null),
          -(use[one.id]?.times ?? 0),
          -best(text, [label, command?.slice("qd ".length) ?? ""]),
        ],
      },
    ];
  });
  hits.sort((a, b) => compare(a.rank, b.rank));
  return (["session", "page", "place"] as const).map((part) => ({
    title: parts[part],
    rows: hits.filter((hit) => hit.part === part).map(({ row }) => row),
  }));
}

function valuesOf(one: SessionView, field: "tag" | "agent" | "branch"): string[] {
  if (field === "tag") return one.tags;
  const value = one[field];
  return value ? [value] : [];
}

const COMMANDS = { tag: "tag", agent: "agent", branch: "branch" } as const;

/** Names that several sessions may have; each leads to the list of those. */
function named(all: readonly SessionView[], text: string, field: keyof typeof COMMANDS): Found[] {
  const count = new Map<string, number>();
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  for (const one of all)
    if (isOpen(one)) for (const value of valuesOf(one, field)) count.set(value, (count.get(value) ?? 0) + 1);
  return [...count]
    .filter(([value]) => words.every((word) => value.toLowerCase().includes(word)))
    .sort(([a, x], [b, y]) => best(text, [b]) - best(text, [a]) || y - x || (a < b ? -1 : 1))
    .map(([value, n]) => ({
      id: `${field} ${value}`,
      kind: field,
      words: value,
      about: number(n, "session"),
      off: null,
      command: `qd ls --filter ${quote(`${field}:${value}`)}`,
      path: `/?q=${encodeURIComponent(`${field}:${value}`)}`,
    }));
}

/** By state first, then by use, then what changed last. */
function sorted(all: readonly SessionView[], use: Use): SessionView[] {
  const keyed = all.map((one) => ({
    one,
    rank: [
      isOpen(one) ? STATES.indexOf(groupOf(one)) : STATES.length,
      -(use[one.id]?.times ?? 0),
      -lastUse(use, one),
      -changed(one),
    ],
  }));
  return keyed.sort((a, b) => compare(a.rank, b.rank)).map(({ one }) => one);
}

function ofSession(one: SessionView): Found {
  const branch = one.branch ? ` · ${one.branch}` : "";
  return {
    id: `session ${one.id}`,
    kind: "session",
    words: one.title,
    about: `${one.agent} · ${nameOf(one.repo)}${branch}`,
    state: shownState(one),
    off: null,
    command: `qd ${attaches(one) ? "attach" : "show"} ${one.id}`,
    path: `/s/${encodeURIComponent(one.id)}/terminal`,
  };
}

/** Whether to open it is to go into its terminal; else there is only something to look at. */
function attaches({ state, kind }: SessionView): boolean {
  return kind !== "adopted" && (state === "running" || state === "hibernated");
}

/** How well the best of these fits: 3 begins with it, 2 has a word that does, 1 has it, 0 has it elsewhere. */
function best(text: string, all: readonly string[]): number {
  const want = text.toLowerCase();
  const one = (words: string) => {
    const hay = words.toLowerCase();
    const at = hay.indexOf(want);
    if (at < 0) return 0;
    if (at === 0) return 3;
    return hay.includes(` ${want}`) ? 2 : 1;
  };
  return all.reduce((most, words) => Math.max(most, one(words)), 0);
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [i, one] of a.entries()) {
    const order = one - (b[i] ?? one);
    if (order) return order;
  }
  return 0;
}

function lastUse(use: Use, { id }: SessionView): number {
  return use[id]?.at ?? 0;
}

function changed(one: SessionView): number {
  return Date.parse(one.changed_at) || 0;
}
