import type { Page } from "@playwright/test";
import { agents, asked } from "../lib/agents.ts";
import { check } from "../lib/axe.ts";
import { live } from "../lib/terminal.ts";
import { expect, test } from "../lib/test.ts";

interface Made {
  title: string;
  branch: string;
  worktree: string;
  state: string;
  agent: string;
}

/** Opens the dialog with a command in it. */
async function command(app: Page, repo: string, words: string) {
  await app.keyboard.press("c");
  await app.locator("label", { hasText: "Command…" }).click();
  await app.locator("#f-command").fill(words);
  await app.locator("#f-repo").fill(repo);
  await expect(app.locator(".folder").first()).toContainText("worktrees");
}

test("the same task goes to several agents at once, each on the branch and in the folder that was shown", async ({
  device,
  daemon,
}) => {
  await agents(daemon, "claude", "codex");
  const repo = daemon.repo();
  const app = await device();
  await app.keyboard.press("c");
  const dialog = app.getByRole("dialog");
  await app.locator("#f-prompt").fill("Fix the login. Add tests.");
  await app.locator("#f-repo").fill(repo);
  await app.getByRole("button", { name: "Another with the same task" }).click();
  await expect(app.getByRole("combobox", { name: "Agent of session 2" })).toBeFocused();
  await expect(app.getByRole("combobox", { name: "Agent of session 2" })).toHaveValue("codex");
  await app.getByRole("button", { name: "Another with the same task" }).click();
  // No agent is left: the same once more.
  await expect(app.getByRole("combobox", { name: "Agent of session 3" })).toHaveValue("codex");
  await expect(app.getByLabel("Title of session 1")).toHaveValue("Fix the login (claude)");
  await expect(app.getByLabel("Branch of session 3")).toHaveValue("qd/fix-the-login-codex-2");
  await app.getByLabel("Title of session 3").fill("The other way");
  await expect(dialog.locator("footer code")).toHaveCount(3);
  await expect(dialog.locator("footer code").last()).toContainText("--title 'The other way'");
  const folders = await app.locator(".folder").allInnerTexts();
  expect(folders).toHaveLength(3);
  await check(app, "several in the dialog");
  await app.keyboard.press("Control+Enter");
  await expect(dialog).toHaveCount(0);
  await live(app);
  await expect(app.getByRole("heading", { name: "Fix the login (claude)" })).toBeVisible();
  const made = (await daemon.qd<Made[]>("ls")).sort((a, b) => a.branch.localeCompare(b.branch));
  expect(made.map(({ title, branch, state }) => [title, branch, state])).toEqual([
    ["Fix the login (claude)", "qd/fix-the-login-claude", "running"],
    ["Fix the login (codex)", "qd/fix-the-login-codex", "running"],
    ["The other way", "qd/fix-the-login-codex-2", "running"],
  ]);
  for (const [i, { worktree }] of made.entries())
    expect(worktree.startsWith(folders[i]?.replace(/ID$/, "") ?? "none"), worktree).toBe(true);
  await expect.poll(() => asked(daemon, "claude")).toContain("Fix the login. Add tests.");
  await expect.poll(() => asked(daemon, "codex").match(/Fix the login\. Add tests\./g)).toHaveLength(2);
});

test("one of several that is refused stops no other, and is tried again", async ({ app, daemon, expected }) => {
  expected.push(/status of 409/);
  const repo = daemon.repo();
  await command(app, repo, "cat");
  await app.locator("#f-title").fill("Three");
  await app.locator("#f-another").click();
  await app.locator("#f-another").click();
  await app.getByLabel("Branch of session 2").fill("main");
  await app.keyboard.press("Control+Enter");
  const dialog = app.getByRole("dialog", { name: "Creating 3 sessions" });
  await expect(dialog.getByRole("alert")).toContainText("main");
  await expect(dialog.getByRole("status")).toContainText("2 of 3 sessions made, 1 failed");
  await expect(dialog.getByRole("listitem").nth(2)).toContainText("Runs");
  await check(app, "one of several refused");
  expect(await daemon.qd<Made[]>("ls")).toHaveLength(2);
  // It is still there when the dialog was closed meanwhile.
  await app.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await app.keyboard.press("c");
  await expect(dialog.getByRole("alert")).toContainText("main");
  daemon.sh("git checkout -q -b elsewhere", repo);
  await app.keyboard.press("Control+Enter");
  await expect(dialog).toHaveCount(0);
  const made = await daemon.qd<Made[]>("ls");
  expect(made.map(({ branch }) => branch).sort()).toEqual(["main", "qd/three-cat", "qd/three-cat-3"]);
  await app.keyboard.press("Control+]");
  await app.keyboard.press("c");
  await expect(app.locator("#f-another")).toBeVisible();
  await expect(app.locator("#f-title")).toHaveValue("");
});

test("what failed of several is changed in place, and only that is made", async ({ app, daemon, expected }) => {
  expected.push(/status of 4\d\d/);
  const repo = daemon.repo();
  await command(app, repo, "cat");
  await app.locator("#f-title").fill("Two");
  await app.locator("#f-another").click();
  await app.getByRole("combobox", { name: "Agent of session 2" }).selectOption("command");
  await app.getByLabel("Command of session 2").fill("no-such-program-here");
  await app.keyboard.press("Control+Enter");
  const dialog = app.getByRole("dialog");
  await expect(dialog.getByRole("alert")).toContainText("no-such-program-here");
  await dialog.getByRole("button", { name: "Change" }).click();
  await expect(app.locator("#f-command")).toBeFocused();
  await expect(app.locator("#f-command")).toHaveValue("no-such-program-here");
  await expect(app.locator("#create").getByRole("alert")).toContainText("no-such-program-here");
  await expect(app.locator("#f-title")).toHaveValue("Two (no-such-program-here)");
  await app.locator("#f-command").fill("cat");
  await app.keyboard.press("Control+Enter");
  await expect(dialog).toHaveCount(0);
  expect((await daemon.qd<Made[]>("ls")).map(({ title }) => title).sort()).toEqual([
    "Two (cat)",
    "Two (no-such-program-here)",
  ]);
});

test("a program of several that does not start is told of, and the rest runs", async ({ app, daemon }) => {
  const repo = daemon.repo();
  await command(app, repo, "cat");
  await app.locator("#f-another").click();
  await app.getByLabel("Command of session 2").fill("./not-in-the-branch");
  await app.keyboard.press("Control+Enter");
  const dialog = app.getByRole("dialog", { name: "Creating 2 sessions" });
  await expect(dialog.getByRole("listitem").nth(0)).toContainText("Runs");
  await expect(dialog.getByRole("listitem").nth(1)).toContainText("Failed");
  await expect(dialog.getByRole("alert")).not.toHaveText("");
  await dialog.getByRole("button", { name: "Change" }).click();
  await expect(app.locator("#f-command")).toHaveValue("./not-in-the-branch");
});

test("a branch that two of several would have is refused at its field", async ({ app, daemon }) => {
  await command(app, daemon.repo(), "cat");
  await app.locator("#f-another").click();
  await app.getByLabel("Branch of session 1").fill("same");
  await app.getByLabel("Branch of session 2").fill("same");
  await app.keyboard.press("Control+Enter");
  await expect(app.getByLabel("Branch of session 1")).toBeFocused();
  await expect(app.locator("#create").getByRole("alert")).toContainText("Each session needs a branch of its own.");
  await app.getByRole("button", { name: "Leave out session 1" }).click();
  await expect(app.locator("#f-branch")).toHaveValue("qd/cat");
  expect(await daemon.qd("ls")).toEqual([]);
});

test("Shift Ctrl Enter creates, and keeps the dialog for the next", async ({ app, daemon }) => {
  const repo = daemon.repo();
  await command(app, repo, "cat");
  await app.locator("#f-title").fill("Number one");
  await app.keyboard.press("Control+Shift+Enter");
  const dialog = app.getByRole("dialog", { name: "New session" });
  await expect(dialog.getByRole("status")).toContainText("“Number one” is being created.");
  await expect(app.locator("#f-prompt")).toBeFocused();
  await expect(app.locator("#f-repo")).toHaveValue(repo);
  await app.keyboard.type("Number two");
  await app.locator("#f-another").click();
  await app.keyboard.press("Control+Shift+Enter");
  await expect(dialog.getByRole("status")).toContainText("2 sessions are being created.");
  await expect(app.locator("#f-prompt")).toBeFocused();
  await app.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  expect((await daemon.qd<Made[]>("ls")).map(({ title }) => title).sort()).toEqual([
    "Number one",
    "Number two (cat 2)",
    "Number two (cat)",
  ]);
});
