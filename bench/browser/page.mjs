// A browser with a profile of its own, and pages that are logged in.
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
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
  // A page that is served from a folder counts as one from elsewhere, which may not reach this machine.
  ...(process.env.QD_PAGE
    ? ["--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebSockets"]
    : []),
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
    if (process.env.QD_PAGE) await serve(context, process.env.QD_PAGE);
    return await work(context);
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** With `QD_PAGE` set, the page is read from that folder, so that a change of it needs no new program. */
async function serve(context, folder) {
  await context.route(
    (url) => !/^\/(api|healthz)/.test(url.pathname),
    async (route) => {
      const file = join(folder, new URL(route.request().url()).pathname);
      const there = existsSync(file) && statSync(file).isFile();
      await route.fulfill({ path: there ? file : join(folder, "index.html") });
    },
  );
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
