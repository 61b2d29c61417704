// From a key to its painted echo, and from a flood's first byte to its last painted line.
import { writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { Daemon } from "./daemon.mjs";
import { login, openTerminal, withBrowser } from "./page.mjs";
import { median, percentile } from "./sheet.mjs";

export async function echo(programs, quick, sheet) {
  const keys = quick ? 60 : 500;
  await inTerminal(programs, ["echo"], async (page) => {
    const taken = [];
    await page.evaluate(watchEcho);
    for (let number = 0; number < keys + 10; number += 1) {
      await page.keyboard.press("abcdefghijklmnopqrstuvwxyz"[number % 26]);
      const took = await page.evaluate(() => window.benchEcho());
      // The first few are to warm up.
      if (number >= 10) taken.push(took);
    }
    const how = `from the key event to the frame with its echo; ${keys} keys`;
    sheet.lower("browser-echo", "browser: key to painted echo", percentile(taken, 50), "ms", { note: how });
    sheet.lower("browser-echo", "browser: key to painted echo, p95", percentile(taken, 95), "ms");
  });
}

export async function throughput(programs, quick, sheet, rawRate) {
  const megabytes = quick ? 4 : 20;
  const rounds = quick ? 2 : 5;
  const rates = [];
  const flood = (home) => {
    const [source, times] = [join(home, "source"), join(home, "times")];
    const print = { maxBuffer: 1 << 28 };
    writeFileSync(source, execFileSync(programs.bench, ["program", "text", String(megabytes * 1e6)], print));
    return ["flood", source, times];
  };
  await inTerminal(programs, flood, async (page) => {
    for (let round = 0; round <= rounds; round += 1) {
      // What the last round left on the screen goes, so that its end is not taken for this one's.
      await page.evaluate(watchFlood);
      await page.keyboard.press("g");
      const took = await page.evaluate(() => window.benchFlood);
      if (round > 0) rates.push((megabytes * 1e3) / took);
    }
  });
  const rate = median(rates);
  const how = `${megabytes} MB from the key that starts it to the frame with its last line; median of ${rounds}`;
  sheet.higher("browser-throughput", "browser: program to painted terminal", rate, "MB/s", { note: how });
  if (rawRate) {
    const note = "against the plain WebSocket client of the same run";
    sheet.higher("browser-throughput", "browser: painted, to a plain client", rate / rawRate, "x", { note });
  }
}

async function inTerminal(programs, words, work) {
  const daemon = new Daemon(programs);
  try {
    await daemon.start();
    const id = await daemon.session(typeof words === "function" ? words(daemon.home) : words);
    await withBrowser(async (context) => {
      const page = await login(context, daemon);
      await openTerminal(page, daemon, id);
      await work(page);
    });
  } finally {
    await daemon.end();
  }
}

/** Runs in the page: from the next key down until there is one more character, and painted. */
function watchEcho() {
  const rows = document.querySelector(".term .xterm-rows");
  const count = () => rows.textContent.replace(/\s/g, "").length;
  const painted = () =>
    new Promise((done) => {
      requestAnimationFrame(() => {
        const channel = new MessageChannel();
        channel.port1.onmessage = () => done(performance.now());
        channel.port2.postMessage(null);
      });
    });
  let wait = null;
  let before = count();
  addEventListener(
    "keydown",
    () => {
      const start = performance.now();
      wait = new Promise((done, refuse) => {
        const late = setTimeout(() => refuse(new Error("no echo within 10 s")), 10_000);
        const look = () => {
          const now = count();
          if (now === before) return;
          before = now;
          observer.disconnect();
          clearTimeout(late);
          void painted().then((at) => done(at - start));
        };
        const observer = new MutationObserver(look);
        observer.observe(rows, { childList: true, subtree: true, characterData: true });
        look();
      });
    },
    true,
  );
  window.benchEcho = () => wait;
}

/** Runs in the page: from the next key down until the last line is painted. */
function watchFlood() {
  const rows = document.querySelector(".term .xterm-rows");
  const MARKER = "=-=-end-=-=";
  window.benchFlood = new Promise((done, refuse) => {
    addEventListener(
      "keydown",
      () => {
        const start = performance.now();
        let moved = !rows.textContent.includes(MARKER);
        const late = setTimeout(() => refuse(new Error("no end within 120 s")), 120_000);
        const look = () => {
          const shown = rows.textContent.includes(MARKER);
          moved ||= !shown;
          if (!moved || !shown) return;
          observer.disconnect();
          clearTimeout(late);
          requestAnimationFrame(() => {
            const channel = new MessageChannel();
            channel.port1.onmessage = () => done(performance.now() - start);
            channel.port2.postMessage(null);
          });
        };
        const observer = new MutationObserver(look);
        observer.observe(rows, { childList: true, subtree: true, characterData: true });
      },
      { capture: true, once: true },
    );
  });
}
