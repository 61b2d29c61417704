import { describe, expect, it } from "vitest";
import type { AgentInfo } from "../src/api/types";
import { commandLine, type Draft, EMPTY, requestOf, startOf, takesPrompt } from "../src/create/draft";
import { branchFrom, titleFrom } from "../src/create/names";
import { quote, split } from "../src/create/shell";

describe("shell words", () => {
  it("are quoted only when they must be, and read back the same", () => {
    expect(quote("plain-word_1.2/x")).toBe("plain-word_1.2/x");
    expect(quote("")).toBe("''");
    expect(quote("it's")).toBe(`'it'\\''s'`);
    for (const word of ["a b", "it's", '"', "$HOME", "a\nb", "\\", "ü", "*", "a;b"])
      expect(split(quote(word))).toEqual([word]);
  });
  it("are cut as a shell cuts them", () => {
    expect(split(`npm run "dev server" -- --port=1 'a b'c \\"x`)).toEqual([
      "npm",
      "run",
      "dev server",
      "--",
      "--port=1",
      "a bc",
      '"x',
    ]);
    expect(split(`"a\\"b" "c\\d" ''`)).toEqual(['a"b', "c\\d", ""]);
    expect(split("  ")).toEqual([]);
    expect(split("'open")).toBeNull();
    expect(split("end\\")).toBeNull();
  });
});

describe("title and branch", () => {
  it("come from the first sentence of the task", () => {
    expect(titleFrom("Send a digest. Add tests.")).toBe("Send a digest");
    expect(titleFrom("Bump to 1.2 now\nmore")).toBe("Bump to 1.2 now");
    expect(titleFrom("  ")).toBe("");
    const long = titleFrom("Send a digest e-mail each Monday with the open invoices of an account please");
    expect(long).toBe("Send a digest e-mail each Monday with the open invoices");
    expect(titleFrom("x".repeat(300))).toHaveLength(60);
  });
  it("make a branch that is not there yet", () => {
    expect(branchFrom("Fix the Über-parser!", [])).toBe("qd/fix-the-uber-parser");
    expect(branchFrom("Fix it", ["qd/fix-it", "qd/fix-it-2"])).toBe("qd/fix-it-3");
    expect(branchFrom("日本", [])).toBe("qd/session");
    expect(branchFrom("🚀🚀", ["qd/session"])).toBe("qd/session-2");
    expect(branchFrom(" ", [])).toBe("");
  });
});

const draft = (fields: Partial<Draft>): Draft => ({ ...EMPTY, repo: "/r", agent: "claude", ...fields });

describe("request", () => {
  it("says what the dialog says", () => {
    const request = requestOf(
      draft({ task: "Fix it. Now.", base: "dev", tags: "a, b", size: "90x30", env: "A=1\nB=x=y\n" }),
      null,
      true,
    );
    expect(request).toEqual({
      repo: "/r",
      agent: "claude",
      prompt: "Fix it. Now.",
      title: "Fix it",
      branch: "qd/fix-it",
      base: "dev",
      tags: ["a", "b"],
      cols: 90,
      rows: 30,
      env: { A: "1", B: "x=y" },
    });
  });
  it("gives no task to what takes none", () => {
    expect(requestOf(draft({ agent: "shell", task: "look" }), null, false)).not.toHaveProperty("prompt");
  });
  it("leaves the task out only for what is known to take none", () => {
    const agent = (name: string, takes_prompt: boolean) => ({ name, takes_prompt }) as AgentInfo;
    expect(takesPrompt(null, "claude")).toBe(true);
    expect(takesPrompt([], "claude")).toBe(true);
    expect(takesPrompt([agent("claude", true)], "claude")).toBe(true);
    expect(takesPrompt([agent("mute", false)], "mute")).toBe(false);
    expect(takesPrompt(null, "shell")).toBe(false);
    expect(takesPrompt(null, "command")).toBe(false);
  });
  it("knows the four ways to work", () => {
    expect(requestOf(draft({ workIn: "in-place" }), null, true)).toEqual({
      repo: "/r",
      agent: "claude",
      in_place: true,
    });
    expect(requestOf(draft({ workIn: "branch", existing: "dev" }), null, true)).toMatchObject({
      branch: "dev",
    });
    expect(requestOf(draft({ workIn: "worktree", worktree: "/w" }), null, true)).toMatchObject({
      worktree: "/w",
    });
    expect(requestOf(draft({ workIn: "branch" }), null, true)).toMatchObject({ field: "branch" });
  });
  it("tells what is wrong before it asks the daemon", () => {
    expect(requestOf(draft({ repo: " " }), null, true)).toMatchObject({ field: "repo" });
    expect(requestOf(draft({ agent: "command", command: "'x" }), null, true)).toMatchObject({
      field: "command",
    });
    expect(requestOf(draft({ agent: "command" }), null, true)).toMatchObject({ field: "command" });
    expect(requestOf(draft({ size: "big" }), null, true)).toMatchObject({ field: "cols" });
    expect(requestOf(draft({ env: "nope" }), null, true)).toMatchObject({ field: "env" });
  });
  it("is shown as the command that does the same", () => {
    expect(
      commandLine({
        repo: "/a b",
        command: ["npm", "run", "x y"],
        title: "T",
        in_place: true,
        tags: ["t"],
        cols: 80,
        rows: 24,
      }),
    ).toBe(
      `qd new --repo '/a b' --command 'npm run '\\''x y'\\''' --in-place --title T --tag t --size 80x24`,
    );
  });
});

describe("where a new branch begins", () => {
  const known = (more: object) => ({
    repo: "/r",
    default: "main",
    local: ["main", "side"],
    remote: [],
    worktrees: [],
    worktrees_in: "/q/worktrees/r",
    ...more,
  });
  it("is said to be fetched only from a remote", () => {
    expect(startOf("", known({}))).toEqual({ name: "main", fetched: false });
    expect(startOf("side", known({ remote: ["origin/main"] }))).toEqual({ name: "side", fetched: false });
    expect(startOf("", known({ remote: ["origin/main"] }))).toEqual({ name: "origin/main", fetched: true });
    expect(startOf("", known({ remote: ["origin/other"] }))).toEqual({ name: "main", fetched: false });
    expect(startOf("origin/x", known({ remote: ["origin/main", "origin/x"] }))).toEqual({
      name: "origin/x",
      fetched: true,
    });
  });
  it("is not known before the branches are, nor of which remote it is", () => {
    expect(startOf("", null).fetched).toBe(false);
    expect(startOf("", known({ remote: ["a/main", "b/main"] })).fetched).toBe(false);
    expect(startOf("", known({ remote: ["a/main", "origin/main"] })).name).toBe("origin/main");
  });
});
