// What the stand-in says of shipping: a session whose branch began at a base that was ahead.

const at = "2026-01-01T09:00:00Z";
const commit = (id, subject, whose, on) => ({
  id: id.repeat(20).slice(0, 40),
  subject,
  author: "Ann",
  at,
  whose,
  session: null,
  on,
  merge: false,
});
const OWN = [commit("a1", "Retry the upload", "own", null), commit("a2", "Name the upload", "own", null)];
const FOREIGN = [1, 2, 3].map((n) => commit(`b${n}`, `Private note ${n}`, "nobody", "main"));

/** Sessions that were rebuilt, pushed and committed. */
const rebuilt = new Set();
const pushed = new Set();
const committed = new Set();

const tipOf = (id) => (rebuilt.has(id) ? "c" : "d").repeat(40);

export function shipOf({ id, branch, base }, fetched) {
  const commits = rebuilt.has(id) ? OWN : [...OWN, ...FOREIGN];
  return {
    branch,
    tip: tipOf(id),
    base: {
      name: base ?? "origin/main",
      commit: "e".repeat(40),
      fetched,
      note: `From ${base ?? "origin/main"}${fetched ? ", fetched just now" : " as last seen: the remote was not asked"}.`,
      merge_base: "f".repeat(40),
      behind: rebuilt.has(id) ? 0 : 4,
      rewritten: false,
      shallow: false,
    },
    commits,
    foreign: commits.length - OWN.length,
    truncated: false,
    uncommitted: committed.has(id)
      ? { staged: 0, unstaged: 0, untracked: 0, conflicted: 0 }
      : { staged: 1, unstaged: 2, untracked: 1, conflicted: 0 },
    remote: {
      name: "origin",
      branch: branch ?? "",
      commit: pushed.has(id) ? tipOf(id) : null,
      ahead: 0,
      behind: 0,
      others: false,
    },
    under_way: null,
    undo: rebuilt.has(id) ? { before: "d".repeat(40) } : null,
    read_at: new Date().toISOString(),
  };
}

export function rebuildOf({ id, branch, base }) {
  return {
    branch: branch ?? "",
    tip: tipOf(id),
    onto: base ?? "origin/main",
    onto_commit: "e".repeat(40),
    own: OWN.toReversed().map(({ id, subject }) => ({ id, subject, outcome: "anew", paths: [] })),
    left_out: rebuilt.has(id) ? [] : FOREIGN,
    in_the_way: [],
    needless: rebuilt.has(id),
    ready: true,
  };
}

export function mergeOf({ id, branch, base, title }, way) {
  const commits = rebuilt.has(id) || way === "rebase" ? OWN : [...OWN, ...FOREIGN];
  return {
    branch: branch ?? "",
    tip: tipOf(id),
    onto: base ?? "origin/main",
    onto_commit: "e".repeat(40),
    remote: true,
    way,
    commits: commits.length,
    foreign: commits.length - OWN.length,
    conflicts: [],
    needless: false,
    ready: true,
    message: way === "rebase" ? "" : way === "squash" ? title : `Merge branch '${branch}'\n\n${title}`,
  };
}

/** What a step changes, and what is said of it. */
export function shipped({ id, branch }, step) {
  if (step === "commit") {
    committed.add(id);
    return "Committed as a3a3a3a3a3.";
  }
  if (step === "merge") return `Merged ${branch} into origin/main as a4a4a4a4a4.`;
  if (step === "push") {
    pushed.add(id);
    return `Pushed ${branch} to origin.`;
  }
  if (step === "undo") {
    rebuilt.delete(id);
    return `${branch} is back at dddddddddd.`;
  }
  rebuilt.add(id);
  return "Rebuilt on origin/main: 2 kept, 3 left out.";
}
