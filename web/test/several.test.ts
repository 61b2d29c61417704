import { beforeEach, describe, expect, it, vi } from "vitest";
import type { AgentInfo, Branches, NewSession, SessionView } from "../src/api/types";
import { type Draft, EMPTY, promptOf } from "../src/create/draft";
import { fillIn, placesIn } from "../src/create/fill";
import { cutTo, folderFor, titleFrom, titleWrong } from "../src/create/names";
import { matching, read } from "../src/create/prompts";
import { isWrong, planOf, together, withAnother, withOwn, withoutOwn } from "../src/create/several";

const found = (name: string): AgentInfo => ({
  name,
  title: name,
  found: `/bin/${name}`,
  takes_prompt: true,
  install: null,
  version: null,
  problem: null,
});
const AGENTS = [found("claude"), found("codex"), { ...found("aider"), found: null }];
const BRANCHES: Branches = {
  repo: "/r/app",
  default: "main",
  local: ["main", "qd/fix-it-codex"],
  remote: [],
  worktrees: ["/r/app"],
  worktrees_in: "/q/worktrees/app",
};
const draft = (more: Partial<Draft> = {}): Draft => ({
  ...EMPTY,
  repo: "/r/app",
  agent: "claude",
  task: "Fix it. Now.",
  ...more,
});
const also = (d: Draft): Draft => ({ ...d, ...withAnother(d, AGENTS) });

describe("several sessions of one task", () => {
  it("have a title, a branch that is free and a folder each", () => {
    const plan = planOf(also(also(draft())), BRANCHES, AGENTS);
    expect(plan.map(({ title, branch, folder }) => [title, branch, folder])).toEqual([
      ["Fix it (claude)", "qd/fix-it-claude", "/q/worktrees/app/qd-fix-it-claude-"],
      ["Fix it (codex)", "qd/fix-it-codex-2", "/q/worktrees/app/qd-fix-it-codex-2-"],
      ["Fix it (codex 2)", "qd/fix-it-codex-2-2", "/q/worktrees/app/qd-fix-it-codex-2-2-"],
    ]);
    for (const { request } of plan) expect(request).toMatchObject({ prompt: "Fix it. Now.", repo: "/r/app" });
  });
  it("begin with agents that are there and are not among them, never with one that is missing", () => {
    const three = also(also(draft()));
    expect(three.also.map(({ agent }) => agent)).toEqual(["codex", "codex"]);
    const shells = also(draft({ agent: "command", command: "npm run dev" }));
    expect(shells.also[0]).toMatchObject({ agent: "command", command: "npm run dev" });
    let many = draft();
    for (let i = 0; i < 20; i += 1) many = also(many);
    expect(many.also).toHaveLength(9);
  });
  it("keep what is set for one of them alone", () => {
    const two = also(draft());
    const key = two.also[0]?.key ?? "";
    const set = { ...two, ...withOwn(two, key, { title: "Other", branch: "other" }) };
    const own = { ...set, ...withOwn(set, "first", { branch: "mine" }) };
    expect(planOf(own, BRANCHES, AGENTS).map(({ title, branch }) => [title, branch])).toEqual([
      ["Fix it (claude)", "mine"],
      ["Other", "other"],
    ]);
    // Without the first, the second is the one of the fields.
    const [left] = planOf({ ...own, ...withoutOwn(own, "first") }, BRANCHES, AGENTS);
    expect(left?.request).toMatchObject({ agent: "codex" });
  });
  it("cannot have one branch, and share a folder only where they are asked to", () => {
    const two = also(draft());
    const same = {
      ...two,
      ...withOwn(two, two.also[0]?.key ?? "", { branch: "b" }),
      first: { title: null, branch: "b" },
    };
    expect(planOf(same, BRANCHES, AGENTS).every(({ request }) => isWrong(request))).toBe(true);
    const here = planOf({ ...two, workIn: "in-place" }, BRANCHES, AGENTS);
    expect(here.map(({ request }) => (request as NewSession).shared)).toEqual([true, true]);
    expect(planOf(draft({ workIn: "in-place" }), BRANCHES, AGENTS)[0]?.request).not.toHaveProperty("shared");
    expect(planOf(two, BRANCHES, AGENTS)[0]?.request).not.toHaveProperty("shared");
  });
  it("are one draft again, with the names that they had", () => {
    const plan = planOf(also(also(draft())), BRANCHES, AGENTS);
    const back = together(plan.slice(1).map((one) => one.draft));
    expect(back && planOf(back, BRANCHES, AGENTS).map(({ title, branch }) => [title, branch])).toEqual(
      plan.slice(1).map(({ title, branch }) => [title, branch]),
    );
    expect(together([])).toBeNull();
  });
});

describe("the places of a template", () => {
  it("are filled in, and no other braces are", () => {
    expect(placesIn("{branch} {x} {branch} {title}")).toEqual(["branch", "title"]);
    expect(fillIn("{title}: {x} [{branch}]", { title: "$1 T" })).toBe("$1 T: {x} []");
  });
  it("are filled in for each session, and only where that was chosen", () => {
    const d = draft({
      task: "On {branch} of {repo} from {base}: {title}",
      fill: true,
      titleEdited: true,
      title: "T",
    });
    expect(promptOf(d, BRANCHES)).toBe("On qd/t of app from main: T");
    expect(promptOf({ ...d, fill: false }, BRANCHES)).toBe(d.task);
    const [first, second] = planOf(also(d), BRANCHES, AGENTS);
    expect(first?.request).toMatchObject({ prompt: "On qd/t-claude of app from main: T (claude)" });
    expect(second?.request).toMatchObject({ prompt: "On qd/t-codex of app from main: T (codex)" });
  });
});

describe("odd titles", () => {
  it("are refused in the words of the daemon", () => {
    expect(titleWrong("é".repeat(200))).toBeNull();
    expect(titleWrong("🚀".repeat(201))).toContain("it has 201 characters; 200 is the most");
    expect(titleWrong("x".repeat(10_000))).toContain("10,000 characters");
    expect(titleWrong("a\u001b[0m")).toContain("the control character U+001B at place 2");
    expect(titleWrong("مرحبا")).toBeNull();
  });
  it("are made with no letter cut in two and no control character", () => {
    const family = "👨‍👩‍👧";
    expect(cutTo(family.repeat(3), 7)).toBe(family);
    expect(cutTo("abc", 3)).toBe("abc");
    expect(titleFrom(`${family.repeat(30)}`)).toBe(family.repeat(12));
    expect(titleFrom("a\u0007b\tc")).toBe("a b c");
  });
  it("make the folder that the daemon makes", () => {
    expect(folderFor("/w", "qd/add-retry")).toBe("/w/qd-add-retry-");
    expect(folderFor("/w", "../../x y")).toBe("/w/x-y-");
    expect(folderFor("/w", "🚀")).toBe("/w/x-");
  });
});

describe("what is kept of tasks", () => {
  it("is read as far as it can be, and is bounded", () => {
    expect(read("{")).toEqual({ on: true, given: [], templates: [] });
    expect(read("null")).toEqual({ on: true, given: [], templates: [] });
    expect(
      read('{"on":false,"given":[{"text":"a","at":1},{"text":5},null],"templates":[{"id":"x"}]}'),
    ).toEqual({
      on: false,
      given: [{ text: "a", at: 1, fill: false }],
      templates: [],
    });
    const many = Array.from({ length: 80 }, (_, i) => ({ text: `t${i}`, at: i }));
    expect(read(JSON.stringify({ given: many })).given).toHaveLength(50);
    expect(read(JSON.stringify({ given: [{ text: "x".repeat(20_001), at: 1 }] })).given).toEqual([]);
  });
  it("is found by all of its words", () => {
    expect(matching(["Fix the login", "fix the list"], "LIST fix", (one) => one)).toEqual(["fix the list"]);
  });
});

describe("asking for several", () => {
  beforeEach(() => vi.resetModules());

  it("goes on after a refusal, and tries only that one again, as the same action where nobody answered", async () => {
    const asked: [string, string][] = [];
    const refuse = new Map<string, unknown>();
    vi.doMock("../src/api/calls", () => ({
      createSession: (request: NewSession, key: string) => {
        const title = request.title ?? "";
        asked.push([title, key]);
        if (refuse.has(title)) return Promise.reject(refuse.get(title));
        return Promise.resolve({ id: `s-${title}`, title, state: "running", version: 1 } as SessionView);
      },
    }));
    const { Failure } = await import("../src/api/client");
    const { batch, begin, tryAgain, stageOf } = await import("../src/create/batch");
    const { draft: kept } = await import("../src/create/draft");
    const { sessions } = await import("../src/state/sessions");
    const problem = (code: string) => ({ code, title: "No.", hint: "" });
    refuse.set("b", new Failure(409, problem("branch_checked_out")));
    refuse.set("c", new Failure(0, problem("no_daemon")));
    const one = (title: string) => ({
      key: title,
      title,
      draft: draft({ title, titleEdited: true }),
      request: { repo: "/r", title } as NewSession,
    });
    await begin([one("a"), one("b"), one("c"), one("d")]);
    const stages = () => batch.get()?.map((each) => stageOf(each, sessions.get().byId).at);
    expect(stages()).toEqual(["made", "failed", "failed", "made"]);
    // What is not made stays in the draft.
    expect([kept.get().title, kept.get().also.length]).toEqual(["b", 1]);
    refuse.clear();
    await tryAgain();
    expect(stages()).toEqual(["made", "made", "made", "made"]);
    expect(asked.map(([title]) => title)).toEqual(["a", "b", "c", "d", "b", "c"]);
    const keys = (title: string) => asked.filter(([t]) => t === title).map(([, key]) => key);
    expect(new Set(keys("b")).size).toBe(2);
    expect(new Set(keys("c")).size).toBe(1);
    expect(kept.get().also).toEqual([]);
    expect(kept.get().title).toBe("");
  });
});
