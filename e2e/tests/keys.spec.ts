import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { check } from "../lib/axe.ts";
import { program } from "../lib/daemon.ts";
import { live, openTerminal, rows } from "../lib/terminal.ts";
import { expect, test } from "../lib/test.ts";

const dialog = (page: Page, name: string) => page.getByRole("dialog", { name });
const title = (page: Page) => page.locator("#session-title");

/** What has the focus, in words; it is never nothing. */
async function focused(page: Page, after: string) {
  const at = () =>
    page.evaluate(() => {
      const el = document.activeElement;
      return el === null || el === document.body ? "nothing" : el.tagName;
    });
  await expect.poll(at, { message: `the focus after ${after}` }).not.toBe("nothing");
}

test("three sessions are started, typed into, compared, deleted and brought back without a mouse", async ({ app, daemon }) => {
  const repo = daemon.repo();
  await app.evaluate(() => {
    for (const name of ["pointerdown", "mousedown"])
      addEventListener(name, () => Object.assign(window, { mouse: true }), true);
  });
  const press = async (...keys: string[]) => {
    for (const key of keys) {
      await app.keyboard.press(key);
      await focused(app, key);
    }
  };
  const names = ["One", "Two", "Three"];
  for (const name of names) {
    await press("c");
    await expect(dialog(app, "New session")).toBeVisible();
    // By Tab, as the fields stand: to the agents, of which the last is a command.
    const reach = async (id: string) => {
      for (let i = 0; i < 40; i += 1) {
        if (await app.evaluate((want) => document.activeElement?.id === want, id)) return;
        await press("Tab");
      }
      throw new Error(`Tab does not come to ${id}`);
    };
    const agent = () => app.evaluate(() => (document.activeElement as HTMLInputElement).name === "agent");
    for (let i = 0; i < 40 && !(await agent()); i += 1) await press("Tab");
    for (let i = 0; i < 20 && (await app.locator("#f-command").count()) === 0; i += 1) await press("ArrowDown");
    await reach("f-command");
    await press("Control+a");
    await app.keyboard.type("sh");
    await reach("f-repo");
    await press("Control+a");
    await app.keyboard.type(repo);
    await press("Escape");
    await expect(dialog(app, "New session")).toBeVisible();
    await reach("f-title");
    await press("Control+a");
    await app.keyboard.type(name);
    await press("Control+Enter");
    await expect(title(app)).toHaveText(name);
    await live(app);
    await expect(app.locator(".term textarea")).toBeFocused();
    await app.keyboard.type(`echo from ${name} > ${name}.txt; echo wrote\n`);
    await expect(rows(app)).toContainText("wrote");
    await press("Control+]");
  }
  const sessions = await daemon.qd<{ id: string; title: string; worktree: string }[]>("ls");
  expect(sessions.map((session) => session.title).sort()).toEqual([...names].sort());
  for (const { title: name, worktree } of sessions)
    expect(readFileSync(join(worktree, `${name}.txt`), "utf8")).toBe(`from ${name}\n`);
  // What each changed, one after the other.
  for (const name of names) {
    await press("Control+k");
    await app.keyboard.type(name);
    await press("Enter");
    await expect(title(app)).toHaveText(name);
    await press("2");
    await expect(app.locator("main")).toContainText(`from ${name}`);
    await press("n", "1");
  }
  // Delete and undo.
  await press("#");
  await expect(app.locator(".row", { hasText: "Three" })).toHaveCount(0);
  await expect(title(app)).not.toHaveText("Three");
  const three = sessions.find((session) => session.title === "Three")?.id ?? "";
  await expect.poll(async () => (await daemon.show(three)).state).toBe("trashed");
  await press("u");
  await expect(title(app)).toHaveText("Three");
  await expect.poll(async () => (await daemon.show(three)).state).toMatch(/running|exited/);
  await press("j", "k", "g", "t");
  await expect(app).toHaveURL(/trash/);
  await press("g", "s", "?");
  await press("Escape", ",");
  await expect(app).toHaveURL(/settings/);
  await press("g", "s");
  expect(await app.evaluate(() => "mouse" in window)).toBe(false);
});

test("a key is changed by pressing another, in all tabs, and reset", async ({ app, daemon, context }) => {
  await daemon.session("Any", "cat");
  const other = await context.newPage();
  await other.goto(daemon.url);
  await expect(other.locator(".row")).toHaveCount(1);
  await app.keyboard.press("g");
  await app.keyboard.press("k");
  const section = app.getByRole("region", { name: "Keys", exact: true });
  await expect(section).toBeFocused();
  await check(app, "the keys in the settings");
  const key = section.getByRole("button", { name: /^new session: / });
  await expect(key).toHaveAccessibleName("new session: C. Change");
  await key.focus();
  await app.keyboard.press("Enter");
  await app.keyboard.press("q");
  await expect(key).toHaveAccessibleName("new session: Q. Change");
  await expect(key).toBeFocused();
  // In force at once, on the button, in the sheet and the palette, here and in the other tab.
  await expect(other.locator(".bar").getByRole("button", { name: "New session" })).toContainText("Q");
  await other.keyboard.press("c");
  await other.keyboard.press("?");
  await expect(dialog(other, "Keys").locator("div", { hasText: /^new session/ }).first()).toContainText("Q");
  await other.keyboard.press("Escape");
  await other.keyboard.press("Control+k");
  await other.keyboard.type(">new session");
  await expect(dialog(other, "Find").getByRole("option").first()).toContainText("Q");
  await other.keyboard.press("Escape");
  await other.keyboard.press("q");
  await expect(dialog(other, "New session")).toBeVisible();
  // Two presses in turn.
  await app.keyboard.press("Enter");
  await app.keyboard.press("g");
  await app.keyboard.press("n");
  await expect(key).toHaveAccessibleName("new session: G N. Change");
  await app.reload();
  await expect(key).toHaveAccessibleName("new session: G N. Change");
  await section.getByRole("button", { name: "Reset the key of new session" }).focus();
  await app.keyboard.press("Enter");
  await expect(key).toHaveAccessibleName("new session: C. Change");
  await expect(key).toBeFocused();
});

test("a key that is taken is told, and goes where it is wanted", async ({ app }) => {
  await app.goto(`${new URL(app.url()).origin}/settings`);
  const section = app.getByRole("region", { name: "Keys", exact: true });
  const key = (words: string) => section.getByRole("button", { name: new RegExp(`^${words}: `) });
  const record = async (words: string, press: string) => {
    await key(words).focus();
    await app.keyboard.press("Enter");
    await app.keyboard.press(press);
  };
  const asked = section.getByRole("alertdialog");
  await record("pause", "h");
  await expect(asked).toContainText("H is the key of “hibernate”, in Sessions.");
  await check(app, "a key that is taken");
  await app.keyboard.press("Escape");
  await expect(asked).toHaveCount(0);
  await expect(key("pause")).toHaveAccessibleName("pause: P. Change");
  await record("pause", "h");
  await asked.getByRole("button", { name: "Swap" }).press("Enter");
  await expect(key("pause")).toHaveAccessibleName("pause: H. Change");
  await expect(key("hibernate")).toHaveAccessibleName("hibernate: P. Change");
  await record("rename", "h");
  await asked.getByRole("button", { name: "Take it from there" }).press("Enter");
  await expect(key("rename")).toHaveAccessibleName("rename: H. Change");
  await expect(key("pause")).toHaveAccessibleName("pause: no key. Change");
  // Where the places differ both can be kept.
  await record("settings", "h");
  await expect(asked).toContainText("“rename” wins where both hold");
  await asked.getByRole("button", { name: "Keep both" }).press("Enter");
  await expect(key("settings")).toHaveAccessibleName("settings: H. Change");
  await record("settings", "Backspace");
  await expect(key("settings")).toHaveAccessibleName("settings: no key. Change");
  await section.getByRole("button", { name: "Reset all" }).press("Enter");
  await expect(key("pause")).toHaveAccessibleName("pause: P. Change");
  await section.getByRole("button", { name: "Undo the reset" }).press("Enter");
  await expect(key("rename")).toHaveAccessibleName("rename: H. Change");
});

test("another key leaves the terminal, and goes to its program when it is pressed twice", async ({ app, daemon }) => {
  const file = join(daemon.dir, "keys");
  const session = await daemon.session("Leave", program("keys", file));
  await app.goto(`${daemon.url}/settings`);
  const section = app.getByRole("region", { name: "Keys", exact: true });
  const leave = section.getByRole("button", { name: /^leave the terminal/ });
  await leave.focus();
  await app.keyboard.press("Enter");
  await app.keyboard.press("q");
  await expect(section.getByRole("alert")).toContainText("Q is for the program.");
  await expect(leave).toBeFocused();
  await app.keyboard.press("Enter");
  await app.keyboard.press("Control+g");
  await expect(leave).toHaveAccessibleName(/: Ctrl G\. Change/);
  await openTerminal(app, session.id);
  const area = app.locator(".term textarea");
  await area.focus();
  await expect(app.locator(".chip", { hasText: "leaves" })).toContainText("CtrlG");
  // The key of before is the program's now.
  await app.keyboard.press("Control+]");
  await expect(area).toBeFocused();
  await app.keyboard.press("Control+g");
  await expect(area).not.toBeFocused();
  await app.keyboard.press("Control+g");
  await expect(area).toBeFocused();
  const got = () => readFileSync(file, "utf8");
  await expect.poll(got).toBe("\x1d\x07");
  await app.keyboard.press("Control+Shift+L");
  await expect(area).not.toBeFocused();
});

test("with keys of one letter off, those with Ctrl hold", async ({ app, daemon }) => {
  await daemon.session("Any", "cat");
  await app.goto(`${daemon.url}/settings`);
  await app.getByRole("radiogroup", { name: "Keys of one letter" }).getByText("Off").click();
  await expect(app.locator(".bar").getByRole("button", { name: "New session" })).not.toContainText("C");
  await app.locator("#main").focus();
  await app.keyboard.press("c");
  await app.keyboard.press("Control+k");
  await expect(dialog(app, "Find")).toBeVisible();
  await expect(dialog(app, "New session")).toHaveCount(0);
});

test("Tab comes to the ways past the list first, then goes through the page as it is read", async ({ app, daemon }) => {
  const session = await daemon.session("Any", "cat");
  await daemon.session("Other", "cat");
  await app.goto(`${daemon.url}/s/${session.id}/diff`);
  await app.waitForFunction(() => document.hasFocus());
  await app.keyboard.press("Tab");
  await expect(app.locator(".skip").first()).toBeFocused();
  await app.keyboard.press("Tab");
  await expect(app.getByRole("button", { name: "To the session" })).toBeFocused();
  await app.keyboard.press("Enter");
  await expect(app.locator("#main")).toBeFocused();
  await app.keyboard.press("Tab");
  await expect(app.locator("#main :focus")).toHaveCount(1);
  await expect(app.getByRole("banner")).toHaveCount(1);
  await expect(app.getByRole("navigation", { name: "Main" })).toHaveCount(1);
  await expect(app.getByRole("main", { name: "Any" })).toHaveCount(1);
  await app.keyboard.press("1");
  await expect(app.getByRole("region", { name: "Sessions" })).toHaveCount(1);
  await expect(app.getByRole("complementary", { name: "Details" })).toHaveCount(1);
});
