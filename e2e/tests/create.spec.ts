import type { Page } from "@playwright/test";
import { agents } from "../lib/agents.ts";
import { type Daemon, program } from "../lib/daemon.ts";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "../lib/test.ts";
import { focus, live, rows } from "../lib/terminal.ts";

/** Fills the dialog in with a command, and stops before it is created. */
async function fill(app: Page, repo: string, title: string, command: string) {
  await app.locator("label", { hasText: "Command…" }).click();
  await app.locator("#f-command").fill(command);
  await app.locator("#f-repo").fill(repo);
  await app.locator("#f-title").fill(title);
  await expect(app.locator("#f-branch")).not.toHaveValue("");
}

/** A remote that answers only when `open` is called keeps the first step going. */
function gate(daemon: Daemon): { repo: string; open(): void } {
  const repo = daemon.repo();
  daemon.sh(
    `git clone -q --bare "${repo}" origin.git
     cd "${repo}" && git remote add origin "${daemon.dir}/origin.git" && git fetch -q && git remote set-head origin main
     mkfifo "${daemon.dir}/gate"
     printf '#!/bin/sh\\ncat "${daemon.dir}/gate" > /dev/null\\nexec git-upload-pack "$@"\\n' > "${daemon.dir}/slow"
     chmod +x "${daemon.dir}/slow"
     git config remote.origin.uploadpack "${daemon.dir}/slow"`,
  );
  return { repo, open: () => void daemon.sh(`echo go > "${daemon.dir}/gate"`) };
}

/** What has come; a key that came before the program asked for bare keys is one of lines. */
function came(file: string): string {
  return existsSync(file) ? readFileSync(file, "utf8").replaceAll("\n", "\r") : "";
}

/** The command that writes all bytes it gets into a file. */
function keys(file: string): string {
  return program("keys", file).map((word) => `'${word}'`).join(" ");
}

test("a session is made with keys only, and runs", async ({ app, daemon }) => {
  const repo = daemon.repo();
  await expect(app.locator(".live")).toContainText("Connected");
  await app.keyboard.press("c");
  const dialog = app.getByRole("dialog", { name: "New session" });
  await expect(dialog.locator("#f-prompt")).toBeFocused();
  await app.keyboard.type("Count to three");
  // To the agents: a group of radio buttons is one stop, and its arrows choose.
  await expect(dialog.locator("input[name=agent]:checked")).toHaveCount(1);
  await app.keyboard.press("Tab");
  await expect(dialog.locator("input[name=agent]:focus")).toHaveCount(1);
  for (let i = 0; i < 8 && !(await dialog.locator("#f-command").isVisible()); i += 1)
    await app.keyboard.press("ArrowRight");
  await expect(dialog.locator("#f-command")).toBeVisible();
  await app.keyboard.press("Tab");
  await expect(dialog.locator("#f-command")).toBeFocused();
  await app.keyboard.type("sh -c 'echo one two three; exec cat'");
  await app.keyboard.press("Tab");
  await expect(dialog.locator("#f-repo")).toBeFocused();
  await app.keyboard.type(repo);
  await expect(dialog.locator("#f-branch")).toHaveValue("qd/count-to-three");
  await expect(dialog.locator("footer code")).toContainText("qd new --repo");
  await app.keyboard.press("Control+Enter");
  await expect(dialog).toHaveCount(0);
  await expect(app).toHaveURL(/\/s\/[^/]+\/terminal/);
  await live(app);
  await expect(rows(app)).toContainText("one two three");
  const [session] = await daemon.qd<{ state: string; branch: string; title: string }[]>("ls");
  expect(session).toMatchObject({ state: "running", branch: "qd/count-to-three", title: "Count to three" });
});

test("the steps of a creation are told while it goes on", async ({ app, daemon }) => {
  const { repo, open } = gate(daemon);
  await app.keyboard.press("c");
  await app.locator("label", { hasText: "Command…" }).click();
  await app.locator("#f-command").fill("cat");
  await app.locator("#f-repo").fill(repo);
  await app.locator("#f-title").fill("Slow base");
  await expect(app.locator("#f-branch")).toHaveValue("qd/slow-base");
  await app.keyboard.press("Control+Enter");
  await expect(app.getByRole("main").getByRole("heading", { name: "Creating" })).toBeVisible();
  await expect(app.locator(".steps [aria-current=step]")).toContainText("1 of 3: Fetch the base");
  await expect(app.locator(".row", { hasText: "Slow base" })).toContainText("1 of 3: fetch");
  open();
  await live(app);
});

test("a folder that is no repository is said in place, and is worked in as it is", async ({
  app,
  daemon,
  expected,
}) => {
  expected.push(/status of 409.*branches/);
  daemon.sh("mkdir plain");
  await app.keyboard.press("c");
  await app.locator("label", { hasText: "Command…" }).click();
  await app.locator("#f-command").fill("sh -c 'pwd; exec cat'");
  await app.locator("#f-repo").fill(`${daemon.dir}/plain`);
  await expect(app.locator("#h-repo")).toContainText("works in the folder itself");
  await expect(app.getByRole("radio", { name: "In place" })).toBeChecked();
  await expect(app.getByRole("radio", { name: "New branch" })).toBeDisabled();
  await app.keyboard.press("Control+Enter");
  await live(app);
  await expect(rows(app)).toContainText(`${daemon.dir}/plain`);
});

test("a branch that is checked out elsewhere is refused under its field, and the draft stays", async ({
  app,
  daemon,
  expected,
}) => {
  expected.push(/status of 4\d\d/);
  const repo = daemon.repo();
  await app.keyboard.press("c");
  await app.locator("#f-prompt").fill("Keep me");
  await app.locator("label", { hasText: "Command…" }).click();
  await app.locator("#f-command").fill("cat");
  await app.locator("#f-repo").fill(repo);
  await expect(app.locator("#f-branch")).toHaveValue("qd/keep-me");
  await app.locator("#f-branch").fill("main");
  await app.keyboard.press("Control+Enter");
  const field = app.locator("#create > div", { has: app.locator("#f-branch") });
  await expect(field.getByRole("alert")).toContainText(/main/);
  await expect(app.locator("#f-branch")).toBeFocused();
  await expect(app.locator("#f-branch")).toHaveAttribute("aria-invalid", "true");
  await app.keyboard.press("Escape");
  await expect(app.getByRole("dialog")).toHaveCount(0);
  await app.keyboard.press("c");
  await expect(app.locator("#f-prompt")).toHaveValue("Keep me");
});

test("a program that is missing is said in place", async ({ app, daemon, expected }) => {
  expected.push(/status of 4\d\d/);
  await app.keyboard.press("c");
  await app.locator("label", { hasText: "Command…" }).click();
  await app.locator("#f-command").fill("no-such-program-here");
  await app.locator("#f-repo").fill(daemon.repo());
  await app.locator("#f-title").fill("Missing");
  await app.keyboard.press("Control+Enter");
  const problem = app.getByRole("alert").filter({ hasText: "no-such-program-here" });
  await expect(problem).toBeVisible();
});

test("an existing branch, and a folder itself, are worked in", async ({ app, daemon }) => {
  const repo = daemon.repo();
  daemon.sh("git branch side", repo);
  await app.keyboard.press("c");
  await app.locator("label", { hasText: "Command…" }).click();
  await app.locator("#f-command").fill("sh -c 'git branch --show-current; exec cat'");
  await app.locator("#f-repo").fill(repo);
  await app.getByText("Existing branch").click();
  await app.locator("#f-branch").selectOption("side");
  await app.keyboard.press("Control+Enter");
  await live(app);
  await expect(rows(app)).toContainText("side");
  await app.keyboard.press("Control+]");
  await app.keyboard.press("c");
  await app.locator("label", { hasText: "Command…" }).click();
  await app.locator("#f-command").fill("sh -c 'pwd; exec cat'");
  await app.locator("#f-repo").fill(repo);
  await app.getByText("In place", { exact: true }).click();
  await app.keyboard.press("Control+Enter");
  await expect(rows(app)).toContainText(repo);
  await focus(app);
});

test("nothing is created in the folder itself because of the folder before", async ({ app, daemon, expected }) => {
  expected.push(/status of 409.*branches/);
  const repo = daemon.repo();
  daemon.sh("mkdir plain");
  await app.keyboard.press("c");
  await app.locator("label", { hasText: "Command…" }).click();
  await app.locator("#f-command").fill("cat");
  await app.locator("#f-title").fill("Own branch");
  await app.locator("#f-repo").fill(`${daemon.dir}/plain`);
  await expect(app.locator("#h-repo")).toContainText("works in the folder itself");
  let answer: () => void = () => undefined;
  const held = new Promise<void>((done) => {
    answer = done;
  });
  await app.route("**/repos/branches**", async (route) => {
    await held;
    await route.continue();
  });
  await app.locator("#f-repo").fill(repo);
  await app.keyboard.press("Control+Enter");
  await expect(app.getByRole("dialog").getByRole("button", { name: "Creating" })).toBeVisible();
  answer();
  await live(app);
  const [session] = await daemon.qd<{ branch: string; worktree: string }[]>("ls");
  expect(session?.branch).toBe("qd/own-branch");
  expect(session?.worktree).not.toBe(repo);
});

test("a folder that turns out to be no repository is not worked in unseen", async ({ app, daemon, expected }) => {
  expected.push(/status of 409.*branches/);
  daemon.sh("mkdir plain");
  await app.keyboard.press("c");
  await app.locator("label", { hasText: "Command…" }).click();
  await app.locator("#f-command").fill("cat");
  await app.locator("#f-repo").fill(`${daemon.dir}/plain`);
  await app.keyboard.press("Control+Enter");
  await expect(app.locator("#create").getByRole("alert")).toContainText("Nothing was created yet.");
  expect(await daemon.qd("ls")).toEqual([]);
  await app.keyboard.press("Control+Enter");
  await live(app);
});

test("the task is sent though the agents are still being looked for", async ({ device, daemon, expected }) => {
  expected.push(/status of 422/);
  await agents(daemon, "claude");
  const app = await device();
  await app.keyboard.press("c");
  await app.locator("#f-repo").fill(daemon.repo());
  await expect(app.locator("[name=agent]:checked")).toHaveAttribute("id", "f-agent-claude");
  await app.locator("#f-prompt").focus();
  await app.keyboard.press("Escape");
  await app.route("**/api/v1/agents", () => undefined);
  await app.keyboard.press("c");
  await app.locator("#f-prompt").fill("Do all of this");
  await expect(app.getByRole("radio", { name: /claude/ })).toBeChecked();
  const refusal = { code: "field_invalid", title: "Not today.", hint: "", field: "prompt" };
  const sent: unknown[] = [];
  await app.route("**/api/v1/sessions", (route) => {
    // The list may be read anew at any time.
    if (route.request().method() !== "POST") return route.continue();
    sent.push(route.request().postDataJSON());
    return route.fulfill({ status: 422, contentType: "application/problem+json", body: JSON.stringify(refusal) });
  });
  await app.keyboard.press("Control+Enter");
  await expect(app.locator("#create").getByRole("alert")).toContainText("Not today.");
  expect(sent).toMatchObject([{ agent: "claude", prompt: "Do all of this" }]);
  await expect(app.locator("#f-prompt")).toHaveValue("Do all of this");
});

test("agents that could not be asked for are asked for again", async ({ app, daemon, expected }) => {
  expected.push(/net::ERR_FAILED/);
  let times = 0;
  await app.route("**/api/v1/agents", (route) => {
    times += 1;
    return times === 1 ? route.abort() : route.continue();
  });
  await app.keyboard.press("c");
  await app.locator("#f-repo").fill(daemon.repo());
  await expect(app.locator("[name=agent]:checked")).toHaveAttribute("id", "f-agent-shell");
  expect(times).toBe(2);
});

test("a folder is completed from what is there", async ({ app, daemon, expected }) => {
  expected.push(/status of 409.*branches/);
  const repo = daemon.repo();
  await app.keyboard.press("c");
  await app.locator("#f-repo").fill(repo.slice(0, -2));
  await expect(app.getByRole("option", { name: repo })).toBeVisible();
  await app.keyboard.press("ArrowDown");
  await app.keyboard.press("Enter");
  await expect(app.locator("#f-repo")).toHaveValue(repo);
  await expect(app.getByRole("dialog")).toBeVisible();
});

test("after Create the terminal has the keys, those typed before it was there too", async ({ app, daemon }) => {
  const { repo, open } = gate(daemon);
  const file = join(daemon.dir, "bytes");
  // By the button, which the browser would give the focus back to.
  await app.getByRole("button", { name: "New session" }).first().click();
  await fill(app, repo, "Early", keys(file));
  await app.getByRole("dialog").getByRole("button", { name: "Create" }).click();
  await expect(app.locator(".steps [aria-current=step]")).toContainText("1 of 3");
  await expect(app.getByText("What you type goes to its program once it runs.")).toBeVisible();
  // Each would do something in the page: new session, delete, shell, settings.
  await app.keyboard.type("c#s, ");
  await app.keyboard.press("Enter");
  await expect(app.getByRole("dialog")).toHaveCount(0);
  await expect(app).toHaveURL(/\/terminal$/);
  expect(await daemon.qd<unknown[]>("ls")).toHaveLength(1);
  open();
  await live(app);
  await expect(app.locator(".term")).toHaveClass(/keyed/);
  await app.keyboard.type("then");
  await expect.poll(() => came(file)).toBe("c#s, \rthen");
});

test("whoever goes elsewhere while a session is made keeps the focus there", async ({ app, daemon }) => {
  const { repo, open } = gate(daemon);
  await daemon.session("First", "cat", ["--in-place"]);
  await daemon.session("Second", "cat", ["--in-place", "--shared"]);
  const file = join(daemon.dir, "bytes");
  await app.keyboard.press("c");
  await fill(app, repo, "Later", keys(file));
  await app.keyboard.press("Control+Enter");
  await expect(app.locator(".steps")).toBeVisible();
  await app.locator("#filter").click();
  await expect(app.getByText("What you type goes to its program once it runs.")).toHaveCount(0);
  open();
  await live(app);
  await expect(app.locator("#filter")).toBeFocused();
  await app.keyboard.type("a");
  await expect(app.locator("#filter")).toHaveValue("a");
  expect(came(file)).toBe("");
});

test("a command that is chosen is written next, and a branch is said to be fetched only where there is a remote", async ({ app, daemon }) => {
  await app.keyboard.press("c");
  await app.locator("label", { hasText: "Command…" }).click();
  await expect(app.locator("#f-command")).toBeFocused();
  await app.locator("#f-repo").fill(daemon.repo());
  await app.locator("#f-title").fill("Words");
  const words = app.locator("#create > div", { has: app.locator("#f-branch") }).locator(".hint");
  await expect(words).toContainText("main is where it begins.");
  await expect(words).not.toContainText("fetch");
  const { repo } = gate(daemon);
  await app.locator("#f-repo").fill("");
  await app.locator("#f-repo").fill(repo);
  await expect(words).toContainText("origin/main is fetched first, if its remote answers.");
});
