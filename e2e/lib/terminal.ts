import { type Locator, type Page, expect } from "@playwright/test";

/** The rows of the terminal as they are drawn. */
export function rows(page: Page): Locator {
  return page.locator(".term .xterm-rows");
}

/** Opens a session's terminal and waits until it is connected. */
export async function openTerminal(page: Page, id: string) {
  await page.goto(new URL(`/s/${id}/terminal`, page.url()).href);
  await live(page);
}

export async function live(page: Page) {
  await expect(page.locator(".term")).toHaveAttribute("data-status", "live");
}

export async function focus(page: Page) {
  await page.locator(".term textarea").focus();
  await expect(page.locator(".term")).toHaveClass(/keyed/);
}

/** The text that is drawn, with lines cut at their ends. */
export async function drawn(page: Page): Promise<string> {
  const lines = await page.locator(".term .xterm-rows > div").allInnerTexts();
  return lines
    .map((line) => line.replaceAll("\u00a0", " ").replaceAll("\n", "").trimEnd())
    .join("\n")
    .trimEnd();
}

/** Pastes as a person does: the browser's event with a text in it. */
export async function paste(page: Page, text: string) {
  await page.locator(".term textarea").evaluate((area, value) => {
    const data = new DataTransfer();
    data.setData("text/plain", value);
    area.dispatchEvent(
      new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }),
    );
  }, text);
}

/** The size that the page's terminal has, from its rows and the chip. */
export async function size(page: Page): Promise<{ cols: number; rows: number }> {
  const chip = page.locator("[title*=' columns, ']");
  const words = (await chip.getAttribute("title")) ?? "";
  const found = /(\d+) columns, (\d+) rows/.exec(words);
  return { cols: Number(found?.[1]), rows: Number(found?.[2]) };
}
