// How long the palette takes to open over 500 sessions, beside a plain empty dialog of the same run.
import { Daemon } from "./daemon.mjs";
import { login, withBrowser } from "./page.mjs";
import { percentile } from "./sheet.mjs";

const SESSIONS = 500;
const MOST_MS = 50;

export async function palette(programs, quick, sheet) {
  const times = quick ? 20 : 100;
  const daemon = new Daemon(programs);
  try {
    daemon.fixture(SESSIONS);
    await daemon.start();
    await withBrowser(async (context) => {
      const page = await login(context, daemon);
      await page.waitForFunction((count) => document.querySelector('[role="treegrid"]')?.ariaRowCount >= count, SESSIONS);
      const taken = await page.evaluate(openings, times);
      const note = `${SESSIONS} sessions, from the key to the frame; ${times} times in turn`;
      const p95 = percentile(taken.palette, 95);
      sheet.lower("palette", "palette: opens", percentile(taken.palette, 50), "ms", { note });
      sheet.lower("palette", "palette: opens, p95", p95, "ms", { target: MOST_MS });
      sheet.lower("palette", "palette: a plain empty dialog", percentile(taken.dialog, 50), "ms", { note });
      sheet.lower("palette", "palette: a plain empty dialog, p95", percentile(taken.dialog, 95), "ms");
    });
  } finally {
    await daemon.end();
  }
}

/** Runs in the page: from what opens it to the frame in which it stands. */
export async function openings(times) {
  const painted = () =>
    new Promise((done) => {
      requestAnimationFrame(() => {
        const channel = new MessageChannel();
        channel.port1.onmessage = () => done(performance.now());
        channel.port2.postMessage(null);
      });
    });
  const key = (name, more = {}) =>
    document.activeElement.dispatchEvent(
      new KeyboardEvent("keydown", { key: name, code: `Key${name.toUpperCase()}`, bubbles: true, cancelable: true, ...more }),
    );
  const taken = { palette: [], dialog: [] };
  const empty = document.createElement("dialog");
  document.body.append(empty);
  for (let round = -3; round < times; round += 1) {
    await painted();
    let start = performance.now();
    empty.showModal();
    let end = await painted();
    if (round >= 0) taken.dialog.push(end - start);
    empty.close();
    await painted();
    start = performance.now();
    key("k", { ctrlKey: true });
    end = await painted();
    const options = document.querySelectorAll("dialog.palette[open] [role=option]").length;
    if (options === 0) throw new Error("the palette was not there in the first frame");
    if (round >= 0) taken.palette.push(end - start);
    key("k", { ctrlKey: true });
    await painted();
    if (document.querySelector("dialog.palette")) throw new Error("the palette did not close");
  }
  empty.remove();
  return taken;
}
