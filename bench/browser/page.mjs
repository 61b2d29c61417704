// A browser with a profile of its own, and pages that are logged in.
import { mkdtempSync, rmSync } from "node:fs";
import { chromium } from "playwright-core";

const ARGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Runs something with a browser, and ends the browser. */
export async function withBrowser(work) {
  const profile = mkdtempSync("/tmp/qdb-profile-");
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ARGS,
    headless: true,
    viewport: { width: 1280, height: 800 },
  });
  try {
    // The renderer whose cells are elements: what is painted can be read.
    await context.addInitScript(() => {
      if (location.protocol === "http:" && localStorage.getItem("qd.prefs") === null)
        localStorage.setItem("qd.prefs", JSON.stringify({ renderer: "dom" }));
    });
    return await work(context);
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A page that is logged in with the link that the daemon printed. */
export async function login(context, daemon) {
  const page = await context.newPage();
  await page.goto(daemon.serving.login_url);
  await page.waitForSelector(".app");
  return page;
}

/** Opens the terminal of a session, connected and with the keys. */
export async function openTerminal(page, daemon, id) {
  await page.goto(`${daemon.serving.url}/s/${id}/terminal`);
  await page.waitForSelector('.term[data-status="live"]');
  await page.locator(".term textarea").focus();
}
