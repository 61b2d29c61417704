// How long an answer of the API takes, asked with fetch by a page.
import { Daemon } from "./daemon.mjs";
import { login, withBrowser } from "./page.mjs";
import { percentile } from "./sheet.mjs";

export async function latency(programs, quick, sheet) {
  const times = quick ? 50 : 200;
  for (const count of [0, 50, 500]) {
    const daemon = new Daemon(programs);
    try {
      daemon.fixture(count);
      await daemon.start();
      await withBrowser(async (context) => {
        const page = await login(context, daemon);
        const taken = await page.evaluate(ask, { token: daemon.token, times });
        if (taken.sessions !== count) throw new Error(`${taken.sessions} of ${count} sessions listed`);
        for (const [request, values] of Object.entries(taken.values)) {
          const how = `from a page; median and p95 of ${times}`;
          const name = `API from a browser: ${request}, ${count} sessions`;
          sheet.lower("latency", name, percentile(values, 50), "ms", { note: how });
          sheet.lower("latency", `${name}, p95`, percentile(values, 95), "ms");
        }
      });
    } finally {
      await daemon.end();
    }
  }
}

/** Runs in the page. */
async function ask({ token, times }) {
  const headers = { authorization: `Bearer ${token}` };
  const get = async (path) => (await fetch(`/api/v1${path}`, { headers, cache: "no-store" })).json();
  const list = await get("/sessions");
  const requests = { "list sessions": "/sessions" };
  if (list.length > 0) requests["one session"] = `/sessions/${list[0].id}`;
  const values = {};
  for (const [name, path] of Object.entries(requests)) {
    for (let warm = 0; warm < 5; warm += 1) await get(path);
    values[name] = [];
    for (let round = 0; round < times; round += 1) {
      const start = performance.now();
      await get(path);
      values[name].push(performance.now() - start);
    }
  }
  return { sessions: list.length, values };
}
