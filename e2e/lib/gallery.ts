import { type Page, expect } from "@playwright/test";
import type { DeviceOptions } from "./test.ts";

const SIZES = { "1440": [1440, 900], "1024": [1024, 768], "390": [390, 844] } as const;
const THEMES = ["dark", "light"] as const;
/** Pictures are compared with those that are kept, not taken to be looked at. */
const COMPARED = !!process.env.QD_PICTURES;

export interface Gallery {
  /** Takes one picture in each theme and size, or compares it. */
  shoot(what: string, show: (page: Page, phone: boolean) => Promise<void>): Promise<void>;
  pages: Page[];
}

/** A page in each theme and size. */
export async function gallery(device: (options: DeviceOptions) => Promise<Page>): Promise<Gallery> {
  const all: { name: string; page: Page; phone: boolean }[] = [];
  for (const [name, [width, height]] of Object.entries(SIZES))
    for (const theme of THEMES) {
      const phone = width < 768;
      const scale = COMPARED ? (phone ? 0.4 : 0.25) : 1;
      all.push({ name: `${name}-${theme}`, page: await device({ width, height, phone, theme, scale }), phone });
    }
  return {
    pages: all.map(({ page }) => page),
    async shoot(what, show) {
      for (const { name, page, phone } of all) {
        await show(page, phone);
        if (COMPARED) await expect.soft(page).toHaveScreenshot(`${what}-${name}.png`);
        else await page.screenshot({ path: `results/shots/${what}-${name}.png` });
      }
    },
  };
}
