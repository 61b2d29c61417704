import { check } from "../lib/axe.ts";
import { scene } from "../lib/scene.ts";
import { live, rows } from "../lib/terminal.ts";
import { expect, test } from "../lib/test.ts";

for (const theme of ["dark", "light"] as const)
  for (const [width, height] of [[1440, 900], [1024, 768], [390, 844]] as const)
    test(`no screen breaks a rule of accessibility or of its policy, ${theme} at ${width}`, async ({ device, daemon }) => {
      const { main, ended } = await scene(daemon);
      const phone = width < 768;
      const page = await device({ width, height, phone, theme });
      await expect(page.locator("html")).toHaveAttribute("data-theme", theme);
      await page.goto(daemon.url);
      await expect(page.locator(".row")).toHaveCount(2);
      await check(page, "the list");
      await page.goto(`${daemon.url}/s/${main.id}/terminal`);
      await live(page);
      await expect(rows(page)).toContainText("12 tests");
      await check(page, "a terminal");
      await page.getByRole("button", { name: "More actions" }).click();
      await expect(page.getByRole("menu")).toBeVisible();
      await check(page, "a menu");
      await page.keyboard.press("Escape");
      await page.goto(`${daemon.url}/s/${ended.id}/terminal`);
      await expect(page.locator(".banner")).toContainText("Ended");
      await check(page, "an ended terminal");
      await page.goto(`${daemon.url}/s/${main.id}/diff?file=src%2Fa.txt`);
      await expect(page.locator(".l.a").first()).toBeVisible();
      await check(page, "a diff");
      await page.goto(`${daemon.url}/trash`);
      await expect(page.locator(".trash-row")).toHaveCount(1);
      await check(page, "the trash");
      await page.getByRole("button", { name: "Purge" }).click();
      await expect(page.getByRole("dialog")).toBeVisible();
      await check(page, "the purge dialog");
      await page.goto(`${daemon.url}/settings`);
      await expect(page.getByRole("heading", { name: "Settings" })).toBeVisible();
      await expect(page.locator(".config li").first()).toBeVisible();
      await check(page, "the settings");
      await page.goto(`${daemon.url}/`);
      await expect(page.locator(".row")).toHaveCount(2);
      await page.getByRole("button", { name: phone ? "New" : "New session" }).first().click();
      await expect(page.locator("#f-repo")).not.toHaveValue("");
      await check(page, "the create dialog");
      await page.goto(`${daemon.url}/s/nosuchsession`);
      await expect(page.getByRole("heading", { name: "No session has this id" })).toBeVisible();
      await check(page, "a session that is not there");
      await page.goto(`${daemon.url}/login`);
      await check(page, "the gate");
    });

test("the keys are listed, and can be turned off", async ({ app, daemon }) => {
  await daemon.session("Any", "cat");
  await expect(app.locator(".row")).toHaveCount(1);
  await app.keyboard.press("?");
  await expect(app.getByRole("dialog", { name: "Keys" })).toContainText("new session");
  await check(app, "the keys");
  await app.keyboard.press("Escape");
  await app.keyboard.press(",");
  await app.getByRole("radiogroup", { name: "Keys of one letter" }).getByText("Off").click();
  await app.getByRole("heading", { name: "Settings" }).click();
  await app.keyboard.press("c");
  await app.keyboard.press("?");
  await expect(app.getByRole("dialog")).toHaveCount(0);
});

test("a choice of theme holds, and changes the terminal too", async ({ app, daemon }) => {
  const session = await daemon.session("Themes", "cat");
  await app.goto(`${daemon.url}/settings`);
  await app.getByText("Light", { exact: true }).click();
  await expect(app.locator("html")).toHaveAttribute("data-theme", "light");
  await app.goto(`${daemon.url}/s/${session.id}/terminal`);
  await live(app);
  await expect(app.locator("html")).toHaveAttribute("data-theme", "light");
  const light = await app.locator(".term").evaluate((el) => getComputedStyle(el).backgroundColor);
  expect(light.match(/\d+/g)?.map(Number)[0]).toBeGreaterThan(200);
});

test("the policy of the page lets no script or picture in, and a breach is heard", async ({ app, complaints, expected }) => {
  expected.push(/policy: (script-src|img-src)/, /Content Security Policy/);
  await app.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.bad = 1";
    document.body.append(script);
    const picture = document.createElement("img");
    picture.src = "https://elsewhere.example/x.png";
    document.body.append(picture);
  });
  await expect.poll(() => complaints.filter((words) => words.startsWith("policy: ")).length).toBe(2);
  expect(await app.evaluate(() => (window as unknown as { bad?: number }).bad)).toBeUndefined();
});
