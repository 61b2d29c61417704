import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { check } from "../lib/axe.ts";
import { program } from "../lib/daemon.ts";
import { openTerminal } from "../lib/terminal.ts";
import { expect, test } from "../lib/test.ts";

const pane = (page: Page, id: string) => page.locator(`[data-pane="${id}"]`);
const screen = (page: Page, id: string) => page.locator(`[data-terminal="${id}"]`);

test("terminals stand beside each other, and one of them is typed to", async ({ app, daemon }) => {
  const files = ["one", "two"].map((name) => join(daemon.dir, name));
  const one = await daemon.session("First", program("keys", files[0] as string));
  const two = await daemon.session("Second", program("keys", files[1] as string));
  await openTerminal(app, one.id);
  await app.keyboard.press("v");
  await expect(app).toHaveURL(new RegExp(`/s/${two.id}/terminal\\?panes=${one.id},${two.id}$`));
  for (const id of [one.id, two.id]) {
    await expect(screen(app, id)).toHaveAttribute("data-status", "live");
    await expect(screen(app, id).locator(".xterm-rows")).toContainText("ready");
  }
  await expect(pane(app, two.id)).toHaveAttribute("aria-current", "true");
  await expect(pane(app, one.id).getByRole("heading", { name: "First" })).toBeVisible();
  await expect(pane(app, one.id)).toContainText("Nobody types");
  // What is typed goes to one of them, and the keys of the page go on to the other.
  await app.keyboard.press("Enter");
  await expect(screen(app, two.id)).toHaveClass(/keyed/);
  await app.keyboard.type("b");
  await expect.poll(() => readFileSync(files[1] as string, "utf8")).toBe("b");
  await app.keyboard.press("Control+Shift+KeyO");
  await expect(screen(app, one.id)).toHaveClass(/keyed/);
  await expect(pane(app, one.id)).toHaveAttribute("aria-current", "true");
  await app.keyboard.type("a");
  await expect.poll(() => readFileSync(files[0] as string, "utf8")).toBe("a");
  expect(readFileSync(files[1] as string, "utf8")).toBe("b");
  // A press on the other pane chooses it, in the address and in the list.
  await screen(app, two.id).locator(".xterm-screen").click();
  await expect(app).toHaveURL(new RegExp(`/s/${two.id}/`));
  await expect(app.locator(`#row-${two.id}`)).toHaveAttribute("aria-selected", "true");
  await app.keyboard.type("d");
  await expect.poll(() => readFileSync(files[1] as string, "utf8")).toBe("bd");
  await app.keyboard.press("Control+BracketRight");
  await app.keyboard.press("o");
  await expect(pane(app, one.id)).toHaveAttribute("aria-current", "true");
  // The message line speaks to the same one.
  await app.locator("#message").fill("hello");
  await app.keyboard.press("Control+Enter");
  await expect.poll(() => readFileSync(files[0] as string, "utf8")).toBe("ahello\r");
  await check(app, "a split");
  await app.reload();
  await expect(screen(app, one.id)).toHaveAttribute("data-status", "live");
  await expect(screen(app, two.id)).toHaveAttribute("data-status", "live");
  await app.locator("#main").focus();
  await app.keyboard.press("Shift+V");
  await expect(app).toHaveURL(new RegExp(`/s/${two.id}/terminal$`));
  await expect(app.locator(".term")).toHaveCount(1);
});

test("four terminals are the most, and a session of the list takes the place of the one that is typed to", async ({ app, device, daemon }) => {
  const all = [];
  for (const title of ["A", "B", "C", "D", "E"]) all.push(await daemon.session(title, program("print", JSON.stringify(`this is ${title}\r\n`))));
  const ids = all.map(({ id }) => id);
  const [a, b, c, d, e] = ids as [string, string, string, string, string];
  await openTerminal(app, a);
  await app.getByRole("button", { name: "Split", exact: true }).click();
  await app.getByRole("menuitem", { name: /^C/ }).click();
  await expect(app).toHaveURL(new RegExp(`panes=${a},${c}$`));
  for (const id of [b, d]) {
    await app.getByRole("button", { name: "Split", exact: true }).click();
    await app.getByRole("menuitem", { name: id === b ? /^B/ : /^D/ }).click();
    await expect(pane(app, id)).toHaveAttribute("aria-current", "true");
  }
  await expect(app.locator(".term")).toHaveCount(4);
  for (const id of [a, b, c, d]) await expect(screen(app, id).locator(".xterm-rows")).toContainText("this is");
  // They do not cover each other, and none is empty.
  const boxes = await Promise.all([a, b, c, d].map((id) => pane(app, id).boundingBox()));
  for (const box of boxes) expect((box?.width ?? 0) > 200 && (box?.height ?? 0) > 200, JSON.stringify(box)).toBe(true);
  await app.keyboard.press("v");
  await expect(app.locator(".term")).toHaveCount(4);
  await app.locator(`#row-${e} a`).click();
  await expect(app).toHaveURL(new RegExp(`/s/${e}/terminal\\?panes=`));
  await expect(pane(app, d)).toHaveCount(0);
  await expect(app.locator(".term")).toHaveCount(4);
  // One that is there already is only gone to.
  await app.locator(`#row-${a} a`).click();
  await expect(pane(app, a)).toHaveAttribute("aria-current", "true");
  await expect(app.locator(".term")).toHaveCount(4);
  await app.getByRole("button", { name: "Close the pane of C" }).click();
  await expect(app.locator(".term")).toHaveCount(3);
  await expect(pane(app, a)).toHaveAttribute("aria-current", "true");
  await daemon.qd("rm", b, "--yes").catch(() => daemon.qd("rm", b));
  await expect(pane(app, b)).toContainText("In the trash");
  // A phone shows the one that is typed to.
  const phone = await device({ width: 390, height: 844, phone: true });
  await phone.goto(`${daemon.url}/s/${a}/terminal?panes=${a},${e}`);
  await expect(phone.locator(".term")).toHaveCount(1);
  await expect(phone.locator(".term .xterm-rows")).toContainText("this is A");
});

test("a terminal is taken and fitted to this window by one key", async ({ app, device, daemon }) => {
  const session = await daemon.session("Fit", program("print", JSON.stringify("here\r\n")));
  const small = await device({ width: 900, height: 600 });
  await openTerminal(small, session.id);
  await small.locator(".term textarea").focus();
  await small.keyboard.type("x");
  await expect(small.locator(".term")).toHaveClass(/own/);
  await openTerminal(app, session.id);
  await expect(app.locator(".term")).not.toHaveClass(/own/);
  const before = (await daemon.show(session.id)).pane;
  // The rule of the size is told where it is changed.
  await app.getByRole("button", { name: "Terminal", exact: true }).click();
  await expect(app.getByRole("menuitem", { name: /Fit to me/ })).toContainText("The one who types sets the size; looking does not");
  await app.keyboard.press("Escape");
  await app.keyboard.press("z");
  await expect(app.locator(".term")).toHaveClass(/own/);
  await expect.poll(async () => (await daemon.show(session.id)).pane?.cols).toBeGreaterThan(before?.cols ?? 0);
  await expect(small.locator(".term")).not.toHaveClass(/own/);
});
