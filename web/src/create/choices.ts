import { useEffect, useState } from "react";
import { listAgents, listBranches, listRepos } from "../api/calls";
import { asProblem } from "../api/client";
import type { AgentInfo, Branches, ProblemBody, RepoInfo } from "../api/types";
import { patch } from "../state/store";
import { draft } from "./draft";

export interface Choices {
  agents: AgentInfo[] | null;
  repos: RepoInfo[];
  problem: ProblemBody | null;
}

/** The agents and repositories to choose from; fills in the draft what is still empty. */
export function useChoices(): Choices {
  const [choices, setChoices] = useState<Choices>({ agents: null, repos: [], problem: null });
  useEffect(() => {
    let gone = false;
    void (async () => {
      const [agents, repos] = await Promise.allSettled([listAgents(), listRepos()]);
      if (gone) return;
      const known = agents.status === "fulfilled" ? agents.value : [];
      const used = repos.status === "fulfilled" ? repos.value : [];
      const recent = [...used].sort((a, b) => Date.parse(b.used_at) - Date.parse(a.used_at));
      setChoices({
        agents: known,
        repos: recent,
        problem: agents.status === "rejected" ? asProblem(agents.reason) : null,
      });
      // Only what is still empty: typing came first.
      const now = draft.get();
      patch(draft, {
        agent: now.agent || (known.find((a) => a.found !== null && a.name !== "shell")?.name ?? "shell"),
        repo: now.repo || (recent[0]?.path ?? ""),
      });
    })();
    return () => {
      gone = true;
    };
  }, []);
  return choices;
}

const BRANCHES_MS = 200;

/** The branches of the repository in the draft, once its path stands still. */
export function useBranches(repo: string): { branches: Branches | null; problem: ProblemBody | null } {
  const [state, setState] = useState<{ branches: Branches | null; problem: ProblemBody | null }>({
    branches: null,
    problem: null,
  });
  useEffect(() => {
    if (repo.trim() === "") {
      setState({ branches: null, problem: null });
      return;
    }
    const stop = new AbortController();
    const timer = setTimeout(() => {
      listBranches(repo.trim(), stop.signal)
        .then((branches) => setState({ branches, problem: null }))
        .catch((error: unknown) => {
          if (!stop.signal.aborted) setState({ branches: null, problem: asProblem(error) });
        });
    }, BRANCHES_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [repo]);
  return state;
}
