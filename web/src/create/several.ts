import type { AgentInfo, Branches, NewSession } from "../api/types";
import {
  branchOf,
  type Draft,
  type Own,
  requestOf,
  startOf,
  takesPrompt,
  titleMade,
  titleOf,
  type Wrong,
} from "./draft";
import { branchBeside, branchFrom, folderFor, titleBeside, wordsOf } from "./names";
import { split } from "./shell";

/** So many are made at once, at most. */
export const MOST_AT_ONCE = 10;

/** One session that will be made. */
export interface Planned {
  key: string;
  /** The draft of this one alone. */
  draft: Draft;
  request: NewSession | Wrong;
  title: string;
  /** Null where it works on what is checked out. */
  branch: string | null;
  /** Where it works; the id of the session is still to come at its end where `unnamed`. */
  folder: string | null;
  unnamed: boolean;
}

export function isWrong(request: NewSession | Wrong): request is Wrong {
  return "words" in request;
}

export const FIRST = "first";

/** What the sessions of a draft have of their own; the first is the one of the fields. */
export function ownOf(d: Draft): Own[] {
  return [{ key: FIRST, agent: d.agent, command: d.command, ...d.first }, ...d.also];
}

/** The draft with other things for one of several. */
export function withOwn(d: Draft, key: string, fields: Partial<Omit<Own, "key">>): Partial<Draft> {
  if (key !== FIRST) return { also: d.also.map((one) => (one.key === key ? { ...one, ...fields } : one)) };
  const { agent = d.agent, command = d.command, ...names } = fields;
  return { agent, command, first: { ...d.first, ...names } };
}

/** The draft without one of several: when it was the first, the second takes its place. */
export function withoutOwn(d: Draft, key: string): Partial<Draft> {
  const [next, ...rest] = d.also;
  if (key !== FIRST || !next) return { also: d.also.filter((one) => one.key !== key) };
  const { agent, command, title, branch } = next;
  return { agent, command, first: { title, branch }, also: rest };
}

let made = 0;

/** The draft with one more: an agent that is not among them yet, else the last one again. */
export function withAnother(d: Draft, agents: readonly AgentInfo[] | null): Partial<Draft> {
  const all = ownOf(d);
  if (all.length >= MOST_AT_ONCE) return {};
  const last = all.at(-1);
  const isAgent = d.agent !== "shell" && d.agent !== "command";
  const next = agents?.find(
    ({ name, found }) => found !== null && name !== "shell" && !all.some((one) => one.agent === name),
  );
  made += 1;
  const one: Own = {
    key: `also-${Date.now().toString(36)}-${made}`,
    agent: (isAgent && next?.name) || (last?.agent ?? "shell"),
    command: last?.command ?? "",
    title: null,
    branch: null,
  };
  return { also: [...d.also, one] };
}

/** What one of several is called beside the others: its agent, or its program. */
function called({ agent, command }: Own): string {
  if (agent !== "command") return agent;
  return (split(command)?.[0] ?? "command").split("/").at(-1) || "command";
}

/** What will be made of a draft, in order. */
export function planOf(d: Draft, branches: Branches | null, agents: readonly AgentInfo[] | null): Planned[] {
  const own = ownOf(d);
  if (own.length === 1) return [planned(FIRST, d, branches, agents)];
  const taken = [
    ...(branches?.local ?? []),
    ...own.flatMap(({ branch }) => (branch === null ? [] : [branch])),
  ];
  const names = new Map<string, number>();
  const common = titleOf(d).trim();
  return own.map((one) => {
    const what = called(one);
    const n = (names.get(what) ?? 0) + 1;
    names.set(what, n);
    const more = n === 1 ? what : `${what} ${n}`;
    const title = one.title ?? titleBeside(common, more);
    const part = wordsOf(more) || "session";
    const next =
      d.branchEdited && d.branch !== ""
        ? branchBeside(d.branch, part, taken)
        : branchFrom(common, taken, part);
    if (one.branch === null) taken.push(next);
    const alone: Draft = {
      ...d,
      agent: one.agent,
      command: one.command,
      title,
      titleEdited: true,
      branch: one.branch ?? next,
      branchEdited: true,
      workIn: d.workIn === "branch" ? "new" : d.workIn,
      first: { title: null, branch: null },
      also: [],
    };
    const result = planned(one.key, alone, branches, agents);
    if (isWrong(result.request)) return result;
    const twice = result.branch !== null && own.some((o) => o !== one && o.branch === result.branch);
    if (twice) result.request = { field: "branch", words: "Each session needs a branch of its own." };
    // They are asked to work in one folder.
    else if (d.workIn === "in-place" || d.workIn === "worktree") result.request.shared = true;
    return result;
  });
}

function planned(
  key: string,
  d: Draft,
  branches: Branches | null,
  agents: readonly AgentInfo[] | null,
): Planned {
  const request = requestOf(d, branches, takesPrompt(agents, d.agent));
  const title = titleMade(d);
  const asked = d.repo.trim();
  if (d.workIn === "in-place")
    return { key, draft: d, request, title, branch: null, folder: branches?.repo ?? asked, unnamed: false };
  if (d.workIn === "worktree")
    return { key, draft: d, request, title, branch: null, folder: d.worktree, unnamed: false };
  const branch = (d.workIn === "new" ? branchOf(d, branches) : d.existing).trim();
  const folder = branches && branch !== "" ? folderFor(branches.worktrees_in, branch) : null;
  return { key, draft: d, request, title, branch, folder, unnamed: true };
}

/** The field of one of several that a field of its request is. */
export function fieldOf(key: string, field: string): string {
  const isOwn = field === "title" || field === "branch" || (field === "command" && key !== FIRST);
  return isOwn ? `${field}-${key}` : field;
}

/** How a branch of a plan begins. */
export function beginOf(d: Draft, branches: Branches | null, branch: string): string {
  if (branches?.local.includes(branch)) return "there already, checked out as it is";
  const { name, fetched } = startOf(d.base, branches);
  return fetched ? `from ${name}, fetched first` : `from ${name}`;
}

/** The drafts of several sessions as one again, so that they can be changed and tried again. */
export function together(drafts: readonly Draft[]): Draft | null {
  const [first, ...rest] = drafts;
  if (!first) return null;
  if (rest.length === 0) return first;
  return { ...first, first: { title: first.title, branch: first.branch }, also: rest.map(toOwn) };
}

function toOwn({ agent, command, title, branch }: Draft, i: number): Own {
  return { key: `again-${i}`, agent, command, title, branch };
}
