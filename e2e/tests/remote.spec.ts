import { check } from "../lib/axe.ts";
import { binary, page as built } from "../lib/daemon.ts";
import { focus, live, openTerminal } from "../lib/terminal.ts";
import { AWAY, expect, login, test } from "../lib/test.ts";

const PUBLIC = "https://qd.example.com";

test("a phone is paired by a code that the page draws, and its right is taken back there", async ({ app, browser, daemon, expected }) => {
  expected.push(/status of 409/);
  const here = daemon.url;
  await app.goto(`${here}/settings`);
  await app.getByRole("button", { name: "Pair a phone" }).click();
  await expect(app.getByRole("alert")).toContainText("Only this machine reaches the daemon");
  await expect(app.getByRole("alert")).toContainText("--tls");
  await daemon.stop();
  expected.push(AWAY);
  await daemon.start(["--public-url", PUBLIC]);
  await app.reload();
  await app.getByRole("button", { name: "Pair a phone" }).click();
  const dialog = app.getByRole("dialog", { name: "Pair a phone" });
  await expect(dialog.getByRole("img", { name: /QR code/ })).toBeVisible();
  await check(app, "the code of a login link");
  await dialog.getByRole("button", { name: "Copy the link" }).click();
  const link = await app.evaluate(() => navigator.clipboard.readText());
  expect(link).toMatch(new RegExp(`^${PUBLIC}/login#[0-9a-f]+$`));
  await app.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  // Where the proxy of that name would lead.
  const phone = await browser.newContext({ viewport: { width: 390, height: 844 }, serviceWorkers: "block" });
  const page = await phone.newPage();
  await page.goto(`${here}/login${new URL(link).hash}`);
  await expect(page.locator(".app")).toBeVisible();
  await app.reload();
  await app.getByRole("button", { name: /^Revoke / }).click();
  await expect(page.getByText(/not valid|revoked|login link/).first()).toBeVisible();
  await phone.close();
});

test("settings of the daemon tell where each value came from, and what changes it", async ({ app, daemon }) => {
  await app.goto(`${daemon.url}/settings`);
  const value = (name: string) => app.locator(".config li", { has: app.getByText(name, { exact: true }) });
  await expect(value("--listen")).toContainText(`127.0.0.1:0`);
  await expect(value("--listen")).toContainText("from the command line");
  await expect(value("--home")).toContainText("from the environment");
  await expect(value("hibernate.after")).toContainText("default");
  await expect(value("hibernate.after")).toContainText("config.toml");
  await expect(app.locator(".config")).not.toContainText(/token/i);
  expect(await daemon.qd<{ values: { name: string }[] }>("config")).toMatchObject({ values: expect.any(Array) });
});

test("over TLS of the daemon's own the page works, terminals too", async ({ browser, daemon }) => {
  await daemon.stop();
  await daemon.start(["--tls"]);
  expect(daemon.url).toMatch(/^https:/);
  const session = await daemon.session("Secure", "cat");
  // The browser of the test does not trust the authority; that it can be is tested elsewhere.
  const context = await browser.newContext({ ignoreHTTPSErrors: true, serviceWorkers: "block" });
  const page = await context.newPage();
  await login(page, daemon);
  await openTerminal(page, session.id);
  await live(page);
  await focus(page);
  await page.keyboard.type("over TLS\n");
  await expect.poll(() => daemon.text(session.id)).toContain("over TLS");
  await context.close();
});

test("the page opens where the daemon does not answer, and keeps no answer of it", async ({ browser, daemon }) => {
  test.skip(built !== null, `the page of ${binary} itself is looked at`);
  const session = await daemon.session("Kept away", "cat");
  const context = await browser.newContext({ serviceWorkers: "allow" });
  const page = await context.newPage();
  await login(page, daemon);
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  await page.goto(`${daemon.url}/s/${session.id}/terminal`);
  await live(page);
  const kept = () =>
    page.evaluate(async () => {
      const names = await caches.keys();
      const lists = await Promise.all(names.map(async (name) => (await (await caches.open(name)).keys()).map((r) => r.url)));
      return lists.flat().map((url) => new URL(url).pathname);
    });
  await expect.poll(kept).toContain("/");
  for (const path of await kept()) expect(path).not.toMatch(/^\/(api|healthz|login)/);
  await daemon.stop();
  await page.reload();
  await expect(page.locator(".live")).toContainText("Offline");
  await daemon.start();
  await live(page);
  // Without what was kept there are words on what to do.
  await page.evaluate(async () => (await caches.open("shell")).delete("/"));
  await daemon.stop();
  await page.reload();
  await expect(page.getByRole("heading", { name: "The daemon does not answer" })).toBeVisible();
  await expect(page.getByText("run qd")).toBeVisible();
  await daemon.start();
  await page.getByRole("link", { name: "Try again" }).click();
  await expect(page.locator(".app")).toBeVisible();
  await context.close();
});

for (const [theme, colour] of [["dark", "#0f1317"], ["light", "#f5f7f8"]] as const)
  test(`the bar of a browser has the colour of the theme, ${theme}`, async ({ device }) => {
    const page = await device({ theme });
    await expect(page.locator('meta[name="theme-color"]')).toHaveAttribute("content", colour);
    const ground = await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--bg-1").trim());
    expect(ground).toBe(colour);
  });
