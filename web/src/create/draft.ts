import type { AgentInfo, Branches, NewSession, SessionView } from "../api/types";
import { createKeptStore } from "../state/store";
import { fillIn, type Open, placesIn } from "./fill";
import { branchFrom, titleFrom, titleWrong } from "./names";
import { quote, split } from "./shell";

export type WorkIn = "new" | "branch" | "worktree" | "in-place";

/** What one of several sessions has of its own; what is null follows from what they share. */
export interface Own {
  key: string;
  agent: string;
  command: string;
  title: string | null;
  branch: string | null;
}

/** What stands in the create dialog. It is kept when the dialog is closed, until it was created. */
export interface Draft {
  task: string;
  /** The places of a template in the task, such as `{branch}`, are filled in. */
  fill: boolean;
  /** An agent's name, `shell` or `command`; empty until the agents are known. */
  agent: string;
  command: string;
  repo: string;
  workIn: WorkIn;
  branch: string;
  /** The branch and the title follow the task until they are edited. */
  branchEdited: boolean;
  base: string;
  existing: string;
  worktree: string;
  title: string;
  titleEdited: boolean;
  tags: string;
  size: string;
  env: string;
  more: boolean;
  /** The title and the branch of this session where it is the first of several. */
  first: Pick<Own, "title" | "branch">;
  /** Further sessions that are made with it. */
  also: Own[];
}

export const EMPTY: Draft = {
  task: "",
  fill: false,
  agent: "",
  command: "",
  repo: "",
  workIn: "new",
  branch: "",
  branchEdited: false,
  base: "",
  existing: "",
  worktree: "",
  title: "",
  titleEdited: false,
  tags: "",
  size: "",
  env: "",
  more: false,
  first: { title: null, branch: null },
  also: [],
};

export const draft = createKeptStore<Draft>("qd.draft", EMPTY);

/** What was last chosen stays for the next one; what was said about this one does not. */
export function clearDraft() {
  draft.set(({ agent, repo, workIn, command }) => ({
    ...EMPTY,
    agent,
    repo,
    command,
    workIn: workIn === "in-place" ? "in-place" : "new",
  }));
}

/** The drafts of the sessions that were made last, for another try. */
const sent = new Map<string, Draft>();
const SENT_MOST = 50;

export function rememberSent(id: string, what: Draft) {
  sent.set(id, what);
  for (const old of sent.keys()) {
    if (sent.size <= SENT_MOST) break;
    sent.delete(old);
  }
}

export function reuseDraft(session: SessionView) {
  const before = sent.get(session.id);
  if (before) {
    draft.set(before);
    return;
  }
  draft.set({
    ...EMPTY,
    agent: session.agent,
    command: session.agent === "command" ? session.command.map(quote).join(" ") : "",
    repo: session.repo,
    workIn:
      session.kind === "in-place" ? "in-place" : session.kind === "existing-worktree" ? "worktree" : "new",
    branch: session.branch ?? "",
    branchEdited: session.branch !== null,
    base: session.base ?? "",
    worktree: session.kind === "existing-worktree" ? session.repo : "",
    title: session.title,
    titleEdited: true,
    tags: session.tags.join(" "),
  });
}

/** Where a new branch begins, and whether that is fetched first, as far as it is known. */
export function startOf(base: string, branches: Branches | null): { name: string; fetched: boolean } {
  if (branches === null) return { name: base || "the default branch", fetched: false };
  const { local, remote } = branches;
  if (base !== "") return { name: base, fetched: !local.includes(base) && remote.includes(base) };
  const main = branches.default ?? "";
  const theirs = `${remoteOf(remote)}/${main}`;
  if (main !== "" && remote.includes(theirs)) return { name: theirs, fetched: true };
  return { name: main || "the default branch", fetched: false };
}

/** The remote that counts, by the names of its branches; empty where that cannot be told. */
function remoteOf(branches: readonly string[]): string {
  const names = new Set(branches.map((name) => name.split("/")[0] ?? ""));
  return names.has("origin") ? "origin" : names.size === 1 ? ([...names][0] ?? "") : "";
}

/** The task without what is filled in later: its title cannot be made of the title. */
function taskAsTitle(d: Draft): string {
  if (!d.fill) return d.task;
  return fillIn(d.task, { ...knownOf(d), base: d.base }).replace(/[^\S\n]+/g, " ");
}

function knownOf({ agent, repo }: Draft): Partial<Record<Open, string>> {
  return { agent, repo: repo.trim().replace(/\/+$/, "").split("/").at(-1) };
}

export function titleOf(d: Draft): string {
  return d.titleEdited ? d.title : titleFrom(taskAsTitle(d));
}

/** The title that it gets when none is given, as the daemon makes it. */
export function titleMade(d: Draft): string {
  const given = titleOf(d).trim();
  if (given !== "") return given;
  if (d.agent !== "command") return d.agent;
  const [program, ...rest] = split(d.command) ?? [];
  return program === undefined ? "" : titleFrom([program.split("/").at(-1), ...rest].join(" "));
}

export function branchOf(d: Draft, branches: Branches | null): string {
  return d.branchEdited ? d.branch : branchFrom(titleMade(d), branches?.local ?? []);
}

/** The task as it is given to the agent. */
export function promptOf(d: Draft, branches: Branches | null): string {
  const task = d.task.trim();
  if (!d.fill || placesIn(task).length === 0) return task;
  const { name: base } = startOf(d.base, branches);
  const branch = d.workIn === "branch" ? d.existing : d.workIn === "new" ? branchOf(d, branches) : "";
  return fillIn(task, { ...knownOf(d), title: titleMade(d), branch, base });
}

/** Whether a task is sent. One that is not known to take none gets it: the daemon refuses it if it must. */
export function takesPrompt(agents: readonly AgentInfo[] | null, name: string): boolean {
  const known = agents?.find((agent) => agent.name === name)?.takes_prompt;
  return known ?? (name !== "shell" && name !== "command");
}

/** A field that the page itself can tell to be wrong. */
export interface Wrong {
  field: string;
  words: string;
}

/** The request for a draft, or what is wrong with it. */
export function requestOf(d: Draft, branches: Branches | null, withTask: boolean): NewSession | Wrong {
  if (d.repo.trim() === "") return { field: "repo", words: "Choose the folder to work in." };
  if (!d.repo.trim().startsWith("/"))
    return { field: "repo", words: "Give the path of the folder from its first slash on." };
  const out: NewSession = { repo: d.repo.trim() };
  if (d.agent === "command") {
    const words = split(d.command);
    if (words === null) return { field: "command", words: "A quote is not closed." };
    if (words.length === 0) return { field: "command", words: "Write the command to run." };
    out.command = words;
  } else if (d.agent !== "") out.agent = d.agent;
  const prompt = withTask ? promptOf(d, branches) : "";
  if (prompt !== "") out.prompt = prompt;
  const title = titleOf(d).trim();
  const wrong = titleWrong(titleOf(d));
  if (wrong !== null) return { field: "title", words: wrong };
  if (title !== "") out.title = title;
  switch (d.workIn) {
    case "new": {
      const branch = branchOf(d, branches).trim();
      if (branch !== "") out.branch = branch;
      if (d.base !== "") out.base = d.base;
      break;
    }
    case "branch":
      if (d.existing === "") return { field: "branch", words: "Choose a branch." };
      out.branch = d.existing;
      break;
    case "worktree":
      if (d.worktree === "") return { field: "worktree", words: "Choose a worktree." };
      out.worktree = d.worktree;
      break;
    case "in-place":
      out.in_place = true;
  }
  const tags = d.tags.split(/[\s,]+/).filter(Boolean);
  if (tags.length > 0) out.tags = tags;
  if (d.size.trim() !== "") {
    const size = /^(\d+)\s*[x×]\s*(\d+)$/i.exec(d.size.trim());
    if (!size) return { field: "cols", words: "Write it as columns and rows, such as 120x40." };
    out.cols = Number(size[1]);
    out.rows = Number(size[2]);
  }
  const env: Record<string, string> = {};
  for (const line of d.env.split("\n")) {
    if (line.trim() === "") continue;
    const at = line.indexOf("=");
    if (at < 1) return { field: "env", words: "Write one NAME=value a line." };
    env[line.slice(0, at).trim()] = line.slice(at + 1);
  }
  if (Object.keys(env).length > 0) out.env = env;
  return out;
}

/** The command that does the same. */
export function commandLine(request: NewSession): string {
  const words = ["qd new"];
  const add = (flag: string, value: string | undefined) => {
    if (value !== undefined) words.push(`${flag} ${quote(value)}`);
  };
  add("--repo", request.repo);
  add("--agent", request.agent);
  add("--command", request.command?.map(quote).join(" "));
  add("--base", request.base);
  add("--branch", request.branch);
  add("--worktree", request.worktree);
  if (request.in_place) words.push("--in-place");
  if (request.shared) words.push("--shared");
  add("--title", request.title);
  add("--prompt", request.prompt);
  for (const tag of request.tags ?? []) add("--tag", tag);
  for (const [name, value] of Object.entries(request.env ?? {})) add("--env", `${name}=${value}`);
  if (request.cols !== undefined) words.push(`--size ${request.cols}x${request.rows}`);
  return words.join(" ");
}
