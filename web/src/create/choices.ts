import { useEffect, useState } from "react";
import { listAgents, listBranches, listRepos } from "../api/calls";
import { asProblem, isAnswered } from "../api/client";
import { live } from "../api/stream";
import type { AgentInfo, Branches, ProblemBody, RepoInfo } from "../api/types";
import { patch, useStore } from "../state/store";
import { draft } from "./draft";

/** After so long, what got no answer is asked for again. */
const AGAIN_MS = 1000;

export interface Choices {
  /** Null until they are known. */
  agents: AgentInfo[] | null;
  repos: RepoInfo[];
  problem: ProblemBody | null;
  /** Looks for the agents again: one may have been installed since. */
  again(): void;
}

/** The agents and repositories to choose from; fills in the draft what is still empty. */
export function useChoices(): Choices {
  const [choices, setChoices] = useState<Omit<Choices, "again">>({ agents: null, repos: [], problem: null });
  const [times, setTimes] = useState(0);
  const offline = useStore(live, (l) => l.state === "offline");
  // biome-ignore lint/correctness/useExhaustiveDependencies: each time that it is asked for
  useEffect(() => {
    // Asked again once it is back.
    if (offline) return;
    let gone = false;
    let timer: ReturnType<typeof setTimeout>;
    const read = async () => {
      const before = draft.get();
      const [agents, repos] = await Promise.allSettled([listAgents(), listRepos()]);
      if (gone) return;
      const known = agents.status === "fulfilled" ? agents.value : null;
      const used = repos.status === "fulfilled" ? repos.value : [];
      const recent = [...used].sort((a, b) => Date.parse(b.used_at) - Date.parse(a.used_at));
      setChoices({
        agents: known,
        repos: recent,
        problem: agents.status === "rejected" ? asProblem(agents.reason) : null,
      });
      if (agents.status === "rejected" && !isAnswered(agents.reason)) {
        // The page may not have noticed yet that the daemon is away, or one request was lost.
        timer = setTimeout(read, AGAIN_MS);
        return;
      }
      // Only what was empty and still is: typing came first, and who emptied a field wants it so.
      const now = draft.get();
      patch(draft, {
        agent: now.agent || (known?.find((a) => a.found !== null && a.name !== "shell")?.name ?? "shell"),
        repo: now.repo || (before.repo === "" ? (recent[0]?.path ?? "") : ""),
      });
    };
    void read();
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [offline, times]);
  return { ...choices, again: () => setTimes((n) => n + 1) };
}

const BRANCHES_MS = 200;

/** What is known of a repository: nothing before the answer for its very path. */
export interface Known {
  path: string;
  branches: Branches | null;
  problem: ProblemBody | null;
}

/** The branches of the repository in the draft, once its path stands still; null until they are known. */
export function useBranches(repo: string): Known | null {
  const path = repo.trim();
  const [known, setKnown] = useState<Known | null>(null);
  const offline = useStore(live, (l) => l.state === "offline");
  useEffect(() => {
    if (path === "" || offline) return;
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout>;
    const read = () => {
      listBranches(path, stop.signal)
        .then((branches) => setKnown({ path, branches, problem: null }))
        .catch((error: unknown) => {
          if (stop.signal.aborted) return;
          if (isAnswered(error)) setKnown({ path, branches: null, problem: asProblem(error) });
          // The page may not have noticed yet that the daemon is away.
          else timer = setTimeout(read, AGAIN_MS);
        });
    };
    timer = setTimeout(read, BRANCHES_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [path, offline]);
  if (path === "") return { path, branches: null, problem: null };
  return known?.path === path ? known : null;
}
