import { check } from "../lib/axe.ts";
import { program } from "../lib/daemon.ts";
import { live, openTerminal, rows } from "../lib/terminal.ts";
import { expect, test } from "../lib/test.ts";

/** The contrast of a drawn word against what is behind it (WCAG 2). */
const CONTRAST = (word: string) => {
  const channels = (text: string) => (text.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number);
  const light = (rgb: number[]) =>
    rgb
      .map((c) => c / 255)
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
      .reduce((sum, c, i) => sum + c * ([0.2126, 0.7152, 0.0722][i] ?? 0), 0);
  const span = [...document.querySelectorAll<HTMLElement>(".xterm-rows span")].find((el) => el.textContent?.includes(word));
  const screen = document.querySelector<HTMLElement>(".term .screen");
  if (!span || !screen) return 0;
  const [a, b] = [light(channels(getComputedStyle(span).color)), light(channels(getComputedStyle(screen).backgroundColor))];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
};

test("high contrast is a theme, the terminal has it too, and a program's faint colours are lifted on demand", async ({ app, daemon }) => {
  const session = await daemon.session("Faint", program("print", JSON.stringify("\x1b[38;2;40;40;44mfaint\x1b[0m \x1b[31mred\x1b[0m\r\n")));
  await openTerminal(app, session.id);
  await expect(rows(app)).toContainText("faint");
  const contrast = (word: string) => app.evaluate(CONTRAST, word);
  expect(await contrast("faint")).toBeLessThan(2);
  await app.getByRole("button", { name: "Terminal", exact: true }).click();
  await app.getByRole("menuitemradio", { name: /Contrast of at least 4.5/ }).click();
  await expect.poll(() => contrast("faint")).toBeGreaterThanOrEqual(4.4);
  await app.keyboard.press(",");
  await app.getByRole("radiogroup", { name: "Theme" }).getByText("High contrast").click();
  await expect(app.locator("html")).toHaveAttribute("data-contrast", "more");
  await check(app, "settings of high contrast");
  await app.goBack();
  await live(app);
  await expect.poll(() => contrast("faint")).toBeGreaterThanOrEqual(6.9);
  await expect.poll(() => contrast("red")).toBeGreaterThanOrEqual(7);
  await check(app, "a terminal of high contrast");
  await app.emulateMedia({ colorScheme: "light" });
  await expect(app.locator("html")).toHaveAttribute("data-theme", "light");
  await expect.poll(() => contrast("red")).toBeGreaterThanOrEqual(7);
  await check(app, "a light terminal of high contrast");
});

test("a system that asks for contrast gets it, and one that forces its colours keeps every state told apart", async ({ app, daemon }) => {
  const session = await daemon.session("Asked", program("print", JSON.stringify("plain\r\n")));
  await app.emulateMedia({ contrast: "more" });
  await expect(app.locator("html")).toHaveAttribute("data-contrast", "more");
  await app.emulateMedia({ contrast: "no-preference" });
  await expect(app.locator("html")).not.toHaveAttribute("data-contrast", "more");
  await app.emulateMedia({ forcedColors: "active" });
  await openTerminal(app, session.id);
  await expect(rows(app)).toContainText("plain");
  const row = app.locator(`#row-${session.id}`);
  await expect(row).toHaveCSS("outline-style", "solid");
  await expect(app.locator(".tabs a[aria-current]")).toHaveCSS("outline-style", "solid");
  await check(app, "forced colours");
});
