import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { check } from "../lib/axe.ts";
import type { Daemon } from "../lib/daemon.ts";
import { focus, live, openTerminal, rows } from "../lib/terminal.ts";
import { expect, test } from "../lib/test.ts";

const ECHO = ["sh", "-c", "echo life $$; exec cat"];

const banner = (page: Page) => page.locator(".pane > .banner");
const row = (page: Page, title: string) => page.locator(".row", { hasText: title });
const state = async (daemon: Daemon, id: string) => {
  const { state, pending } = await daemon.qd<{ state: string; pending: string | null }>("show", id);
  return pending ?? state;
};
const menu = async (page: Page, item: string, touch = false) => {
  const more = page.getByRole("button", { name: "More actions" });
  const entry = page.getByRole("menuitem", { name: item });
  await (touch ? more.tap() : more.click());
  await (touch ? entry.tap() : entry.click());
};

test("a pause puts changed and untracked files away, and a resume brings them and the terminal back", async ({ app, daemon }) => {
  const session = await daemon.session("Work", ECHO);
  await daemon.session("Other", "cat");
  daemon.sh("echo changed >> src/a.txt; echo new > new.txt; git add new.txt; echo more >> new.txt; mkdir d; echo u > d/untracked.txt", session.worktree);
  const files = () => daemon.sh("git status --porcelain=v2; cat src/a.txt new.txt d/untracked.txt", session.worktree);
  const before = files();
  await openTerminal(app, session.id);
  await expect(rows(app)).toContainText("life");
  await app.keyboard.press("p");
  await expect(banner(app)).toContainText(/Paused\..*every file in it as it was; the branch .* is free/);
  await expect(app.locator(".strip")).toContainText("“Work” is paused");
  expect(daemon.sh(`test -e "${session.worktree}" && echo there || echo gone`).trim()).toBe("gone");
  // It stays in sight, in a group of its own, with its last screen and its changes.
  await expect(app).toHaveURL(new RegExp(session.id));
  await expect(app.locator(".group", { hasText: "Paused" })).toBeVisible();
  await expect(row(app, "Work")).toHaveAttribute("aria-label", /^Paused/);
  await expect(rows(app)).toContainText("life");
  await expect(app.locator("#message")).toHaveCount(0);
  await expect(app.locator("aside")).toContainText("the branch");
  await app.keyboard.press("2");
  await expect(app.getByRole("treeitem", { name: /untracked/ })).toBeVisible();
  await app.keyboard.press("1");
  await app.keyboard.press("/");
  await expect(app.getByRole("textbox", { name: "Filter sessions" })).toBeFocused();
  await app.keyboard.type("state:paused");
  await expect(app.locator(".row")).toHaveCount(1);
  await app.keyboard.press("Escape");
  await expect(app.locator(".row")).toHaveCount(2);
  await banner(app).getByRole("button", { name: "Resume" }).click();
  await expect.poll(() => state(daemon, session.id)).toBe("running");
  expect(files()).toBe(before);
  await expect(banner(app)).toHaveCount(0);
  await live(app);
  await focus(app);
  await app.keyboard.type("heard\n");
  await expect(rows(app)).toContainText("heard");
});

test("a pause is undone by its key, also before it is done", async ({ app, daemon }) => {
  // It takes its time to end.
  const session = await daemon.session("Slow", ["sh", "-c", "trap 'sleep 1; exit 0' TERM; echo up; while :; do sleep 0.1; done"]);
  await openTerminal(app, session.id);
  await expect(rows(app)).toContainText("up");
  await app.keyboard.press("p");
  await expect(app.locator(".strip")).toContainText("“Slow” is pausing");
  await expect(banner(app)).toContainText("Pausing.");
  await app.keyboard.press("u");
  await expect(app.locator(".strip")).toHaveCount(0);
  const kinds = async () => (await daemon.events(session.id)).filter((kind) => /pause|resume/.test(kind));
  await expect.poll(kinds).toEqual(["pause-began", "paused", "resume-began"]);
  await expect.poll(() => state(daemon, session.id)).toBe("running");
  await expect(banner(app)).toHaveCount(0);
});

test("a session is hibernated and woken, and its files stay where they are", async ({ app, daemon }) => {
  const session = await daemon.session("Sleeper", ECHO);
  await daemon.session("Other", "cat");
  daemon.sh("echo u > untracked.txt", session.worktree);
  await openTerminal(app, session.id);
  await expect(rows(app)).toContainText("life");
  await app.keyboard.press("h");
  await expect(banner(app)).toContainText("Hibernated.");
  await expect(app.locator(".strip")).toContainText("“Sleeper” is hibernated");
  expect(await state(daemon, session.id)).toBe("hibernated");
  expect(daemon.sh("cat untracked.txt", session.worktree)).toBe("u\n");
  // The group is closed until somebody opens it.
  const group = app.locator(".group", { hasText: "Hibernated" });
  await expect(group).toHaveAttribute("aria-expanded", "false");
  await group.click();
  await expect(row(app, "Sleeper")).toHaveAttribute("aria-label", /^Hibernated/);
  await app.keyboard.press("w");
  await expect(banner(app)).toHaveCount(0);
  await expect(row(app, "Sleeper")).toHaveAttribute("aria-label", /^Running/);
  await live(app);
  await focus(app);
  await app.keyboard.type("awake\n");
  await expect(rows(app)).toContainText("awake");
});

test("a restart keeps the old output in the history, and takes the banner of the end away", async ({ app, daemon }) => {
  const session = await daemon.session("Ends", ["sh", "-c", "echo life $$; read x; exit 3"]);
  await openTerminal(app, session.id);
  await expect(rows(app)).toContainText("life");
  const first = /life \d+/.exec(await daemon.text(session.id))?.[0] ?? "none";
  // While it runs: from the menu only, since nothing takes it back.
  await menu(app, "Restart");
  await expect(rows(app)).not.toContainText(first);
  await expect(rows(app)).toContainText("life");
  await live(app);
  await focus(app);
  await app.keyboard.type("x\n");
  await expect(banner(app)).toContainText("Ended with code 3.");
  const second = /life \d+/.exec(await daemon.text(session.id))?.[0] ?? "none";
  await banner(app).getByRole("button", { name: "Restart" }).click();
  await expect(banner(app)).toHaveCount(0);
  await expect(rows(app)).not.toContainText(second);
  const history = await daemon.qd<{ lines: string[] }>("screen", session.id, "--history");
  expect(history.lines.join("\n")).toContain(first);
  expect(history.lines.join("\n")).toContain(second);
  // The page has it, too: one scrolls up to it.
  await app.locator(".term .xterm-screen").hover();
  await app.mouse.wheel(0, -4000);
  await expect(rows(app)).toContainText(first);
});

test("a pause that fails and one that is refused say why", async ({ app, daemon, expected }) => {
  expected.push(/status of 409/);
  const session = await daemon.session("Locked", ECHO);
  daemon.sh(`git worktree lock --reason 'on a stick' "${session.worktree}"`, daemon.repo());
  await openTerminal(app, session.id);
  await app.keyboard.press("p");
  await expect(banner(app)).toContainText(/locked: on a stick.*git worktree unlock/);
  await expect(app.locator(".strip")).toHaveCount(0);
  expect(daemon.sh("cat src/a.txt", session.worktree)).toContain("one");
  await banner(app).getByRole("button", { name: "Restart" }).click();
  await expect(banner(app)).toHaveCount(0);
  // Somebody else is quicker.
  await app.route(`**/sessions/${session.id}/pause`, (route) =>
    route.fulfill({
      status: 409,
      contentType: "application/problem+json",
      body: JSON.stringify({ code: "state_conflict", title: "“Locked” cannot be paused; it is being restarted.", hint: "Nothing was changed." }),
    }),
  );
  await app.keyboard.press("p");
  await expect(banner(app)).toContainText("it is being restarted");
  await expect(row(app, "Locked")).toHaveAttribute("aria-label", /^Running/);
  await app.keyboard.press("2");
  await expect(app.locator(".banner")).toContainText("it is being restarted");
  await app.locator(".banner").getByRole("button", { name: "Close" }).click();
  await expect(app.locator(".banner")).toHaveCount(0);
});

test("a resume whose place is taken says why, and can be tried again", async ({ app, daemon }) => {
  const session = await daemon.session("Taken", ECHO);
  daemon.sh("echo u > untracked.txt", session.worktree);
  await daemon.qd("pause", session.id);
  mkdirSync(session.worktree, { recursive: true });
  writeFileSync(join(session.worktree, "theirs"), "x");
  await app.goto(`${daemon.url}/s/${session.id}/terminal`);
  await banner(app).getByRole("button", { name: "Resume" }).click();
  await expect(banner(app)).toHaveClass(/bad/);
  await expect(banner(app)).toContainText(/^Paused\..+/);
  rmSync(session.worktree, { recursive: true });
  await banner(app).getByRole("button", { name: "Resume" }).click();
  await expect(banner(app)).toHaveCount(0);
  expect(daemon.sh("cat untracked.txt", session.worktree)).toBe("u\n");
});

test("one that was paused comes back from the trash paused", async ({ app, daemon }) => {
  const session = await daemon.session("Twice away", ECHO);
  daemon.sh("echo u > untracked.txt", session.worktree);
  await daemon.qd("pause", session.id);
  await app.goto(`${daemon.url}/s/${session.id}/terminal`);
  await expect(banner(app)).toContainText("Paused.");
  await app.keyboard.press("#");
  await expect(app.locator(".strip")).toContainText("in the trash");
  await app.keyboard.press("u");
  await expect(banner(app)).toContainText("Paused.");
  await app.keyboard.press("w");
  await expect(banner(app)).toHaveCount(0);
  expect(daemon.sh("cat untracked.txt", session.worktree)).toBe("u\n");
});

test("a phone pauses and resumes by thumb", async ({ device, daemon }) => {
  const session = await daemon.session("By thumb", ECHO);
  daemon.sh("echo u > untracked.txt", session.worktree);
  const phone = await device({ width: 390, height: 844, phone: true });
  await openTerminal(phone, session.id);
  await expect(rows(phone)).toContainText("life");
  await menu(phone, "Pause", true);
  const resume = banner(phone).getByRole("button", { name: "Resume" });
  await expect(resume).toBeVisible();
  await expect(phone.locator(".ptop")).toContainText("Paused");
  const box = await resume.boundingBox();
  expect(box?.height).toBeGreaterThanOrEqual(44);
  expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await resume.tap();
  await expect(banner(phone)).toHaveCount(0);
  await expect(phone.locator("#message")).toBeVisible();
  expect(daemon.sh("cat untracked.txt", session.worktree)).toBe("u\n");
  await menu(phone, "Hibernate", true);
  await banner(phone).getByRole("button", { name: "Wake" }).tap();
  await expect.poll(() => state(daemon, session.id)).toBe("running");
});

test("what needs the daemon is off while it is away, and says so", async ({ app, daemon, expected }) => {
  expected.push(/net::ERR_|WebSocket connection to/);
  const session = await daemon.session("Away", ECHO);
  await daemon.qd("pause", session.id);
  await app.goto(`${daemon.url}/s/${session.id}/terminal`);
  await expect(banner(app)).toContainText("Paused.");
  await daemon.stop();
  await expect(app.getByText("Offline since")).toBeVisible();
  await app.getByRole("button", { name: "More actions" }).click();
  for (const item of ["Resume", "Rename", "Delete"])
    await expect(app.getByRole("menuitem", { name: item })).toHaveAttribute("aria-disabled", "true");
  await expect(app.getByRole("menuitem", { name: "Resume" })).toContainText("The daemon does not answer");
  await app.keyboard.press("Escape");
  await daemon.start();
  await banner(app).getByRole("button", { name: "Resume" }).click();
  await expect.poll(() => state(daemon, session.id)).toBe("running");
});

for (const theme of ["dark", "light"] as const)
  for (const [width, height] of [[1440, 900], [390, 844]] as const)
    test(`no state of the lifecycle breaks a rule of accessibility, ${theme} at ${width}`, async ({ device, daemon }) => {
      const paused = await daemon.session("Paused one", ECHO);
      const asleep = await daemon.session("Sleeping one", ECHO);
      const taken = await daemon.session("Taken one", ECHO);
      await daemon.qd("pause", paused.id, taken.id);
      await daemon.qd("hibernate", asleep.id);
      mkdirSync(taken.worktree, { recursive: true });
      writeFileSync(join(taken.worktree, "theirs"), "x");
      await expect(daemon.qd("resume", taken.id)).rejects.toThrow(/path_taken/);
      const page = await device({ width, height, phone: width < 768, theme });
      await page.goto(daemon.url);
      await page.locator(".group", { hasText: "Hibernated" }).click();
      await expect(page.locator(".row")).toHaveCount(3);
      await check(page, "the list");
      for (const [session, words] of [[paused, "Paused."], [taken, "in the way"]] as const) {
        await page.goto(`${daemon.url}/s/${session.id}/terminal`);
        await expect(banner(page)).toContainText(session === taken ? "Paused." : words);
        await check(page, words);
      }
      await page.getByRole("button", { name: "More actions" }).click();
      await expect(page.getByRole("menu")).toBeVisible();
      await check(page, "the menu");
    });
