import type { Page } from "@playwright/test";
import { check } from "../lib/axe.ts";
import { type Daemon, program, type Session } from "../lib/daemon.ts";
import { live, openTerminal, rows } from "../lib/terminal.ts";
import { expect, test } from "../lib/test.ts";

const row = (page: Page, title: string) => page.locator(".row", { hasText: title });
const strip = (page: Page) => page.getByRole("region", { name: "Undo" });
const bar = (page: Page) => page.getByRole("region", { name: "Selected sessions" });
const state = async (daemon: Daemon, id: string) => {
  const { state, pending } = await daemon.qd<{ state: string; pending: string | null }>("show", id);
  return pending ?? state;
};
const more = (page: Page) => page.getByRole("button", { name: "More actions" });
const DIRTY = "echo more >> src/a.txt; echo u > u.txt; echo v > v.txt; git commit -qm mine --allow-empty";

test("delete says what is at stake before, and what the trash holds after", async ({ app, daemon }) => {
  const session = await daemon.session("Risky", "cat");
  const shell = await daemon.qd<{ id: string }>("shell", session.id, "--title", "Beside it");
  daemon.sh(DIRTY, session.worktree);
  await openTerminal(app, session.id);
  await more(app).click();
  const entry = app.getByRole("menuitem", { name: "Delete" });
  await expect(entry).toContainText("Ends its program.");
  await expect(entry).toContainText("“Beside it” in its worktree goes with it.");
  await expect(entry).toContainText(/Kept until \d{4}-\d\d-\d\d \d\d:\d\d: 1 unstaged, 2 untracked files, 1 commit not merged and not pushed\./);
  await expect(entry).toContainText(`The branch ${session.branch} stays.`);
  await entry.click();
  await expect(strip(app)).toContainText("“Risky” is in the trash");
  await expect(strip(app)).toContainText(/Its program was ended\. 1 shell went with it\. Kept until .*: 1 unstaged, 2 untracked files, 1 commit not/);
  expect(await state(daemon, shell.id)).toBe("trashed");
  await app.keyboard.press("u");
  await expect.poll(() => state(daemon, session.id)).not.toMatch(/trash|restore/);
  expect(daemon.sh("cat u.txt v.txt", session.worktree)).toBe("u\nv\n");
});

test("a purge lists what is lost for good, and its button names the session", async ({ app, daemon }) => {
  const session = await daemon.session("Doomed", "cat");
  daemon.sh(`${DIRTY}; git checkout -q --detach; git commit -qm loose --allow-empty`, session.worktree);
  await daemon.qd("rm", session.id);
  await app.goto(`${daemon.url}/trash`);
  await app.getByRole("button", { name: "Purge" }).click();
  const dialog = app.getByRole("dialog", { name: "Purge for good" });
  const lost = dialog.getByRole("region", { name: "What is lost" });
  await expect(lost).toContainText("1 unstaged, 2 untracked files, not committed");
  await expect(lost).toContainText("1 commit on no branch and on no remote");
  await expect(lost).toContainText("loose");
  await expect(lost).toContainText(`1 commit not merged and not pushed, on ${session.branch}`);
  const purge = dialog.getByRole("button", { name: "Purge “Doomed”" });
  await expect(purge).toBeDisabled();
  await app.keyboard.type("Doomed");
  await purge.click();
  await expect(app.locator(".trash-row")).toHaveCount(0);
  await expect.poll(() => daemon.isGone(session.id)).toBe(true);
});

test("a shell opens in the worktree, belongs to its session, and stands below it", async ({ app, daemon }) => {
  const session = await daemon.session("Main work", "cat");
  await daemon.session("Other", "cat");
  daemon.sh("echo mark > mark.txt", session.worktree);
  await openTerminal(app, session.id);
  await app.keyboard.press("s");
  await expect(app.locator("#session-title")).toHaveText("Main work (shell)");
  await live(app);
  await app.locator(".term textarea").focus();
  await app.keyboard.type("cat mark.txt; pwd\n");
  await expect(rows(app)).toContainText("mark");
  const titles = () => app.locator(".row .title a").allTextContents();
  await expect.poll(titles).toContain("Main work (shell)");
  const all = await titles();
  expect(all.indexOf("Main work (shell)")).toBe(all.indexOf("Main work") + 1);
  const below = row(app, "Main work (shell)");
  await expect(below).toHaveAttribute("aria-level", "3");
  await expect(below).toHaveAttribute("aria-label", /shell of Main work/);
  await expect(app.locator("aside")).toContainText("Belongs to");
  await app.locator(".head .what").getByRole("link", { name: "Main work" }).click();
  await expect(app.locator("#session-title")).toHaveText("Main work");
  await app.locator("aside").getByRole("link", { name: "Main work (shell)" }).click();
  await expect(app.locator("#session-title")).toHaveText("Main work (shell)");
  // A second one, by the menu, from the shell: it belongs to the same session.
  await more(app).click();
  await app.getByRole("menuitem", { name: "Shell" }).click();
  await expect(app.locator(".row.below")).toHaveCount(2);
});

test("a shell that is refused says why", async ({ app, daemon, expected }) => {
  expected.push(/status of 409/);
  const session = await daemon.session("Refuses", "cat");
  await app.route("**/shell", (route) =>
    route.fulfill({
      status: 409,
      contentType: "application/problem+json",
      body: JSON.stringify({ code: "state_conflict", title: "“Refuses” has no files in place.", hint: "Nothing was made." }),
    }),
  );
  await openTerminal(app, session.id);
  await app.keyboard.press("s");
  await expect(app.locator(".banner")).toContainText("has no files in place");
});

test("a fork has the uncommitted work, on the branch that was named; a taken branch says so at its field", async ({ app, daemon, expected }) => {
  expected.push(/status of 409/);
  const session = await daemon.session("Source", "cat");
  daemon.sh("echo u > u.txt; echo more >> src/a.txt", session.worktree);
  await openTerminal(app, session.id);
  await app.keyboard.press("Shift+F");
  const dialog = app.getByRole("dialog", { name: "Fork" });
  await expect(dialog.locator("#fork-title")).toBeFocused();
  await app.keyboard.type("Second try");
  await dialog.locator("#fork-branch").fill(session.branch);
  await expect(dialog.locator("pre")).toContainText(`qd fork ${session.id} --title 'Second try' --branch ${session.branch}`);
  await app.keyboard.press("Control+Enter");
  await expect(dialog.getByRole("alert")).toContainText(session.branch);
  await dialog.locator("#fork-branch").fill("try-two");
  await app.keyboard.press("Control+Enter");
  await expect(app.locator("#session-title")).toHaveText("Second try");
  await live(app);
  const id = /\/s\/([^/]+)/.exec(app.url())?.[1] ?? "";
  const fork = await daemon.show(id);
  expect(fork.branch).toBe("try-two");
  expect(daemon.sh("cat u.txt; tail -n 1 src/a.txt", fork.worktree)).toBe("u\nmore\n");
  expect(await state(daemon, session.id)).toBe("running");
});

test("several are selected with the keyboard alone, paused in one go, and undone in one", async ({ app, daemon }) => {
  const all: Session[] = [];
  for (const title of ["One", "Two", "Three", "Four"]) all.push(await daemon.session(title, "cat"));
  for (const { worktree } of all) daemon.sh("echo u > u.txt", worktree);
  await app.goto(daemon.url);
  await expect(app.locator(".row")).toHaveCount(4);
  await app.keyboard.press("j");
  await app.keyboard.press("x");
  await expect(bar(app)).toContainText("1 selected");
  await app.keyboard.press("Shift+J");
  await app.keyboard.press("Shift+J");
  await expect(bar(app)).toContainText("3 selected");
  await app.keyboard.press("Escape");
  await expect(bar(app)).toHaveCount(0);
  await app.keyboard.press("x");
  await app.keyboard.press("k");
  await app.keyboard.press("k");
  await app.keyboard.press("Shift+X");
  await expect(bar(app)).toContainText("3 selected");
  await expect(app.locator(".row.picked")).toHaveCount(3);
  for (const name of ["Pause", "Hibernate", "Restart", "Delete"])
    await expect(bar(app).getByRole("button", { name })).toBeEnabled();
  await app.keyboard.press("p");
  await expect(bar(app)).toHaveCount(0);
  await expect(strip(app)).toContainText("3 sessions are paused");
  const states = async () => (await Promise.all(all.map(({ id }) => state(daemon, id)))).sort();
  expect(await states()).toEqual(["paused", "paused", "paused", "running"]);
  await app.keyboard.press("u");
  await expect.poll(states).toEqual(["running", "running", "running", "running"]);
  await expect(strip(app)).toHaveCount(0);
  for (const { worktree } of all) expect(daemon.sh("cat u.txt", worktree)).toBe("u\n");
});

test("of several each is tried, and those refused are told by name with why", async ({ app, daemon }) => {
  const one = await daemon.session("Goes away", "cat");
  const locked = await daemon.session("Locked one", "cat");
  const ended = await daemon.session("Has ended", ["sh", "-c", "exit 3"]);
  await daemon.qd("wait", ended.id, "--for", "exited", "--timeout", "60");
  daemon.sh(`git worktree lock --reason 'on a stick' "${locked.worktree}"`, daemon.repo());
  await app.getByRole("button", { name: "Select", exact: true }).click();
  await expect(bar(app)).toContainText("None selected");
  await bar(app).getByRole("button", { name: "All 3" }).click();
  await expect(bar(app)).toContainText("3 selected");
  // Only what all of them can take.
  await expect(bar(app).getByRole("button", { name: "Hibernate" })).toHaveCount(0);
  await app.getByRole("checkbox", { name: "Select Has ended" }).click();
  await expect(bar(app)).toContainText("2 selected");
  await expect(bar(app).getByRole("button", { name: "Hibernate" })).toBeVisible();
  await bar(app).getByRole("button", { name: "Pause" }).click();
  const refused = app.locator(".strip.refused");
  await expect(refused).toContainText("Pause: 1 of 2 refused");
  await expect(refused).toContainText("Locked one");
  await expect(refused).toContainText("locked: on a stick");
  expect(await state(daemon, one.id)).toBe("paused");
  await expect(strip(app)).toContainText("“Goes away” is paused");
  await refused.getByRole("button", { name: "Close" }).click();
  await expect(refused).toHaveCount(0);
});

test("a session and its shell are deleted in one go, and come back in one", async ({ app, daemon }) => {
  const session = await daemon.session("Parent", "cat");
  const other = await daemon.session("Stays", "cat");
  daemon.sh("echo u > u.txt", session.worktree);
  const shell = await daemon.qd<{ id: string }>("shell", session.id, "--title", "Child");
  await openTerminal(app, session.id);
  await expect(app.locator(".row.below")).toHaveCount(1);
  await row(app, "Parent").locator(".title a").first().click({ modifiers: ["Shift"] });
  await row(app, "Child").locator(".title a").click({ modifiers: ["Shift"] });
  await expect(bar(app)).toContainText("2 selected");
  await app.keyboard.press("#");
  await expect(strip(app)).toContainText("2 sessions are in the trash");
  await expect(strip(app)).toContainText(/2 programs ended\..*1 untracked file/);
  await expect(app).toHaveURL(new RegExp(other.id));
  expect([await state(daemon, session.id), await state(daemon, shell.id)]).toEqual(["trashed", "trashed"]);
  await expect(app.locator(".strip.refused")).toHaveCount(0);
  await app.keyboard.press("u");
  await expect(app.locator(".row")).toHaveCount(3);
  await expect.poll(() => state(daemon, shell.id)).not.toMatch(/trash|restore/);
  await expect(app.locator(".strip.refused")).toHaveCount(0);
  expect(daemon.sh("cat u.txt", session.worktree)).toBe("u\n");
});

test("a phone selects by a touch that stays, and by its button", async ({ device, daemon }) => {
  const one = await daemon.session("First", "cat");
  const two = await daemon.session("Second", "cat");
  const phone = await device({ width: 390, height: 844, phone: true });
  await expect(phone.locator(".row")).toHaveCount(2);
  const hold = async (title: string) => {
    const at = await row(phone, title).boundingBox();
    if (!at) throw new Error("not seen");
    const touch = await phone.context().newCDPSession(phone);
    await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x: at.x + 100, y: at.y + at.height / 2 }] });
    await expect(row(phone, title)).toHaveClass(/picked/);
    await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  };
  await hold("First");
  await expect(bar(phone)).toContainText("1 selected");
  await expect(phone).not.toHaveURL(/\/s\//);
  await row(phone, "Second").tap();
  await expect(bar(phone)).toContainText("2 selected");
  for (const button of await bar(phone).getByRole("button").all()) {
    const box = await button.boundingBox();
    expect(box?.height).toBeGreaterThanOrEqual(44);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
  }
  await bar(phone).getByRole("button", { name: "Hibernate" }).tap();
  await expect(strip(phone)).toContainText("2 sessions are hibernated");
  await strip(phone).getByRole("button", { name: "Undo" }).tap();
  await expect.poll(async () => [await state(daemon, one.id), await state(daemon, two.id)]).toEqual(["running", "running"]);
  await phone.getByRole("button", { name: "Select", exact: true }).tap();
  await row(phone, "First").tap();
  await expect(bar(phone)).toContainText("1 selected");
  await bar(phone).getByRole("button", { name: "End the selection" }).tap();
  await expect(bar(phone)).toHaveCount(0);
  await row(phone, "First").tap();
  await expect(phone).toHaveURL(new RegExp(one.id));
});

for (const theme of ["dark", "light"] as const)
  for (const [width, height] of [[1440, 900], [390, 844]] as const)
    test(`no part of acting on sessions breaks a rule of accessibility, ${theme} at ${width}`, async ({ device, daemon }, info) => {
      const phone = width < 768;
      const main = await daemon.session("Retry the upload with a backoff", program("print", JSON.stringify("$ make test\r\nok\r\n")));
      daemon.sh(DIRTY, main.worktree);
      await daemon.qd("shell", main.id);
      const locked = await daemon.session("Locked one", "cat");
      daemon.sh(`git worktree lock --reason 'on a stick' "${locked.worktree}"`, daemon.repo());
      const gone = await daemon.session("Doomed", "cat");
      daemon.sh(`${DIRTY}; git checkout -q --detach; git commit -qm 'Try a queue' --allow-empty`, gone.worktree);
      await daemon.qd("rm", gone.id);
      const page = await device({ width, height, phone, theme });
      const see = async (what: string) => {
        await check(page, what);
        expect.soft(await page.evaluate(() => document.documentElement.scrollWidth), what).toBeLessThanOrEqual(width);
        await page.screenshot({ path: info.outputPath(`${what}.png`) });
      };
      await page.goto(`${daemon.url}/s/${main.id}/terminal`);
      await live(page);
      await more(page).click();
      await expect(page.getByRole("menuitem", { name: "Delete" })).toContainText("Kept until");
      await page.getByRole("menuitem", { name: "Delete" }).scrollIntoViewIfNeeded();
      await see("menu");
      await page.getByRole("menuitem", { name: "Fork" }).click();
      await expect(page.getByRole("dialog", { name: "Fork" })).toBeVisible();
      await see("fork");
      await page.keyboard.press("Escape");
      await page.goto(daemon.url);
      await page.getByRole("button", { name: "Select", exact: true }).click();
      await bar(page).getByRole("button", { name: /^All/ }).click();
      await expect(bar(page)).toContainText("3 selected");
      await see("selected");
      await bar(page).getByRole("button", { name: "End the selection" }).click();
      await page.getByRole("button", { name: "Select", exact: true }).click();
      for (const title of ["Retry the upload", "Locked one"])
        if (phone) await row(page, title).first().tap();
        else await page.getByRole("checkbox", { name: `Select ${title === "Locked one" ? title : main.title}`, exact: true }).click();
      await bar(page).getByRole("button", { name: "Delete" }).click();
      await expect(page.locator(".strip.refused")).toContainText("Locked one");
      await expect(strip(page)).toContainText("Kept until");
      // The shell that goes along was not gone to.
      if (!phone) await expect(page.locator("#session-title")).not.toContainText("(shell)");
      await see("refused");
      await page.goto(`${daemon.url}/trash`);
      await page.locator(".trash-row", { hasText: "Doomed" }).getByRole("button", { name: "Purge" }).click();
      await expect(page.getByRole("region", { name: "What is lost" })).toContainText("Try a queue");
      await see("purge");
    });
