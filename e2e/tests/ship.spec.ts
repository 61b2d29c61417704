import type { Page } from "@playwright/test";
import { check } from "../lib/axe.ts";
import type { Daemon, Session } from "../lib/daemon.ts";
import { expect, test } from "../lib/test.ts";

/** A session whose branch began at commits of the person that are on no remote. */
async function begun(daemon: Daemon, ahead: number): Promise<Session> {
  const repo = daemon.repo();
  daemon.sh(
    `git init -q --bare -b main ../origin.git
     git remote add origin ../origin.git
     git push -q origin HEAD:main
     git remote set-head origin main
     for n in $(seq 1 ${ahead}); do echo $n > private-$n; git add .; git commit -qm "private note $n"; done`,
    repo,
  );
  const session = await daemon.session("Retry the upload", "cat", ["--base", "main"]);
  daemon.sh("echo more >> src/a.txt; git commit -qam 'Retry it'; echo x > new.txt", session.worktree);
  return session;
}

async function open(page: Page, daemon: Daemon, session: Session) {
  await page.goto(`${daemon.url}/s/${session.id}/ship`);
  await expect(page.getByRole("heading", { name: "To deliver" })).toBeVisible();
}

test("from a session's work to a branch on a bare remote, with nothing of anybody else", async ({
  app,
  daemon,
}) => {
  const session = await begun(daemon, 6);
  const before = daemon.sh("git rev-parse HEAD", session.worktree);
  await app.goto(`${daemon.url}/s/${session.id}`);
  await app.getByRole("link", { name: "Ship" }).click();
  await expect(app.getByText("fetched just now")).toBeVisible();
  const own = app.getByRole("list", { name: "To deliver" }).getByRole("listitem");
  const foreign = app.getByRole("list", { name: "Not of this session" }).getByRole("listitem");
  await expect(own).toHaveCount(1);
  await expect(own).toContainText("Retry it");
  await expect(foreign).toHaveCount(6);
  await expect(foreign.first()).toContainText("private note 6");
  await expect(foreign.first()).toContainText("on main");
  const banner = app.locator(".banner", { hasText: "6 commits are not of this session." });
  await expect(banner).toBeVisible();
  // What is foreign does not go by itself.
  await expect(app.getByRole("button", { name: "Push", exact: true })).toBeDisabled();
  await check(app, "with foreign commits");

  const message = app.getByRole("textbox", { name: "Message of the commit" });
  await expect(message).toHaveValue("Retry the upload");
  await app.keyboard.press("Shift+C");
  await expect(message).toBeFocused();
  await message.fill("Add a file\n\nIt is needed.");
  await app.keyboard.press("Control+Enter");
  await expect(app.locator(".step", { hasText: "Committed as" })).toBeVisible();
  await expect(own).toHaveCount(2);
  await expect(app.getByText("All is committed.")).toBeVisible();
  expect(daemon.sh("git log -1 --format=%B", session.worktree).trim()).toBe("Add a file\n\nIt is needed.");

  await banner.getByRole("button", { name: "Keep out" }).click();
  const dialog = app.getByRole("dialog", { name: "Keep foreign commits out" });
  await expect(dialog.getByText("private note 1")).toBeVisible();
  await expect(dialog.getByText("Add a file")).toBeVisible();
  await check(app, "the preview");
  await dialog.getByRole("button", { name: "Keep out" }).click();
  await expect(
    app.locator(".step", { hasText: "Rebuilt on origin/main: 2 kept, 6 left out." }),
  ).toBeVisible();
  await expect(foreign).toHaveCount(0);
  expect(daemon.sh("git log --format=%s origin/main..HEAD", session.worktree)).toBe("Add a file\nRetry it\n");

  const undo = app.locator(".banner", { hasText: "Rebuilt of its own commits only." });
  await undo.getByRole("button", { name: "Undo" }).click();
  await expect(foreign).toHaveCount(6);
  expect(daemon.sh("git rev-parse HEAD~", session.worktree)).toBe(before);
  await app.keyboard.press("Shift+O");
  await dialog.getByRole("button", { name: "Keep out" }).click();
  await expect(foreign).toHaveCount(0);

  await expect(app.getByText("Not pushed yet.")).toBeVisible();
  await app.getByRole("button", { name: "Push", exact: true }).click();
  await expect(app.locator(".step", { hasText: `Pushed ${session.branch} to origin.` })).toBeVisible();
  await expect(app.getByText("Up to date.")).toBeVisible();
  const there = daemon.sh(`git log --format=%s main..${session.branch}`, `${daemon.dir}/origin.git`);
  expect(there).toBe("Add a file\nRetry it\n");
  await check(app, "pushed");
});

test("a hook that hangs is shown at work and can be stopped, and one that refuses is told", async ({
  app,
  daemon,
}) => {
  const session = await begun(daemon, 0);
  const hook = (script: string) =>
    daemon.sh(
      `printf '#!/bin/sh\\n${script}\\n' > .git/hooks/pre-commit; chmod 755 .git/hooks/pre-commit`,
      daemon.repo(),
    );
  hook("echo checking the types >&2; exec sleep 1000");
  await open(app, daemon, session);
  await app.getByRole("button", { name: "Commit" }).click();
  const step = app.locator(".step", { hasText: "Committing" });
  await expect(step).toContainText("checking the types");
  await expect(app.getByRole("button", { name: "Commit" })).toBeDisabled();
  await step.getByRole("button", { name: "Stop" }).click();
  await expect(app.getByRole("alert").filter({ hasText: "cancelled" })).toBeVisible();
  hook("echo two tests fail >&2; exit 1");
  await app.getByRole("button", { name: "Commit" }).click();
  const told = app.getByRole("alert").filter({ hasText: "The pre-commit hook refused: two tests fail" });
  await expect(told).toContainText("Nothing was changed.");
  await check(app, "a refusal");
  expect(daemon.sh("git status --porcelain", session.worktree)).toBe("?? new.txt\n");
});

test("a conflict with the moved base is predicted before anything is done", async ({ app, daemon }) => {
  const session = await begun(daemon, 1);
  daemon.sh(
    "git clone -q origin.git other; cd other; echo theirs > src/a.txt; git commit -qam theirs; git push -q",
  );
  const before = daemon.sh("git rev-parse HEAD", session.worktree);
  await open(app, daemon, session);
  await expect(app.getByText("It has 1 commit that the branch does not.")).toBeVisible();
  await app.getByRole("button", { name: "Keep out" }).click();
  const dialog = app.getByRole("dialog");
  await expect(dialog.getByRole("alert")).toContainText("“Retry it” does not fit: src/a.txt would conflict.");
  await expect(dialog.getByRole("button", { name: "Keep out" })).toBeDisabled();
  await app.keyboard.press("Escape");
  expect(daemon.sh("git rev-parse HEAD", session.worktree)).toBe(before);
});

test("the work gets into the base of the remote, from the preview to the merge", async ({ app, daemon }) => {
  const session = await begun(daemon, 1);
  await open(app, daemon, session);
  await expect(app.getByText("fetched just now")).toBeVisible();
  await app.keyboard.press("Shift+M");
  const dialog = app.getByRole("dialog", { name: "Merge into the base" });
  const go = dialog.getByRole("button", { name: "Merge into origin/main" });
  await expect(dialog.getByText("2 commits would get into origin/main. Nothing conflicts.")).toBeVisible();
  // What is foreign goes only where that is said.
  await expect(go).toBeDisabled();
  await dialog.getByText("Let 1 commit go along that is not of this session").click();
  await expect(go).toBeEnabled();
  await check(app, "a merge with a foreign commit");
  await dialog.getByText("Rebase").click();
  await expect(dialog.getByText("1 commit would get into origin/main.")).toBeVisible();
  await expect(dialog.getByRole("textbox")).toHaveCount(0);
  await go.click();
  const merged = app.locator(".step", { hasText: `Merged ${session.branch} into origin/main as ` });
  await expect(merged).toBeVisible();
  const log = () =>
    daemon.sh("git log --first-parent --format=%s main", `${daemon.dir}/origin.git`).split("\n");
  expect(log()[0]).toBe("Retry it");
  expect(log()).not.toContain("private note 1");
  // What the agent adds then goes as one commit, with words of the person's own.
  daemon.sh(
    "echo c > c; git add c; git commit -qm more; echo b > b; git add b; git commit -qm b",
    session.worktree,
  );
  await app.getByRole("button", { name: "Fetch" }).click();
  await app.keyboard.press("Shift+M");
  await dialog.getByText("Squash").click();
  await dialog.getByText(/Let \d commits? go along/).click();
  const message = dialog.getByRole("textbox", { name: "Message of the merge" });
  await message.fill("All of it");
  await check(app, "a squash");
  await message.press("Control+Enter");
  await expect.poll(() => log()[0]).toBe("All of it");
});

test("a merge that would conflict is not offered", async ({ app, daemon }) => {
  const session = await begun(daemon, 0);
  daemon.sh(
    "git clone -q origin.git other; cd other; echo theirs > src/a.txt; git commit -qam theirs; git push -q",
  );
  await open(app, daemon, session);
  await expect(app.getByText("It has 1 commit that the branch does not.")).toBeVisible();
  await app.getByRole("button", { name: "Merge" }).click();
  const dialog = app.getByRole("dialog");
  await expect(dialog.getByRole("alert")).toContainText("src/a.txt would conflict.");
  await expect(dialog.getByRole("button", { name: "Merge into" })).toBeDisabled();
});
