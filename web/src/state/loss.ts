import { getLoss } from "../api/calls";
import type { LossView, SessionView } from "../api/types";
import { number } from "../parts/number";
import { createStore } from "./store";
import { clock } from "./time";

/** What was last told to be at stake, by session. */
export const losses = createStore<Readonly<Record<string, LossView | undefined>>>({});

/** Reads what is at stake with a session now. What cannot be read is not told. */
export async function readLoss(id: string): Promise<void> {
  const loss = await getLoss(id).catch(() => undefined);
  losses.set((old) => ({ ...old, [id]: loss }));
}

const KINDS = ["staged", "unstaged", "untracked", "ignored"] as const;

/** What is not committed, by its kind; null when it was not counted. */
export function filesWords(all: readonly LossView[]): string | null {
  const counted = all.flatMap(({ files }) => (files ? [files] : []));
  if (counted.length === 0) return null;
  const sums = KINDS.map((kind) => [counted.reduce((sum, files) => sum + files[kind], 0), kind] as const);
  const some = sums.filter(([count]) => count > 0);
  if (some.length === 0) return "nothing uncommitted";
  const many = some.length > 1 || some.some(([count]) => count > 1);
  const more = counted.some((files) => files.at_least) ? " and more" : "";
  return `${some.map(([count, kind]) => `${count} ${kind}`).join(", ")} ${many ? "files" : "file"}${more}`;
}

/** What the trash holds, and until when. */
export function heldWords(all: readonly LossView[]): string {
  const [first] = all;
  if (!first) return "";
  const commits = all.reduce((sum, loss) => sum + (loss.commits?.count ?? 0), 0);
  const held = [
    filesWords(all),
    commits > 0 ? `${number(commits, "commit")} not merged and not pushed` : null,
  ].filter((words) => words !== null);
  const until = all.map((loss) => loss.until).sort((a, b) => Date.parse(a) - Date.parse(b))[0] ?? first.until;
  const out = [`Kept until ${clock(until)}${held.length > 0 ? `: ${held.join(", ")}` : ""}.`];
  const branches = all.flatMap(({ branch }) => (branch ? [branch] : []));
  if (branches.length === 1) out.push(`The branch ${branches[0]} stays.`);
  else if (branches.length > 1) out.push(`${branches.length} branches stay.`);
  if (all.length === 1 && !first.files && !first.unknown) out.push(first.kept);
  const unknown = all.find((loss) => loss.unknown)?.unknown;
  if (unknown) out.push(`What it holds could not be counted: ${unknown}`);
  return out.join(" ");
}

/** What happens to a session that is deleted, before it is. */
export function stakeWords(loss: LossView, byId: ReadonlyMap<string, SessionView>): string {
  const names = (ids: readonly string[]) => ids.map((id) => `“${byId.get(id)?.title ?? id}”`).join(", ");
  if (loss.sharers.length > 0)
    return `It cannot go while others work in its worktree: ${names(loss.sharers)}`;
  const out: string[] = [];
  if (loss.running) out.push("Ends its program.");
  if (loss.children.length > 0)
    out.push(
      `${names(loss.children)} in its worktree ${loss.children.length === 1 ? "goes" : "go"} with it.`,
    );
  out.push(heldWords([loss]));
  return out.join(" ");
}

export interface ForGood {
  /** What is gone. */
  gone: string[];
  /** The newest commits that nothing would name any more, or that are among them. */
  commits: { id: string; subject: string }[];
  /** What is not. */
  stays: string[];
}

/** What a purge ends for good, and what it leaves. */
export function forGood(loss: LossView): ForGood {
  const { commits, branch } = loss;
  const out: ForGood = { gone: [], commits: [], stays: [] };
  const files = filesWords([loss]);
  if (files !== null && files !== "nothing uncommitted") out.gone.push(`${files}, not committed`);
  if (commits && commits.loose > 0) {
    const among = commits.loose < commits.count ? "; the newest that are not merged:" : ":";
    out.gone.push(`${number(commits.loose, "commit")} on no branch and on no remote${among}`);
    out.commits = commits.newest;
  }
  if (loss.children.length > 0) out.gone.push(number(loss.children.length, "shell"));
  if (loss.unknown) out.gone.push(`What could not be counted: ${loss.unknown}`);
  const named = commits ? commits.count - Math.min(commits.loose, commits.count) : 0;
  if (named > 0)
    out.stays.push(`${number(named, "commit")} not merged and not pushed, on ${branch ?? "its branch"}`);
  else if (branch && loss.made_branch)
    out.stays.push(`The branch ${branch}, if anything was committed on it`);
  else if (branch) out.stays.push(`The branch ${branch}`);
  return out;
}
