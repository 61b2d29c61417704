import type { Locator, Page } from "@playwright/test";
import { check } from "../lib/axe.ts";
import { live, openTerminal } from "../lib/terminal.ts";
import { expect, test } from "../lib/test.ts";

const palette = (page: Page) => page.getByRole("dialog", { name: "Find" });
const options = (page: Page) => palette(page).getByRole("option");
const chosen = (page: Page) => palette(page).locator('[role="option"][aria-selected="true"]');
const title = (page: Page) => page.locator("#session-title");

async function open(page: Page) {
  await page.keyboard.press("Control+k");
  await expect(palette(page).getByRole("combobox")).toBeFocused();
}

/** Goes down to a row. */
async function goTo(page: Page, row: Locator) {
  for (let i = 0; i < 50 && (await row.getAttribute("aria-selected")) !== "true"; i += 1)
    await page.keyboard.press("ArrowDown");
  await expect(row).toHaveAttribute("aria-selected", "true");
}

test("the palette finds sessions, actions, places and branches, with keys alone", async ({ app, daemon }) => {
  const first = await daemon.session("Retry the upload", "cat", ["--tag", "later"]);
  const second = await daemon.session("Count the rows", "cat");
  await expect(app.locator(".row")).toHaveCount(2);
  await open(app);
  await expect(options(app).first()).toBeVisible();
  await check(app, "the palette");
  await app.keyboard.type("retry");
  await expect(chosen(app)).toContainText("Retry the upload");
  await expect(chosen(app)).toContainText(`qd attach ${first.id}`);
  await app.keyboard.press("Enter");
  await expect(palette(app)).toHaveCount(0);
  await expect(title(app)).toHaveText("Retry the upload");
  // An action on the session that is open.
  await open(app);
  await app.keyboard.type("> renam");
  await expect(chosen(app)).toContainText(`qd rename ${first.id}`);
  await expect(chosen(app)).toContainText("R");
  await app.keyboard.press("Enter");
  await expect(app.getByRole("textbox", { name: "Title" })).toBeFocused();
  await app.keyboard.press("Escape");
  // A place.
  await open(app);
  await app.keyboard.type("trash");
  const place = palette(app).getByRole("group", { name: "Places" }).getByRole("option");
  await expect(place).toContainText("Go to the trash");
  await expect(place).toContainText("qd trash");
  await goTo(app, place);
  await app.keyboard.press("Enter");
  await expect(app).toHaveURL(/\/trash/);
  // A branch leads to the sessions on it.
  await open(app);
  await app.keyboard.type(second.branch);
  const branch = palette(app).getByRole("group", { name: "Branches" }).getByRole("option");
  await expect(branch).toContainText(`qd ls --filter branch:${second.branch}`);
  await goTo(app, branch);
  await app.keyboard.press("Enter");
  await expect(app.locator(".row")).toHaveText(/Count the rows/);
});

test("the palette has tags and agents by a sign, and says when nothing is found", async ({ app, daemon }) => {
  await daemon.session("Tagged", "cat", ["--tag", "later"]);
  await daemon.session("Plain", "cat");
  await expect(app.locator(".row")).toHaveCount(2);
  await open(app);
  await app.keyboard.type("#la");
  await expect(options(app)).toHaveText([/later.*1 session.*qd ls --filter tag:later/, /Tagged/]);
  await app.keyboard.press("Enter");
  await expect(app.locator("#filter")).toHaveValue("tag:later");
  await open(app);
  await app.keyboard.type("@");
  await expect(palette(app).getByRole("group", { name: "Agents" }).getByRole("option").first()).toContainText("2 sessions");
  await app.keyboard.press("Control+a");
  await app.keyboard.type("zzzz");
  await expect(palette(app).getByRole("status")).toHaveText("Nothing here is called that.");
  await check(app, "the palette without an answer");
  await app.keyboard.press("Escape");
  await expect(palette(app)).toHaveCount(0);
});

test("Ctrl C in the palette copies the command, and text that is selected as it is", async ({ app, daemon, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const session = await daemon.session("Copied from", "cat");
  await openTerminal(app, session.id);
  const clipboard = () => app.evaluate(() => navigator.clipboard.readText());
  await open(app);
  await app.keyboard.type("> pause");
  await expect(chosen(app)).toContainText(`qd pause ${session.id}`);
  await app.keyboard.press("Control+c");
  await expect(chosen(app)).toContainText("Copied");
  expect(await clipboard()).toBe(`qd pause ${session.id}`);
  await app.keyboard.press("Control+a");
  await app.keyboard.press("Control+c");
  await expect.poll(clipboard).toBe("> pause");
  expect((await daemon.show(session.id)).state).toBe("running");
});

test("the palette does what a key does, and says why where it cannot", async ({ app, daemon }) => {
  const session = await daemon.session("Sleeps soon", "cat");
  await openTerminal(app, session.id);
  await open(app);
  await app.keyboard.type(">resume");
  const off = options(app).filter({ hasText: "Its program runs" });
  await expect(off.first()).toHaveAttribute("aria-disabled", "true");
  await app.keyboard.press("Control+a");
  await app.keyboard.type(">hibern");
  await app.keyboard.press("Enter");
  await expect.poll(async () => (await daemon.show(session.id)).state).toBe("hibernated");
  // Used before: it comes first.
  await open(app);
  await app.keyboard.type(">");
  await expect(options(app).filter({ hasText: "Undo: Hibernate" })).toContainText(`qd wake ${session.id}`);
  await app.keyboard.type("wake");
  await expect(chosen(app)).toContainText("Wake");
  await app.keyboard.press("Enter");
  await expect.poll(async () => (await daemon.show(session.id)).state).toBe("running");
});

test("with no session the palette begins with what can be done", async ({ app }) => {
  await open(app);
  await expect(chosen(app)).toContainText("New session");
  await app.keyboard.press("Enter");
  await expect(app.getByRole("dialog", { name: "New session" })).toBeVisible();
});

test("a thumb finds and opens a session by the palette", async ({ device, daemon }) => {
  await daemon.session("Far away", "cat");
  const phone = await device({ width: 390, height: 844, phone: true });
  await phone.getByRole("button", { name: "Find" }).tap();
  await expect(palette(phone)).toBeVisible();
  await phone.keyboard.type("far");
  await expect(options(phone).first()).toContainText("Far away");
  await check(phone, "the palette on a phone");
  const wide = await phone.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  expect(wide).toBe(false);
  for (const option of await options(phone).all()) expect((await option.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  await options(phone).first().tap();
  await expect(title(phone)).toHaveText("Far away");
  await live(phone);
});
