import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Browser, type BrowserContext, type Page, expect, test as base } from "@playwright/test";
import { root } from "./daemon.ts";
import { type Gallery, gallery } from "./gallery.ts";
import { type Complaints, type DeviceOptions, prepare } from "./test.ts";

export { expect };

/** The stand-in for the daemon: its invented sessions have every state that agents can be in, and there are many. */
export class Mock {
  private child: ChildProcess | null = null;
  private login = "";

  async start(scene: string) {
    const server = join(root, "web/mock/server.mjs");
    const child = spawn(process.execPath, [server, "--port", "0", "--scene", scene], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.child = child;
    this.login = await new Promise<string>((done, fail) => {
      const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
      lines.once("line", done);
      lines.once("close", () => fail(new Error("the mock did not serve")));
    });
  }

  end() {
    this.child?.kill();
  }

  at(path: string): string {
    return new URL(path, this.login).href;
  }

  /** Makes something happen. */
  async make(body: object) {
    await fetch(this.at("/mock"), { method: "POST", body: JSON.stringify(body) });
  }

  async enter(page: Page) {
    await page.goto(this.login);
    await expect(page.locator(".app")).toBeVisible();
  }

  gallery(browser: Browser): Promise<Gallery> {
    return gallery(async ({ width = 0, height = 0, phone = false, theme = "dark", scale = 1 }) => {
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: theme,
        deviceScaleFactor: scale,
        permissions: ["clipboard-read", "clipboard-write"],
        ...(phone ? { hasTouch: true, isMobile: true } : {}),
      });
      const page = await context.newPage();
      await this.enter(page);
      return page;
    });
  }
}

interface Fixtures {
  /** A name of `web/mock/scene.mjs`, or a number of sessions. */
  scene: string;
  mock: Mock;
  /** Logs a device in. What it complains about fails the test. */
  visit: (options?: DeviceOptions) => Promise<Page>;
}

export const test = base.extend<Fixtures>({
  scene: ["many", { option: true }],
  mock: async ({ scene }, use) => {
    const mock = new Mock();
    await mock.start(scene);
    await use(mock);
    mock.end();
  },
  visit: async ({ browser, mock }, use) => {
    const open: BrowserContext[] = [];
    const said: Complaints = [];
    await use(async ({ width = 1440, height = 900, phone = false, theme = "dark" } = {}) => {
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: theme,
        ...(phone ? { hasTouch: true, isMobile: true } : {}),
      });
      open.push(context);
      await prepare(context, said);
      const page = await context.newPage();
      await mock.enter(page);
      return page;
    });
    for (const context of open) await context.close();
    expect(said).toEqual([]);
  },
});
