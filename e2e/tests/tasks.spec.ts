import { mkdirSync } from "node:fs";
import type { Page } from "@playwright/test";
import { check } from "../lib/axe.ts";
import { live } from "../lib/terminal.ts";
import { expect, test } from "../lib/test.ts";

const claude = { name: "claude", title: "Claude", version: "1", found: "/bin/claude", takes_prompt: true, install: null };

/** An agent that takes a task, and a daemon that says yes to it; gives the tasks that were sent. */
async function taking(app: Page): Promise<string[]> {
  const given: string[] = [];
  await app.route("**/api/v1/agents", (route) => route.fulfill({ json: [claude] }));
  // There is no such program here: what is asked for runs as a command instead.
  await app.route("**/api/v1/sessions", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    const { agent: _, prompt, ...rest } = route.request().postDataJSON();
    given.push(prompt);
    await route.continue({ postData: JSON.stringify({ ...rest, command: ["cat"] }) });
  });
  return given;
}

/** Creates, and keeps the dialog. */
async function create(app: Page) {
  await app.keyboard.press("Control+Shift+Enter");
  await expect(app.getByRole("dialog").getByRole("status").last()).toContainText("is being created");
  await expect(app.locator("#f-prompt")).toHaveValue("");
}

const reuse = "Reuse an earlier task or a template";

test("tasks are kept on the device: by Up and Down, by search, deleted with undo, and not at all", async ({
  app,
  daemon,
}) => {
  await taking(app);
  await app.keyboard.press("c");
  await app.locator("#f-repo").fill(daemon.repo());
  const task = app.locator("#f-prompt");
  for (const words of ["Fix the login", "Sort the list\nby age"]) {
    await task.fill(words);
    await create(app);
    await expect(task).toHaveValue("");
  }
  await task.focus();
  await app.keyboard.type("half");
  await app.keyboard.press("Home");
  await app.keyboard.press("ArrowUp");
  await expect(task).toHaveValue("Sort the list\nby age");
  await app.keyboard.press("ArrowUp");
  await expect(task).toHaveValue("Fix the login");
  await app.keyboard.press("ArrowUp");
  await expect(task).toHaveValue("Fix the login");
  await app.keyboard.press("ArrowDown");
  await app.keyboard.press("ArrowDown");
  await expect(task).toHaveValue("half");
  // In the middle of what is written the arrows move in it.
  await task.fill("one\ntwo");
  await app.keyboard.press("ArrowUp");
  await expect(task).toHaveValue("one\ntwo");

  await app.getByRole("button", { name: reuse }).click();
  const panel = app.getByRole("region", { name: "Earlier tasks and templates" });
  const search = panel.getByRole("textbox", { name: "Search earlier tasks and templates" });
  await expect(search).toBeFocused();
  await check(app, "earlier tasks");
  await search.fill("LOGIN fix");
  await expect(panel.getByRole("listitem")).toHaveCount(1);
  await app.keyboard.press("Enter");
  await expect(task).toHaveValue("Fix the login");
  await expect(task).toBeFocused();

  await app.getByRole("button", { name: reuse }).click();
  await panel.getByRole("button", { name: "Delete this task" }).first().click();
  await expect(panel.getByRole("listitem")).toHaveCount(1);
  await app.keyboard.press("Enter");
  await expect(panel.getByRole("listitem")).toHaveCount(2);
  await expect(panel.getByRole("listitem").first()).toContainText("Sort the list by age");
  await panel.getByRole("checkbox", { name: "Keep tasks on this device" }).uncheck();
  await panel.getByRole("button", { name: "Delete all earlier tasks" }).click();
  await expect(panel).toContainText("2 tasks deleted.");
  await app.keyboard.press("Escape");
  await expect(panel).toHaveCount(0);
  await expect(app.getByRole("dialog")).toBeVisible();
  await task.fill("Not to be kept");
  await create(app);
  expect(await app.evaluate(() => localStorage.getItem("qd.tasks"))).toBe('{"on":false,"given":[],"templates":[]}');
});

test("a template is made of the task, filled in, changed, and deleted with undo", async ({ app, daemon }) => {
  const sent = await taking(app);
  await app.keyboard.press("c");
  const repo = daemon.repo();
  await app.locator("#f-repo").fill(repo);
  const task = app.locator("#f-prompt");
  const panel = app.getByRole("region", { name: "Earlier tasks and templates" });
  await task.fill("Review {branch} of {repo}, {braces} too");
  // What was typed is given as it was typed.
  await expect(app.locator(".filled")).toContainText("{branch} {repo} are given as written.");
  await app.getByRole("button", { name: reuse }).click();
  await panel.getByRole("button", { name: "Save as a template" }).click();
  await expect(panel.getByLabel("Name")).toBeFocused();
  await check(app, "a template");
  await panel.getByLabel("Name").fill("Review");
  await app.keyboard.press("Enter");
  await panel.getByRole("button", { name: "Edit the template Review" }).click();
  await panel.getByLabel("Task of the template").fill("Review {branch} of {repo} from {base}, {braces} too");
  await panel.getByRole("button", { name: "Save" }).click();
  // On the device: another page has it too.
  await app.keyboard.press("Escape");
  await app.keyboard.press("Escape");
  await app.reload();
  await app.keyboard.press("c");
  await task.fill("");
  await app.getByRole("button", { name: reuse }).click();
  await panel.getByRole("button", { name: /^Review/ }).click();
  await app.locator("#f-title").fill("Second look");
  const given = `Review qd/second-look of ${repo.split("/").at(-1)} from main, {braces} too`;
  await expect(app.locator(".filled")).toContainText(`Given as: ${given}`);
  await expect(app.getByRole("dialog").locator("footer code")).toContainText(given);
  await create(app);
  expect(sent).toEqual([given]);
  await app.getByRole("button", { name: reuse }).click();
  await panel.getByRole("button", { name: "Delete the template Review" }).click();
  await expect(panel.getByRole("button", { name: "Edit the template Review" })).toHaveCount(0);
  await panel.getByRole("button", { name: "Undo" }).click();
  await expect(panel.getByRole("button", { name: "Edit the template Review" })).toBeVisible();
});

test("a title that cannot be is refused at its field, and any other is drawn as it is", async ({ app, daemon }) => {
  await app.keyboard.press("c");
  await app.locator("label", { hasText: "Command…" }).click();
  await app.locator("#f-command").fill("cat");
  await app.locator("#f-repo").fill(daemon.repo());
  const title = app.locator("#f-title");
  const said = app.locator("#create").getByRole("alert");
  await title.fill("x".repeat(10_000));
  await expect(title).toHaveValue(/^x{10000}$/);
  await app.keyboard.press("Control+Enter");
  await expect(said).toContainText("it has 10,000 characters; 200 is the most");
  await expect(title).toBeFocused();
  await expect(title).toHaveAttribute("aria-invalid", "true");
  await title.fill("red \u001b[31m alert");
  await expect(app.locator("#create .hidden-in .hid")).toHaveText("U+001B");
  await app.keyboard.press("Control+Enter");
  await expect(said).toContainText("it has the control character U+001B at place 5");
  await check(app, "a title that is refused");
  // The title of a long task with emoji is cut between letters.
  await app.locator("#f-prompt").fill(`${"👨‍👩‍👧 ".repeat(40)}`);
  await title.fill("");
  expect(await app.locator("#f-title").inputValue()).toBe("");
  for (const odd of ["مرحبا بالعالم", "🚀 ship 👨‍👩‍👧", `"quoted" <b>$(id)</b>`]) {
    await title.fill(odd);
    await expect(app.locator(".planned dd").first()).toHaveText(odd);
    await app.keyboard.press("Control+Shift+Enter");
    await expect(app.getByRole("dialog").getByRole("status").last()).toContainText("is being created");
    await expect(app.locator(".row", { hasText: odd })).toHaveCount(1);
    // The next is no other's branch again.
    await expect(title).toHaveValue("");
  }
  const made = await daemon.qd<{ title: string; branch: string }[]>("ls");
  expect(made.map(({ branch }) => branch).sort()).toEqual(["qd/quoted-b-id-b", "qd/session", "qd/ship"]);
});

test("a folder with spaces, quotes or a line break in its path is worked in, or refused at its field", async ({
  app,
  daemon,
  expected,
}) => {
  expected.push(/status of 4\d\d/);
  const odd = `${daemon.dir}/a "b" it's $(c)`;
  const broken = `${daemon.dir}/two\nlines`;
  for (const folder of [odd, broken]) {
    mkdirSync(folder);
    daemon.sh("git init -q && git commit -q --allow-empty -m begin", folder);
  }
  await app.keyboard.press("c");
  await app.locator("label", { hasText: "Command…" }).click();
  await app.locator("#f-command").fill("cat");
  await app.locator("#f-repo").fill(`${daemon.dir}/a`);
  await app.getByRole("option", { name: odd }).click();
  await expect(app.locator("#f-repo")).toHaveValue(odd);
  await app.locator("#f-title").fill("Odd folder");
  await app.keyboard.press("Control+Enter");
  await live(app);
  // One with a line break cannot be typed, but it can be chosen; the line break is drawn.
  await daemon.qd("new", "--repo", broken, "--title", "Broken", "--", "cat");
  await app.keyboard.press("Control+]");
  await app.keyboard.press("c");
  await app.locator("#f-repo").fill(`${daemon.dir}/two`);
  await app.getByRole("option", { name: /two/ }).click();
  await expect(app.locator("#create .hidden-in .hid")).toHaveText("U+000A");
  await app.locator("#f-title").fill("Broken again");
  await app.keyboard.press("Control+Enter");
  await expect(app.getByRole("dialog")).toHaveCount(0);
  await live(app);
  const made = await daemon.qd<{ title: string; repo: string }[]>("ls");
  expect(made.find(({ title }) => title === "Broken again")?.repo).toBe(broken);
  await app.keyboard.press("Control+]");
  await app.keyboard.press("c");
  for (const [path, words] of [["code/relative", "from its first slash on"], ["/no/such/folder", "no folder"]] as const) {
    await app.locator("#f-repo").fill(path);
    await app.keyboard.press("Control+Enter");
    await expect(app.locator("#create").getByRole("alert")).toContainText(words);
    await expect(app.locator("#f-repo")).toBeFocused();
  }
});

test("what is made is shown before: title, branch, where it begins, folder, command", async ({ app, daemon }) => {
  const repo = daemon.repo();
  daemon.sh(
    `git clone -q --bare "${repo}" origin.git && cd "${repo}" && git remote add origin "${daemon.dir}/origin.git" && git fetch -q && git remote set-head origin main && git branch there`,
  );
  await app.keyboard.press("c");
  await app.locator("label", { hasText: "Command…" }).click();
  await app.locator("#f-command").fill("make all");
  await app.locator("#f-repo").fill(repo);
  const planned = app.locator(".planned");
  await expect(planned).toContainText("qd/make-all from origin/main, fetched first");
  await expect(planned.locator("dd").first()).toHaveText("make all");
  await expect(planned.locator(".folder")).toHaveText(`${daemon.home}/worktrees/${repo.split("/").at(-1)}/qd-make-all-ID`);
  await app.locator("#f-branch").fill("there");
  await expect(planned).toContainText("there already, checked out as it is");
  await app.getByText("In place", { exact: true }).click();
  await expect(planned.locator(".folder")).toHaveText(repo);
  await expect(planned).not.toContainText("Branch");
  await expect(app.getByRole("dialog").locator("footer code")).toContainText("--in-place");
});
