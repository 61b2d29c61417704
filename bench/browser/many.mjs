// Fifty sessions at once: how long a switch takes, and what those cost that nobody looks at.
import { join } from "node:path";
import { Daemon } from "./daemon.mjs";
import { login, openTerminal, withBrowser } from "./page.mjs";
import { percentile } from "./sheet.mjs";

const SESSIONS = 50;
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** From the key that chooses a session to the frame with its exact screen. */
export async function switching(programs, quick, sheet) {
  const rounds = quick ? 20 : 100;
  await withDaemon(programs, async (daemon) => {
    const two = [];
    for (const lines of ["200", "333"]) {
      const id = await daemon.session(["history", lines], "settled");
      await daemon.call("PATCH", `/sessions/${id}`, { pinned: true });
      two.push(id);
    }
    await print(daemon, SESSIONS - two.length, 1000);
    await withBrowser(async (context) => {
      const page = await login(context, daemon);
      const screens = {};
      for (const id of two) {
        await openTerminal(page, daemon, id);
        await page.keyboard.press("Control+BracketRight");
        const { cols, rows } = await page.evaluate(fit);
        await page.waitForFunction(isSettled, id);
        screens[id] = await page.evaluate(textOf, id);
        if (!(cols > 0 && rows > 0)) throw new Error("the terminal has no size");
      }
      await page.evaluate(watchSwitch, screens);
      const series = async (count, wait) => {
        const taken = [];
        for (let round = 0; round < count + 2; round += 1) {
          await pause(wait);
          // Each is beside the other, before all that are not pinned.
          const [first] = await page.evaluate((ids) => {
            const rows = [...document.querySelectorAll(".sessions [data-id]")].map((row) => row.dataset.id);
            return rows.filter((id) => ids.includes(id));
          }, two);
          const here = page.url().includes(first);
          await page.keyboard.press(here ? "j" : "k");
          const took = await page.evaluate(() => window.benchSwitch());
          // The first two are to warm up.
          if (round >= 2) taken.push(took);
        }
        return taken;
      };
      const name = `browser: switch to another session, ${SESSIONS} running`;
      const warm = await series(rounds, 300);
      const how = `from the key to the frame with its exact screen; ${rounds} times between two`;
      sheet.lower("browser-switching", `${name}, p95`, percentile(warm, 95), "ms", { target: 50, note: how });
      sheet.lower("browser-switching", name, percentile(warm, 50), "ms");
      // After so long its connection was left.
      const cold = await series(quick ? 4 : 15, 3500);
      const late = "the same, when it was left more than 3 s ago";
      sheet.lower("browser-switching", `${name}, left, p95`, percentile(cold, 95), "ms", { note: late });
    });
  });
}

/** What forty-nine sessions that print cost the page that shows a fiftieth. */
export async function busy(programs, quick, sheet) {
  const seconds = quick ? 8 : 20;
  await withDaemon(programs, async (daemon) => {
    const [shown] = await print(daemon, 1, 100);
    await withBrowser(async (context) => {
      const page = await login(context, daemon);
      await openTerminal(page, daemon, shown);
      const cdp = await context.newCDPSession(page);
      await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
      const measure = async () => {
        await pause(2000);
        const before = await busyOf(cdp);
        await pause(seconds * 1000);
        const after = await busyOf(cdp);
        return (100 * (after.task - before.task)) / (after.at - before.at);
      };
      const alone = await measure();
      await print(daemon, SESSIONS - 1, 100);
      const all = await measure();
      const how = `main thread of the page, of one core; ${SESSIONS} print 10 lines a second, one is shown; over ${seconds} s`;
      const name = `browser: busy with ${SESSIONS - 1} sessions that print unseen`;
      sheet.lower("browser-busy", name, Math.max(0, all - alone), "%", { target: 5, note: how });
      sheet.lower("browser-busy", "browser: busy with the one that is shown", alone, "%");
    });
  });
}

async function busyOf(cdp) {
  const { metrics } = await cdp.send("Performance.getMetrics");
  const value = (name) => metrics.find((metric) => metric.name === name)?.value ?? 0;
  return { task: value("TaskDuration"), at: value("Timestamp") };
}

/** So many sessions that print a line each so many milliseconds. */
async function print(daemon, count, everyMs) {
  const ids = [];
  const words = ["steady", join(daemon.home, "stop"), String(everyMs)];
  for (let n = 0; n < count; n += 1) ids.push(await daemon.session(words, "line"));
  return ids;
}

async function withDaemon(programs, work) {
  const daemon = new Daemon(programs);
  try {
    await daemon.start();
    await work(daemon);
  } finally {
    await daemon.end();
  }
}

/** Runs in the page. */
function fit() {
  const box = document.querySelector(".term .xterm-screen");
  return { cols: box?.clientWidth ?? 0, rows: box?.clientHeight ?? 0 };
}

/** Runs in the page. */
function isSettled(id) {
  const rows = document.querySelector(`[data-terminal="${id}"] .xterm-rows`);
  return rows?.textContent.includes("settled");
}

/** Runs in the page. */
function textOf(id) {
  return document.querySelector(`[data-terminal="${id}"] .xterm-rows`).textContent;
}

/** Runs in the page: from the next `j` or `k` until another screen is there whole, and painted. */
function watchSwitch(screens) {
  let wait = null;
  const shown = () => {
    const box = document.querySelector(".term[data-terminal]");
    const rows = box?.querySelector(".xterm-rows");
    return rows && rows.textContent === screens[box.dataset.terminal] ? box.dataset.terminal : null;
  };
  addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "j" && event.key !== "k") return;
      const from = location.pathname.split("/")[2];
      const start = event.timeStamp;
      wait = new Promise((done, refuse) => {
        const look = () => {
          const at = performance.now();
          if (at - start > 10_000) return refuse(new Error("no other screen within 10 s"));
          const id = shown();
          if (id === null || id === from) return requestAnimationFrame(look);
          const channel = new MessageChannel();
          channel.port1.onmessage = () => done(performance.now() - start);
          channel.port2.postMessage(null);
        };
        requestAnimationFrame(look);
      });
    },
    true,
  );
  window.benchSwitch = () => wait;
}
