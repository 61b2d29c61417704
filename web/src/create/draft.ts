import type { AgentInfo, Branches, NewSession, SessionView } from "../api/types";
import { createKeptStore } from "../state/store";
import { quote, split } from "./shell";

export type WorkIn = "new" | "branch" | "worktree" | "in-place";

/** What stands in the create dialog. It is kept when the dialog is closed, until it was created. */
export interface Draft {
  task: string;
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
}

export const EMPTY: Draft = {
  task: "",
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

/** The draft of the session that was created last, for another try. */
let sent: { id: string; draft: Draft } | null = null;

export function rememberSent(id: string, what: Draft) {
  sent = { id, draft: what };
}

export function reuseDraft(session: SessionView) {
  if (sent?.id === session.id) {
    draft.set(sent.draft);
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

const TITLE_MOST = 60;

/** The first sentence of a task, cut at a word. */
export function titleFrom(task: string): string {
  const first =
    task
      .trim()
      .split(/\n|[.!?](?=\s|$)/)[0]
      ?.replace(/\s+/g, " ")
      .trim() ?? "";
  if (first.length <= TITLE_MOST) return first;
  // Cut at a word, and not after a short one such as "of the".
  const cut = first
    .slice(0, TITLE_MOST + 1)
    .replace(/\s+\S*$/, "")
    .replace(/(?:\s+\S{1,3})+$/, "");
  return cut === "" ? first.slice(0, TITLE_MOST) : cut.slice(0, TITLE_MOST);
}

/** A branch from a title: short, and not one that is there. */
export function branchFrom(title: string, taken: readonly string[]): string {
  const words = title
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  if (!words) return "";
  let name = `qd/${words.slice(0, 6).join("-")}`.slice(0, 50).replace(/-+$/, "");
  if (taken.includes(name)) {
    let n = 2;
    while (taken.includes(`${name}-${n}`)) n += 1;
    name = `${name}-${n}`;
  }
  return name;
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

export function titleOf(d: Draft): string {
  return d.titleEdited ? d.title : titleFrom(d.task);
}

export function branchOf(d: Draft, branches: Branches | null): string {
  return d.branchEdited ? d.branch : branchFrom(titleOf(d), branches?.local ?? []);
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
  const out: NewSession = { repo: d.repo.trim() };
  if (d.agent === "command") {
    const words = split(d.command);
    if (words === null) return { field: "command", words: "A quote is not closed." };
    if (words.length === 0) return { field: "command", words: "Write the command to run." };
    out.command = words;
  } else if (d.agent !== "") out.agent = d.agent;
  if (withTask && d.task.trim() !== "") out.prompt = d.task.trim();
  const title = titleOf(d).trim();
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
