import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { type BrowserContext, type Page, expect, test as base } from "@playwright/test";
import { Daemon, page as built } from "./daemon.ts";

export { expect };

/** What a page complained about, in words. */
export type Complaints = string[];

interface Fixtures {
  daemon: Daemon;
  /** The complaints of every page of the test. It fails if there are any at its end. */
  complaints: Complaints;
  /** Complaints that a test provokes. */
  expected: RegExp[];
  /** A page that is logged in. */
  app: Page;
  /** Logs a further device in. */
  device: (options?: DeviceOptions) => Promise<Page>;
}

export interface DeviceOptions {
  width?: number;
  height?: number;
  phone?: boolean;
  theme?: "dark" | "light";
  /** Pixels of the device for one of the page. */
  scale?: number;
  /** As a person has it: with the renderer that draws pixels. */
  fast?: boolean;
}

export const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: a fixture names what it needs
  daemon: async ({}, use, info) => {
    const daemon = new Daemon();
    try {
      await daemon.start();
      await use(daemon);
    } finally {
      if (info.status !== info.expectedStatus)
        await info.attach("daemon.log", { body: daemon.log(), contentType: "text/plain" });
      await daemon.end();
    }
  },
  // biome-ignore lint/correctness/noEmptyPattern: a fixture names what it needs
  expected: async ({}, use) => {
    await use([]);
  },
  complaints: async ({ expected }, use) => {
    const said: Complaints = [];
    await use(said);
    expect(said.filter((words) => !expected.some((pattern) => pattern.test(words)))).toEqual([]);
  },
  // The pages end before the daemon does.
  context: async ({ context, complaints, daemon }, use) => {
    expect(daemon.url).not.toBe("");
    await prepare(context, complaints);
    await use(context);
    await context.close();
  },
  app: async ({ page, daemon }, use) => {
    await login(page, daemon);
    await use(page);
  },
  device: async ({ browser, daemon, complaints }, use) => {
    const open: BrowserContext[] = [];
    await use(async (options = {}) => {
      const { width = 1440, height = 900, phone = false, theme = "dark", scale = 1, fast = false } = options;
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: theme,
        deviceScaleFactor: scale,
        permissions: ["clipboard-read", "clipboard-write"],
        serviceWorkers: "block",
        ...(phone ? { hasTouch: true, isMobile: true } : {}),
      });
      open.push(context);
      await prepare(context, complaints, fast);
      const page = await context.newPage();
      await login(page, daemon);
      return page;
    });
    for (const context of open) await context.close();
  },
});

/** The plain renderer, whose text can be read; and every complaint is noted. */
export async function prepare(context: BrowserContext, complaints: Complaints, fast = false) {
  // Requests are looked at from the first page on: what a test answers itself later would otherwise
  // now and then reach the daemon, when it is asked for in the moment in which that begins.
  await context.route("**/nothing-asks-for-this", (route) => route.continue());
  await serveBuilt(context);
  await context.exposeBinding("qdComplain", (_source, words: string) => {
    complaints.push(words);
  });
  await context.addInitScript((renderer) => {
    if (location.protocol !== "http:") return;
    if (localStorage.getItem("qd.prefs") === null)
      localStorage.setItem("qd.prefs", JSON.stringify({ renderer }));
    document.addEventListener("securitypolicyviolation", (event) => {
      const told = window as unknown as { qdComplain(words: string): void };
      told.qdComplain(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile ?? ""}`);
    });
  }, fast ? "auto" : "dom");
  context.on("console", (message) => {
    if (message.type() === "error") complaints.push(`console: ${message.text()} ${message.location().url}`);
  });
  context.on("weberror", (error) => {
    complaints.push(`thrown: ${error.error().stack ?? error.error().message}`);
  });
}

/** With `QD_PAGE` set, the page of a context comes from that folder. */
export async function serveBuilt(context: BrowserContext) {
  if (built) await serve(context, built);
}

/** Serves the page from a folder, under the daemon's own policy, so that a change of the page needs no new program. */
async function serve(context: BrowserContext, folder: string) {
  await context.route(
    (url) => !/^\/(api|healthz)/.test(url.pathname),
    async (route) => {
      const { origin, pathname } = new URL(route.request().url());
      const file = join(folder, pathname);
      const there = existsSync(file) && statSync(file).isFile();
      const daemon = await fetch(origin).catch(() => null);
      if (!daemon) return route.abort("connectionrefused");
      await route.fulfill({
        path: there ? file : join(folder, "index.html"),
        headers: { "content-security-policy": daemon.headers.get("content-security-policy") ?? "" },
      });
    },
  );
}

/** What a browser itself says when the daemon is away. */
export const AWAY = /net::ERR_|WebSocket connection to/;

export async function login(page: Page, daemon: Daemon) {
  await page.goto(await daemon.link());
  await expect(page.locator(".app")).toBeVisible();
  await expect(page).not.toHaveURL(/login/);
}
