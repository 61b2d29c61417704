// The list of sessions: five hundred, all of them in rows, against ten.
import { withMock } from "./mock.mjs";
import { withBrowser } from "./page.mjs";
import { median, percentile } from "./sheet.mjs";

const FEW = 10;
const MANY = 500;

/** What is measured, and how much longer it may take with many. */
const MEASURES = {
  "first paint": { bar: 2, note: "first contentful paint of a load with a warm cache" },
  "list painted": { bar: 2, note: "from the start of a load to the frame with the rows, which are there to be used" },
  "key in the filter to painted list": { bar: 3, note: "from the key event to the frame with the rows that fit" },
  "j to painted next row": { bar: 1.5, note: "from the key event to the frame with the next session" },
};

export async function list(_programs, quick, sheet) {
  const rounds = quick ? 3 : 9;
  const taken = {};
  const shifts = [];
  await withMock(FEW, (few) =>
    withMock(MANY, (many) =>
      withBrowser(async (context) => {
        await context.addInitScript(watch);
        for (const mock of [few, many]) await (await mock.enter(context)).close();
        // In turn, so that what the machine does besides meets both.
        for (let round = 0; round <= rounds; round += 1)
          for (const [count, mock] of [[FEW, few], [MANY, many]]) {
            const values = await measure(await context.newPage(), mock, count);
            // The first round is to warm up.
            if (round === 0) continue;
            shifts.push(values.shift);
            for (const [name, all] of Object.entries(values.times)) (taken[`${count} ${name}`] ??= []).push(...all);
          }
      }),
    ),
  );
  for (const [name, { bar, note }] of Object.entries(MEASURES)) {
    const [few, many] = [FEW, MANY].map((count) => taken[`${count} ${name}`]);
    const ratio = median(many) / median(few);
    const how = `${note}; median of ${many.length} in turn`;
    sheet.lower("browser-list", `list of ${MANY}: ${name}, to ${FEW} sessions`, ratio, "x", { target: bar, note: how });
    sheet.lower("browser-list", `list of ${MANY}: ${name}`, median(many), "ms");
    sheet.lower("browser-list", `list of ${MANY}: ${name}, p95`, percentile(many, 95), "ms");
  }
  const note = `sum of all layout shifts of a load and of its keys; the worst of ${shifts.length}`;
  sheet.lower("browser-list", `list of ${MANY}: layout shift`, Math.max(...shifts), "", { target: 0, note });
}

async function measure(page, mock, count) {
  try {
    await page.goto(mock.at("/?sort=title"));
    await page.waitForFunction(() => window.benchPainted > 0);
    // All rows, none left out and no group closed: the most there can be.
    const rows = await page.getByRole("treegrid").getAttribute("aria-rowcount");
    if (Number(rows) < count) throw new Error(`${rows} rows for ${count} sessions`);
    const times = {
      "first paint": [await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime)],
      "list painted": [await page.evaluate(() => window.benchPainted)],
    };
    const key = async (name) => {
      await page.keyboard.press(name);
      return page.evaluate(() => window.benchKey);
    };
    await page.locator("#filter").focus();
    times["key in the filter to painted list"] = [];
    for (const name of ["t", "i", "Backspace", "Backspace"])
      times["key in the filter to painted list"].push(await key(name));
    await page.locator(".row").nth(2).focus();
    times["j to painted next row"] = [];
    for (let i = 0; i < 6; i += 1) {
      times["j to painted next row"].push(await key("j"));
      await page.waitForSelector('.row[aria-selected="true"]');
    }
    return { times, shift: await page.evaluate(() => window.benchShift) };
  } finally {
    await page.close();
  }
}

/** Runs in the page, before it. */
function watch() {
  if (location.protocol !== "http:") return;
  const prefs = JSON.parse(localStorage.getItem("qd.prefs") ?? "{}");
  localStorage.setItem("qd.prefs", JSON.stringify({ ...prefs, closed: [], full: ["Idle"] }));
  /** Once the frame that is next has been painted. */
  const painted = (then) =>
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => then(performance.now());
      port2.postMessage(null);
    });
  window.benchPainted = 0;
  window.benchShift = 0;
  new MutationObserver((_changes, self) => {
    if (!document.querySelector(".row")) return;
    self.disconnect();
    painted((now) => {
      window.benchPainted = now;
    });
  }).observe(document, { childList: true, subtree: true });
  new PerformanceObserver((entries) => {
    for (const entry of entries.getEntries()) if (!entry.hadRecentInput) window.benchShift += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
  addEventListener(
    "keydown",
    (event) => {
      window.benchKey = new Promise((done) => painted((now) => done(now - event.timeStamp)));
    },
    true,
  );
}
