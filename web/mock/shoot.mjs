// Takes pictures of the page and looks for faults of accessibility, against the mock server.
//   node mock/shoot.mjs [--out DIR] [--only NAME] [--chromium PATH]
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const args = Object.fromEntries(
  process.argv.slice(2).flatMap((a, i, all) => (a.startsWith("--") ? [[a.slice(2), all[i + 1] ?? ""]] : [])),
);
const out = args.out ?? "shots";
const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
await mkdir(out, { recursive: true });
const profile = await mkdtemp(join(tmpdir(), "qd-shots-"));

function mock(scene) {
  const child = spawn(process.execPath, [
    fileURLToPath(new URL("./server.mjs", import.meta.url)),
    "--port",
    "0",
    "--scene",
    scene,
  ]);
  child.stderr.pipe(process.stderr);
  return new Promise((done) =>
    child.stdout.once("data", (text) => done({ child, url: String(text).trim().replace("/login#demo", "") })),
  );
}

const many = await mock("many");
const one = await mock("one");
const empty = await mock("empty");
const huge = await mock("huge");
const SIZES = { 1440: [1440, 900], 1024: [1024, 768], 390: [390, 844] };

const SCREENS = [
  [
    "sessions",
    many,
    "/s/s001/terminal",
    async (p) => p.waitForSelector(".xterm-screen", { timeout: 8000 }).then(() => p.waitForTimeout(500)),
  ],
  ["list", many, "/", async () => {}],
  [
    "keyed",
    many,
    "/s/s001/terminal",
    async (p) => {
      await p.waitForSelector(".xterm-screen");
      await p.waitForTimeout(300);
      await p.evaluate(() => document.querySelector(".term textarea")?.focus());
      await p.waitForTimeout(400);
    },
  ],
  ["diff", many, "/s/s001/diff?file=src%2Fupload%2Fclient.rs", async (p) => p.waitForSelector(".l.a")],
  ["diff-large", many, "/s/s001/diff?file=Cargo.lock", async (p) => p.waitForSelector("text=Show anyway")],
  ["diff-tree", many, "/s/s006/diff", async (p) => p.waitForSelector(".file")],
  ["diff-none", many, "/s/s002/diff", async (p) => p.waitForSelector("text=No changes against")],
  ["failed", many, "/s/s020/terminal", async (p) => p.waitForSelector(".problem")],
  ["ended", many, "/s/s021/terminal", async (p) => p.waitForSelector(".term.dimmed")],
  [
    "create",
    many,
    "/s/s001/terminal",
    async (p, phone) => {
      if (phone) await p.goto(`${many.url}/`);
      await (phone ? p.click(".pnav button") : p.keyboard.press("c"));
      await p.fill(
        "#f-prompt",
        "Send a digest e-mail each Monday with the open invoices of an account. Use the job queue that we have. Add tests.",
      );
      await p.waitForTimeout(600);
    },
  ],
  [
    "keys",
    many,
    "/s/s001/terminal",
    async (p) => {
      await p.waitForTimeout(300);
      await p.keyboard.press("?");
      await p.waitForSelector(".keysheet");
    },
  ],
  [
    "aside",
    many,
    "/s/s001/terminal",
    async (p, _phone, size) => {
      await p.waitForTimeout(400);
      if (size !== "1440") await p.keyboard.press("]");
      await p.waitForSelector("aside");
    },
  ],
  [
    "undo",
    many,
    "/s/s016/terminal",
    async (p, phone, size) => {
      await p.waitForTimeout(400);
      await p.keyboard.press("#");
      if (!phone) {
        await p.waitForSelector(".strip");
        await p.waitForTimeout(600);
        await p.screenshot({ path: join(out, `strip-${size}.png`) });
      }
      await p.keyboard.press("u");
      await p.waitForTimeout(900);
    },
  ],
  ["trash", many, "/trash", async (p) => p.waitForSelector(".trash-row")],
  [
    "purge",
    many,
    "/trash",
    async (p) => {
      await p.click(".trash-row .btn.danger");
      await p.waitForSelector("#purge-title");
    },
  ],
  ["settings", many, "/settings", async () => {}],
  ["one", one, "/", async (p) => p.waitForTimeout(700)],
  ["empty", empty, "/", async () => {}],
  [
    "huge",
    huge,
    "/",
    async (p) => {
      await p.evaluate(() => document.querySelector(".scroll")?.scrollTo(0, 3000));
      await p.waitForTimeout(200);
    },
  ],
  ["no-match", many, "/?q=agent%3Anobody", async () => {}],
  ["lost", many, "/nowhere", async () => {}],
];

let faults = 0;
const browser = await chromium.launchPersistentContext(profile, {
  executablePath: args.chromium ?? "/usr/bin/chromium",
  headless: true,
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
  bypassCSP: false,
});
try {
  for (const theme of ["dark", "light"]) {
    for (const [size, [width, height]] of Object.entries(SIZES)) {
      for (const [name, server, path, ready] of SCREENS) {
        if (args.only && !args.only.split(",").includes(name)) continue;
        if (args.size && args.size !== size) continue;
        if (args.theme && args.theme !== theme) continue;
        const page = await browser.newPage();
        const said = [];
        page.on("console", (m) => m.type() === "error" && said.push(m.text()));
        page.on("pageerror", (e) => said.push(String(e)));
        await page.setViewportSize({ width, height });
        await page.emulateMedia({ colorScheme: theme });
        await page.goto(`${server.url}/login#demo`);
        await page.waitForSelector(".app");
        await page.goto(server.url + path);
        await page.waitForSelector(".app");
        await page.waitForTimeout(250);
        try {
          await ready(page, size === "390", size);
        } catch (error) {
          said.push(`not ready: ${String(error).split("\n")[0]}`);
        }
        await page.waitForTimeout(150);
        await page.screenshot({ path: join(out, `${name}-${size}-${theme}.png`) });
        // Through the debugger, which the page's policy does not bind.
        await page.evaluate(axe);
        const result = await page.evaluate(() => window.axe.run({ exclude: [".xterm"] }));
        for (const v of result.violations)
          said.push(
            `axe ${v.id}: ${v.help}: ${v.nodes
              .slice(0, 3)
              .map((n) => n.html.slice(0, 140))
              .join(" | ")}`,
          );
        if (said.length > 0) {
          faults += said.length;
          console.log(`${name} ${size} ${theme}`);
          for (const words of new Set(said)) console.log(`   ${words}`);
        }
        await page.close();
      }
    }
  }
} finally {
  await browser.close();
  for (const server of [many, one, empty, huge]) server.child.kill();
  await rm(profile, { recursive: true, force: true });
}
console.log(`${faults} faults`);
process.exitCode = faults > 0 ? 1 : 0;
