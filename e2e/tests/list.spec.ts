import type { Page } from "@playwright/test";
import { check } from "../lib/axe.ts";
import { type Mock, expect, test } from "../lib/mock.ts";

// What needs many sessions, or states that only agents bring about.

const focused = (page: Page) => page.evaluate(() => (document.activeElement as HTMLElement).dataset.key ?? "");
const stops = (page: Page) => page.locator('.sessions [data-row][tabindex="0"]').count();

test.describe("of fifty", () => {
  test.use({ scene: "fifty" });

  test("a long group shows its first eight, and the choice to see all is kept", async ({ mock, visit }) => {
    const page = await visit();
    await page.goto(mock.at("/"));
    const idle = page.getByRole("row", { name: /^Idle, \d/ });
    await expect(idle).toHaveCount(8);
    await expect(page.locator(".group", { hasText: "Hibernated" })).toHaveAttribute("aria-expanded", "false");
    const more = page.getByRole("row", { name: "Show 4 more of Idle" });
    // With keys alone: it is one of the rows, and shows what it left out at the place of the focus.
    await idle.last().focus();
    await page.keyboard.press("ArrowDown");
    await expect(more).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(idle).toHaveCount(12);
    await expect(idle.nth(8)).toBeFocused();
    await page.reload();
    await expect(idle).toHaveCount(12);
    await check(page, "a long group that shows all");
    await page.getByRole("row", { name: "Show fewer of Idle" }).click();
    await expect(idle).toHaveCount(8);
    // Who looks for something sees all that fits, and the open session is never left out.
    await page.locator("#filter").fill("state:idle");
    await expect(idle).toHaveCount(12);
    await idle.last().getByRole("link").click();
    await page.locator("#filter").fill("");
    await expect(idle).toHaveCount(9);
    await expect(idle.last()).toHaveAttribute("aria-selected", "true");
    await expect(page.getByRole("row", { name: "Show 3 more of Idle" })).toBeVisible();
  });

  test("why a session is in its state is told beside its row, to a pointer, a key and a finger", async ({ mock, visit }) => {
    const page = await visit();
    await page.goto(mock.at("/"));
    const row = page.getByRole("row", { name: /Paginate the audit log/ });
    const card = page.locator(".why");
    await row.hover();
    await expect(card).toContainText("Cursor or offset pages?");
    await expect(card).toContainText("assistant turn open");
    await expect(card).toContainText("Certain");
    await expect(card).toContainText(/Hook, 0\.97 of 1 sure\. Since \d\d:\d\d/);
    await check(page, "why, by a pointer");
    // The pointer may go into it, and it goes when the pointer does.
    await card.hover();
    await page.waitForTimeout(500);
    await expect(card).toBeVisible();
    await page.mouse.move(1000, 700);
    await expect(card).toHaveCount(0);
    await row.hover();
    await expect(card).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(card).toHaveCount(0);
    await page.mouse.move(1000, 700);
    await row.focus();
    await page.keyboard.press("i");
    await expect(page.getByRole("dialog", { name: "Why: Paginate the audit log" })).toBeFocused();
    await check(page, "why, by its key");
    await page.keyboard.press("Escape");
    await expect(card).toHaveCount(0);
    await expect(row).toBeFocused();
    const phone = await visit({ width: 390, height: 844, phone: true, theme: "light" });
    await phone.goto(mock.at("/"));
    await phone.getByRole("button", { name: "Why: Paginate the audit log" }).tap();
    await expect(phone.locator(".why")).toContainText("assistant turn open");
    const { x, width } = (await phone.locator(".why").boundingBox()) ?? { x: -1, width: 0 };
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x + width).toBeLessThanOrEqual(390);
    await check(phone, "why, by a finger");
    await phone.locator(".why").getByRole("button", { name: "Close" }).tap();
    await expect(phone.locator(".why")).toHaveCount(0);
    await expect(phone).toHaveURL(mock.at("/"));
  });

  test("the open arrange menu, the tags and the selected ones break no rule of accessibility", async ({ mock, visit }) => {
    for (const options of [{}, { width: 390, height: 844, phone: true, theme: "light" as const }]) {
      const page = await visit(options);
      await page.goto(mock.at("/"));
      await page.getByRole("button", { name: /^Arrange/ }).click();
      await expect(page.getByRole("menu")).toBeVisible();
      await check(page, "the arrange menu");
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Select", exact: true }).click();
      await page.locator(".row").first().locator("a").click();
      const bar = page.getByRole("region", { name: "Selected sessions" });
      if (!options.phone) await page.keyboard.press("x");
      await expect(bar.locator(".acts button").last()).toHaveText("Delete");
      await check(page, "several that are selected");
      await bar.getByRole("button", { name: "Add tag" }).click();
      await check(page, "a tag for several");
      await bar.getByRole("button", { name: "End the selection" }).click();
      await page.goto(mock.at("/s/s005/terminal"));
      if (options.phone) {
        await page.getByRole("button", { name: "More actions" }).click();
        await page.getByRole("menuitem", { name: "Details" }).click();
      }
      const aside = page.getByRole("complementary", { name: "Details" });
      await aside.getByRole("textbox", { name: "Add a tag" }).fill("web core");
      await page.keyboard.press("Enter");
      await expect(aside.getByRole("list", { name: "Tags" })).toContainText("core");
      await check(page, "the tags");
    }
  });
});

test.describe("of five hundred", () => {
  test.use({ scene: "500" });

  const all = async (page: Page, mock: Mock) => {
    await page.goto(mock.at("/?by=none&sort=title"));
    await expect(page.locator(".row").first()).toBeVisible();
  };

  test("the focus stays on its row wherever the list is scrolled to, and keys go from end to end", async ({ mock, visit }) => {
    const page = await visit();
    await all(page, mock);
    const drawn = await page.locator(".row").count();
    expect(drawn).toBeLessThan(120);
    const first = page.locator('[aria-rowindex="13"]');
    await first.focus();
    const key = await focused(page);
    await page.locator(".sessions .scroll").evaluate((el) => el.scrollTo(0, el.scrollHeight));
    await expect(page.locator('[aria-rowindex="502"]')).toBeVisible();
    expect(await focused(page)).toBe(key);
    expect(await stops(page)).toBe(1);
    // The next key goes on from there, and brings it into sight.
    await page.keyboard.press("ArrowDown");
    await expect(page.locator('[aria-rowindex="14"]')).toBeFocused();
    await expect(page.locator('[aria-rowindex="14"]')).toBeInViewport({ ratio: 1 });
    await page.keyboard.press("End");
    await expect(page.locator('[aria-rowindex="502"]')).toBeFocused();
    await expect(page.locator('[aria-rowindex="502"]')).toBeInViewport({ ratio: 1 });
    await page.keyboard.press("PageUp");
    const at = Number(await page.locator(":focus").getAttribute("aria-rowindex"));
    expect(at).toBeLessThan(495);
    expect(at).toBeGreaterThan(440);
    await expect(page.locator(":focus")).toBeInViewport({ ratio: 1 });
    await page.keyboard.press("PageDown");
    await expect(page.locator(":focus")).toHaveAttribute("aria-rowindex", /^50[012]$/);
    await page.keyboard.press("Home");
    await expect(page.locator('[aria-rowindex="1"]')).toBeFocused();
    await expect(page.locator('[aria-rowindex="1"]')).toBeInViewport({ ratio: 1 });
    expect(await stops(page)).toBe(1);
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.closest("[role=treegrid]"))).toBeNull();
  });

  test("j and k that are held go through all of them, the row in sight and with the focus", async ({ mock, visit }) => {
    const page = await visit();
    await all(page, mock);
    await page.locator(".row").first().focus();
    for (let i = 0; i < 120; i += 1) await page.keyboard.down("j");
    await page.keyboard.up("j");
    await expect(page.locator(":focus")).toHaveAttribute("aria-rowindex", /^12[12]$/);
    await expect(page.locator(":focus")).toHaveAttribute("aria-selected", "true");
    await expect(page.locator(":focus")).toBeInViewport({ ratio: 1 });
    for (let i = 0; i < 30; i += 1) await page.keyboard.down("k");
    await page.keyboard.up("k");
    await expect(page.locator(":focus")).toHaveAttribute("aria-rowindex", /^9[12]$/);
    await expect(page.locator(":focus")).toBeInViewport({ ratio: 1 });
  });

  test("a row that goes away while it has the focus hands it to the next", async ({ mock, visit }) => {
    const page = await visit();
    await all(page, mock);
    await page.locator('[aria-rowindex="40"]').focus();
    const gone = await focused(page);
    const next = (await page.locator('[aria-rowindex="41"]').getAttribute("data-key")) ?? "";
    await mock.make({ session: gone, change: { state: "trashed" } });
    await expect(page.locator(`[data-key="${gone}"]`)).toHaveCount(0);
    await expect(page.locator(`[data-key="${next}"]`)).toBeFocused();
    // The same by hand: the one that is deleted, and the one that is gone on to.
    await page.keyboard.press("j");
    const at = await focused(page);
    const after = (await page.locator(`[data-key="${at}"] ~ [data-row]`).first().getAttribute("data-key")) ?? "";
    await page.keyboard.press("#");
    await expect(page.locator(`[data-key="${at}"]`)).toHaveCount(0);
    await expect(page.locator(`[data-key="${after}"]`)).toBeFocused();
    // Also when it is far out of sight.
    await page.locator(".sessions .scroll").evaluate((el) => el.scrollTo(0, el.scrollHeight));
    await expect(page.locator('[aria-rowindex="499"]')).toBeVisible();
    await mock.make({ session: after, change: { state: "trashed" } });
    await expect(page.locator(`[data-key="${after}"]`)).toHaveCount(0);
    await expect.poll(() => focused(page)).not.toBe("");
  });
});
