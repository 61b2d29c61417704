import { live, rows } from "../lib/terminal.ts";
import { expect, serveBuilt, test } from "../lib/test.ts";

// Browsers as they are found: with a wrong clock, without room, and with the page open twice.

const HOUR_MS = 3_600_000;

for (const [words, ms] of [["ahead", HOUR_MS], ["behind", -HOUR_MS]] as const)
  test(`a browser whose clock is an hour ${words} shows ages and times by that of the daemon`, async ({ app, daemon }) => {
    const session = await daemon.session("By the daemon's clock", "cat");
    await daemon.session("Another", "cat");
    const { created_at, attention } = await daemon.qd<{ created_at: string; attention: { since: string } }>("show", session.id);
    const began = Math.max(Date.parse(created_at), Date.parse(attention.since));
    await app.clock.install({ time: Date.now() + ms });
    await app.goto(`${daemon.url}/s/${session.id}/terminal`);
    const since = app.locator(`#row-${session.id} .since`);
    await expect.poll(() => Date.now() - began).toBeGreaterThan(8000);
    // By how many units what is shown is off. An age that stands still falls behind.
    const off = async () => {
      const shown = await since.innerText();
      const unit = shown.endsWith("m") ? 60_000 : 1000;
      return Math.abs(Number.parseInt(shown, 10) - Math.floor((Date.now() - began) / unit));
    };
    await expect.poll(off).toBeLessThan(4);
    await expect(since).toHaveAttribute("title", new Date(began).toTimeString().slice(0, 5));
  });

test("a browser that keeps nothing works as long as its page is open", async ({ browser, daemon }) => {
  const session = await daemon.session("Without room", "cat");
  await daemon.session("Another", "cat");
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const thrown: string[] = [];
  context.on("weberror", (error) => thrown.push(error.error().message));
  await serveBuilt(context);
  await context.addInitScript(() => {
    const full = () => {
      throw new DOMException("The quota has been exceeded.", "QuotaExceededError");
    };
    Storage.prototype.setItem = full;
    Storage.prototype.getItem = full;
    Storage.prototype.removeItem = full;
  });
  try {
    const page = await context.newPage();
    await page.goto(await daemon.link());
    await expect(page.locator(".row")).toHaveCount(2);
    const head = page.locator(".group").first();
    await head.click();
    await expect(page.locator(".row")).toHaveCount(0);
    await head.click();
    await page.locator(`#row-${session.id} a`).click();
    await live(page);
    await page.getByRole("button", { name: /^Arrange/ }).click();
    await page.getByRole("menuitemradio", { name: "Repository" }).click();
    await expect(page.locator(".group")).toHaveText([/sample\s*2/]);
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByText("Light", { exact: true }).click();
    await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
    await page.goBack();
    await live(page);
    await page.locator("#message").fill("typed without room");
    await page.keyboard.press("Control+Enter");
    await expect.poll(() => daemon.text(session.id)).toContain("typed without room");
    // Nothing was kept: the next page of it is a new device, and says so.
    await page.reload();
    await expect(page.getByRole("heading", { name: "No login here yet" })).toBeVisible();
    expect(thrown).toEqual([]);
  } finally {
    await context.close();
  }
});

test("two tabs keep one choice, and each its own place", async ({ app, context, daemon }) => {
  const one = await daemon.session("One", "cat");
  const two = await daemon.session("Two", "cat");
  const other = await context.newPage();
  await app.goto(`${daemon.url}/s/${one.id}/terminal`);
  await other.goto(`${daemon.url}/s/${two.id}/terminal`);
  for (const page of [app, other]) await live(page);
  await app.locator(".group").first().click();
  for (const page of [app, other]) await expect(page.locator(".row")).toHaveCount(0);
  await other.locator(".group").first().click();
  for (const page of [app, other]) await expect(page.locator(".row")).toHaveCount(2);
  await other.locator("#filter").fill("Two");
  await expect(other.locator(".row")).toHaveCount(1);
  await expect(app.locator(".row")).toHaveCount(2);
  await expect(app).toHaveURL(new RegExp(one.id));
  await app.locator("#message").fill("from the first tab");
  await app.keyboard.press("Control+Enter");
  await expect(rows(app)).toContainText("from the first tab");
  await expect(rows(other)).not.toContainText("from the first tab");
  await daemon.qd("rm", two.id);
  await expect(app.locator(".row")).toHaveCount(1);
  await expect(other.getByRole("heading", { name: "In the trash" }).last()).toBeVisible();
});
