import { describe, expect, it, vi } from "vitest";
import type { SessionView } from "../src/api/types";
import type { Context } from "../src/keys/action";
import { ACTIONS } from "../src/keys/actions";
import { find, type Local } from "../src/palette/find";

vi.stubGlobal("matchMedia", () => ({ matches: false }));

function session(id: string, title: string, fields: Partial<SessionView> = {}): SessionView {
  return {
    id,
    title,
    version: 1,
    kind: "worktree",
    state: "running",
    pending: null,
    attention: { state: "idle", since: "", source: "none", confidence: 0, why: "", evidence: [] },
    parent: null,
    problem: null,
    tags: [],
    repo: "/code/ledger",
    worktree: "/w",
    branch: null,
    agent: "claude",
    created_at: "2026-01-01T00:00:00Z",
    changed_at: "2026-01-01T00:00:00Z",
    ...fields,
  } as SessionView;
}

const asks = { state: "permission", since: "2026-01-01T00:00:00Z" } as SessionView["attention"];
const works = { state: "working", since: "2026-01-01T00:00:00Z" } as SessionView["attention"];
const ALL = [
  session("s1", "Retry the upload", { tags: ["later"], branch: "qd/retry" }),
  session("s2", "Count the retries", { attention: works }),
  session("s3", "Drop the table, retry", { attention: asks, agent: "codex" }),
  session("s4", "Old retry", { state: "trashed" }),
];

function local(more: Partial<Local> & { open?: SessionView; picked?: SessionView[] } = {}): Local {
  const { open = null, picked = [], ...rest } = more;
  const context: Context = {
    place: { name: "sessions", id: open?.id ?? null, tab: "terminal" },
    tab: "terminal",
    session: open,
    row: open?.id ?? null,
    picked,
    offline: false,
  };
  return { sessions: ALL, actions: ACTIONS, context, use: {}, ...rest };
}

const rowsIn = (typed: string, title: string, of = local()) =>
  find(typed, of).find((section) => section.title === title)?.rows ?? [];
const words = (typed: string, title: string, of = local()) =>
  rowsIn(typed, title, of).map((row) => row.words);

describe("the palette", () => {
  it("begins with who needs somebody, then with what was open last", () => {
    const use = { s1: { times: 1, at: 5 }, s2: { times: 9, at: 4 } };
    expect(find("", local({ use })).map(({ title }) => title)).toEqual(["Needs you", "Recent"]);
    expect(words("", "Needs you")).toEqual(["Drop the table, retry"]);
    expect(words("", "Recent", local({ use }))).toEqual(["Retry the upload", "Count the retries"]);
    expect(words("", "Recent", local({ use, open: ALL[0] }))).toEqual(["Count the retries"]);
  });

  it("ranks sessions by state first, then by use", () => {
    expect(words("retr", "Sessions")).toEqual([
      ...["Drop the table, retry", "Count the retries", "Retry the upload", "Old retry"],
    ]);
    const two = [session("a", "Same"), session("b", "Same too")];
    const use = { b: { times: 3, at: 1 } };
    expect(words("same", "Sessions", local({ sessions: two, use }))).toEqual(["Same too", "Same"]);
  });

  it("says the command of each row, with words that a shell needs quoted", () => {
    expect(rowsIn("retry upload", "Sessions")[0]?.command).toBe("qd attach s1");
    expect(rowsIn("old", "Sessions")[0]?.command).toBe("qd show s4");
    const many = Array.from({ length: 12 }, (_, i) => session(`m${i}`, `It's ${i}`));
    expect(rowsIn("it's", "Sessions", local({ sessions: many })).at(-1)).toMatchObject({
      words: "All 12 in the list",
      command: "qd ls --filter 'it'\\''s'",
      path: "/?q=it's",
    });
  });

  it("finds an action by its words and by its command, on the session that is open", () => {
    const open = local({ open: ALL[0] });
    expect(rowsIn(">rm", "On “Retry the upload”", open)[0]).toMatchObject({
      words: "Delete",
      command: "qd rm s1",
    });
    expect(find(">rm", local()).flatMap(({ rows }) => rows.map((row) => row.words))).not.toContain("Delete");
  });

  it("has what cannot be done last, with the reason and no command", () => {
    const rows = rowsIn(">", "On “Retry the upload”", local({ open: ALL[0] }));
    const off = rows.findIndex((row) => row.off !== null);
    expect(rows.slice(off).every((row) => row.off !== null && row.command === null)).toBe(true);
    expect(rows.find((row) => row.action === "go-on")?.about).toBe("Its program runs");
  });

  it("is about all that are selected", () => {
    const picked = ALL.slice(0, 2);
    const rows = rowsIn(">pause", "On the 2 that are selected", local({ open: ALL[0], picked }));
    expect(rows[0]).toMatchObject({ words: "Pause the 2 that are selected", command: "qd pause s1 s2" });
  });

  it("puts an action that begins with what was typed before sessions that have it somewhere", () => {
    const [first] = find("paus", local({ open: ALL[0], sessions: [session("p", "Never pause")] }));
    expect(first?.title).toBe("On “Retry the upload”");
    const [second] = find("pau", local({ sessions: [session("p", "Pause it")] }));
    expect(second?.title).toBe("Sessions");
  });

  it("has tags, agents and branches, each leading to its sessions", () => {
    expect(rowsIn("#", "Tags")).toMatchObject([
      { words: "later", about: "1 session", command: "qd ls --filter tag:later", path: "/?q=tag%3Alater" },
    ]);
    expect(words("#la", "Sessions")).toEqual(["Retry the upload"]);
    expect(words("@", "Agents")).toEqual(["claude", "codex"]);
    expect(words("@cod", "Sessions")).toEqual(["Drop the table, retry"]);
    expect(words("qd/", "Branches")).toEqual(["qd/retry"]);
  });

  it("finds nothing where there is nothing", () => {
    expect(find("zzzz", local())).toEqual([]);
  });
});
