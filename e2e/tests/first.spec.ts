import { AWAY, expect, test } from "../lib/test.ts";
import { live, rows } from "../lib/terminal.ts";

test("from an empty home to two running sessions, with no agent installed", async ({ app, daemon }) => {
  const none = ["claude", "codex"].map((name) => ({
    name,
    title: name,
    version: null,
    found: null,
    takes_prompt: true,
    install: `npm install -g ${name}`,
  }));
  const shell = { name: "shell", title: "Shell", version: null, found: "/bin/sh", takes_prompt: false, install: null };
  await app.route("**/api/v1/agents", (route) => route.fulfill({ json: [...none, shell] }));
  const list = app.getByRole("region", { name: "Sessions" });
  await expect(list).toContainText("A shell or any command works as well.");
  await expect(list.getByRole("heading", { name: "Adopt from tmux" })).toBeVisible();
  await expect(list.locator("pre")).toContainText("qd adopt work:1.0");
  await expect(list.getByRole("button", { name: "Copy" })).toBeVisible();
  await list.getByRole("button", { name: "New session" }).click();
  const dialog = app.getByRole("dialog", { name: "New session" });
  await expect(dialog).toContainText("No coding agent was found on this machine.");
  await dialog.locator("label", { hasText: "codex" }).click();
  await expect(dialog).toContainText("codex is not on this machine. To get it:");
  await dialog.locator("label", { hasText: "Plain shell" }).click();
  await app.locator("#f-repo").fill(daemon.repo());
  await app.locator("#f-title").fill("My shell");
  await app.keyboard.press("Control+Enter");
  await live(app);
  await app.keyboard.press("Control+]");
  await app.keyboard.press("c");
  await app.locator("label", { hasText: "Command…" }).click();
  await app.locator("#f-command").fill("sh -c 'echo second here; exec cat'");
  await app.locator("#f-title").fill("My command");
  await app.keyboard.press("Control+Enter");
  await live(app);
  await expect(rows(app)).toContainText("second here");
  const made = await daemon.qd<{ state: string }[]>("ls");
  expect(made.map((session) => session.state)).toEqual(["running", "running"]);
});

test("what is to be created while the daemon is away waits, and is created once", async ({
  app,
  daemon,
  expected,
}) => {
  expected.push(AWAY);
  await app.keyboard.press("c");
  const dialog = app.getByRole("dialog", { name: "New session" });
  await app.locator("label", { hasText: "Command…" }).click();
  await app.locator("#f-command").fill("cat");
  await app.locator("#f-repo").fill(daemon.repo());
  await app.locator("#f-title").fill("Patient");
  await expect(app.locator("#f-branch")).toHaveValue("qd/patient");
  await daemon.stop();
  await expect(dialog).toContainText("The daemon does not answer. The draft is kept.");
  await app.keyboard.press("Control+Enter");
  await app.keyboard.press("Control+Enter");
  await expect(dialog).toContainText("The daemon does not answer. It is created once it does.");
  await expect(dialog.getByRole("button", { name: "Waiting" })).toBeDisabled();
  await daemon.start();
  await live(app);
  const made = await daemon.qd<{ title: string }[]>("ls");
  expect(made.map((session) => session.title)).toEqual(["Patient"]);
});

test("the trash says why nothing can be done while the daemon is away", async ({ app, daemon, expected }) => {
  expected.push(AWAY);
  const { id } = await daemon.qd<{ id: string }>("new", "--repo", daemon.repo(), "--title", "Old", "--", "cat");
  await daemon.qd("rm", id);
  await app.goto(`${daemon.url}/trash`);
  await expect(app.getByRole("button", { name: "Restore" })).toBeEnabled();
  await daemon.stop();
  for (const name of ["Restore", "Purge"]) {
    const button = app.getByRole("button", { name });
    await expect(button).toBeDisabled();
    await expect(button).toHaveAccessibleDescription("The daemon does not answer.");
  }
});

test("from an empty home by keys alone: the folder is found beneath the home, the next session is one more line", async ({
  app,
  daemon,
  expected,
}) => {
  // On the way to it there are folders that are no repository.
  expected.push(/status of 409.*branches/);
  const home = daemon.env.HOME ?? "";
  daemon.sh("mkdir -p code/app && cd code/app && git init -q && git commit -q --allow-empty -m begin", home);
  const keys = app.keyboard;
  await keys.press("c");
  await expect(app.locator("[name=agent]:checked")).toHaveCount(1);
  await keys.type("First look");
  await keys.press("Tab");
  await keys.press("Tab");
  await expect(app.locator("#f-repo")).toBeFocused();
  await expect(app.getByRole("option", { name: `${home}/code` })).toBeVisible();
  await keys.press("ArrowDown");
  await keys.press("Enter");
  await expect(app.locator("#f-repo")).toHaveValue(`${home}/code`);
  await keys.type("/");
  await expect(app.getByRole("option", { name: `${home}/code/app` })).toBeVisible();
  await keys.press("Tab");
  await expect(app.locator("#f-repo")).toHaveValue(`${home}/code/app/`);
  await expect(app.locator(".folder")).toContainText("worktrees/app/qd-first-look-");
  await keys.press("Control+Shift+Enter");
  await expect(app.getByRole("dialog").getByRole("status").last()).toContainText("“First look” is being created.");
  await keys.type("Second look");
  await keys.press("Control+Enter");
  await expect(app.getByRole("dialog")).toHaveCount(0);
  await live(app);
  const made = await daemon.qd<{ state: string; title: string }[]>("ls");
  expect(made.map(({ state, title }) => [title, state]).sort()).toEqual([
    ["First look", "running"],
    ["Second look", "running"],
  ]);
  // A path from the home is written as it is.
  await keys.press("Control+]");
  await keys.press("c");
  await app.locator("#f-repo").fill("");
  await app.locator("#f-repo").pressSequentially("~/code/app");
  await expect(app.locator("#f-repo")).toHaveValue(`${home}/code/app`);
});
