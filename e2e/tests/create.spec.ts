import { expect, test } from "../lib/test.ts";
import { focus, live, rows } from "../lib/terminal.ts";

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
  // A remote that answers only when the test says so keeps the first step going.
  const repo = daemon.repo();
  daemon.sh(
    `git clone -q --bare "${repo}" origin.git
     cd "${repo}" && git remote add origin "${daemon.dir}/origin.git" && git fetch -q && git remote set-head origin main
     mkfifo "${daemon.dir}/gate"
     printf '#!/bin/sh\\ncat "${daemon.dir}/gate" > /dev/null\\nexec git-upload-pack "$@"\\n' > "${daemon.dir}/slow"
     chmod +x "${daemon.dir}/slow"
     git config remote.origin.uploadpack "${daemon.dir}/slow"`,
  );
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
  daemon.sh(`echo go > "${daemon.dir}/gate"`);
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

test("the task is sent though the agents are still being looked for", async ({ app, daemon, expected }) => {
  expected.push(/status of 422/);
  const claude = { name: "claude", title: "Claude", version: "1", found: "/bin/claude", takes_prompt: true, install: null };
  await app.route("**/api/v1/agents", (route) => route.fulfill({ json: [claude] }));
  await app.keyboard.press("c");
  await app.locator("#f-repo").fill(daemon.repo());
  await expect(app.locator("[name=agent]:checked")).toHaveAttribute("id", "f-agent-claude");
  await app.locator("#f-prompt").focus();
  await app.keyboard.press("Escape");
  await app.unroute("**/api/v1/agents");
  await app.route("**/api/v1/agents", () => undefined);
  await app.keyboard.press("c");
  await app.locator("#f-prompt").fill("Do all of this");
  await expect(app.getByRole("radio", { name: /claude/ })).toBeChecked();
  const refusal = { code: "field_invalid", title: "Not today.", hint: "", field: "prompt" };
  await app.route("**/api/v1/sessions", (route) =>
    route.fulfill({ status: 422, contentType: "application/problem+json", body: JSON.stringify(refusal) }),
  );
  const [request] = await Promise.all([app.waitForRequest("**/api/v1/sessions"), app.keyboard.press("Control+Enter")]);
  expect(request.postDataJSON()).toMatchObject({ agent: "claude", prompt: "Do all of this" });
  await expect(app.locator("#create").getByRole("alert")).toContainText("Not today.");
  await expect(app.locator("#f-prompt")).toHaveValue("Do all of this");
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
