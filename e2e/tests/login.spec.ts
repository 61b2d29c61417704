import type { Page } from "@playwright/test";
import { AWAY, expect, test } from "../lib/test.ts";

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

const token = (page: Page) => page.evaluate(() => localStorage.getItem("qd.token"));

test("a login link is not spent where there is a login", async ({ app, daemon, device }) => {
  const before = await token(app);
  const link = await daemon.link();
  await app.goto(link);
  await expect(app.locator(".app")).toBeVisible();
  expect(app.url()).toBe(`${daemon.url}/`);
  expect(await token(app)).toBe(before);
  const other = await device();
  await other.evaluate(() => localStorage.clear());
  await other.goto(link);
  await expect(other.locator(".app")).toBeVisible();
});

test("devices are listed and revoked, and a logout gives the token back", async ({ app, daemon, device, expected }) => {
  expected.push(/status of 401|WebSocket connection to/);
  const other = await device({ width: 1000 });
  await app.goto(`${daemon.url}/settings`);
  const devices = app.locator(".devices li");
  await expect(devices).toHaveCount(2);
  await expect(devices.filter({ hasText: "This browser" })).toHaveCount(1);
  await app.getByRole("button", { name: /^Revoke / }).click();
  await expect(devices).toHaveCount(1);
  await other.reload();
  await expect(other.getByRole("heading", { name: "The login is not valid any more" })).toBeVisible();
  const mine = await token(app);
  await app.getByRole("button", { name: "Log out here" }).click();
  await expect(app.getByRole("heading", { name: "No login here yet" })).toBeVisible();
  expect(await token(app)).toBeNull();
  const status = await app.evaluate(
    async (bearer) => (await fetch("/api/v1/sessions", { headers: { Authorization: `Bearer ${bearer}` } })).status,
    mine,
  );
  expect(status).toBe(401);
});

test("another code in the same tab is another login, and an unanswered one can be tried again", async ({
  page,
  daemon,
  expected,
}) => {
  expected.push(/status of 40[13].*login/, AWAY);
  await page.goto(`${daemon.url}/login#nosuchcode`);
  await expect(page.getByRole("heading", { name: "The login did not work" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Try again" })).toHaveCount(0);
  await page.route("**/api/v1/login", (route) => route.abort());
  await page.goto(await daemon.link());
  await page.getByRole("button", { name: "Try again" }).click();
  await page.unroute("**/api/v1/login");
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page.locator(".app")).toBeVisible();
});
