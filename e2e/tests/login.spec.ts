import { expect, test } from "../lib/test.ts";

test("a login link works once, and its code leaves the address", async ({ page, daemon, device, expected }) => {
  expected.push(/status of 40[13].*login/);
  const link = await daemon.link();
  await page.goto(link);
  await expect(page.locator(".app")).toBeVisible();
  expect(page.url()).toBe(`${daemon.url}/`);
  expect(await page.evaluate(() => document.cookie)).toBe("");
  await page.goBack();
  expect(page.url()).not.toContain("#");

  const other = await device();
  await other.evaluate(() => localStorage.clear());
  await other.goto(link);
  await expect(other.getByRole("heading", { name: "The login did not work" })).toBeVisible();
  await expect(other.locator("pre", { hasText: "qd" })).toBeVisible();
  await expect(other.locator(".gate")).toContainText("Run this on the machine of the daemon");
  await expect(other.locator(".app")).toHaveCount(0);
});

test("without a login the page says how to get one", async ({ page, daemon }) => {
  await page.goto(daemon.url);
  await expect(page.getByRole("heading", { name: "No login here yet" })).toBeVisible();
  await expect(page.locator("pre", { hasText: "qd" })).toBeVisible();
});

test("a token that is not known any more leads to the way back", async ({ app, expected }) => {
  expected.push(/status of 401/);
  await app.evaluate(() => localStorage.setItem("qd.token", "0".repeat(64)));
  await app.reload();
  await expect(app.getByRole("heading", { name: "The login is not valid any more" })).toBeVisible();
  expect(await app.evaluate(() => localStorage.getItem("qd.token"))).toBeNull();
});

test("with no session the page says what to do", async ({ app }) => {
  await expect(app.getByRole("heading", { name: "Nothing runs here yet" })).toBeVisible();
  await app.getByRole("region", { name: "Sessions" }).getByRole("button", { name: "New session" }).click();
  await expect(app.getByRole("dialog", { name: "New session" })).toBeVisible();
});
