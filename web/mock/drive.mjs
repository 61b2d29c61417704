// Uses the page as a person would, against the mock server, and says what did not go as it should.
//   node mock/drive.mjs [--only WORD] [--chromium PATH]
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const args = Object.fromEntries(
  process.argv.slice(2).flatMap((a, i, all) => (a.startsWith("--") ? [[a.slice(2), all[i + 1] ?? ""]] : [])),
);
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

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

const control = async (server, body) =>
  (await fetch(`${server.url}/mock`, { method: "POST", body: JSON.stringify(body) })).json();

async function until(what, check, ms = 10_000) {
  const end = Date.now() + ms;
  for (;;) {
    const value = await check();
    if (value) return value;
    if (Date.now() > end) throw new Error(`waited for: ${what}`);
    await new Promise((r) => setTimeout(r, 50));
  }
}

const inputs = async (server, session) => (await control(server, { session })).inputs;
const typed = async (server, session) =>
  (await inputs(server, session))
    .filter((i) => i.type === "bytes")
    .map((i) => i.data)
    .join("");
const status = (page) => page.getAttribute(".term", "data-status").catch(() => null);
const live = (page) => until("a live terminal", async () => (await status(page)) === "live");
const focusTerminal = (page) => page.locator(".term textarea").focus();

const TESTS = {
  async "login posts the code once and takes it out of the address"({ page, server }) {
    await page.goto(`${server.url}/login#demo`);
    await page.waitForSelector(".app");
    assert.equal(new URL(page.url()).hash, "");
    assert.equal(await page.evaluate(() => localStorage.getItem("qd.token")), "mock-token");
  },
  async "a wrong code, no token and a refused token say what to do"({ page, server, browser }) {
    const other = await browser.newContext();
    const p = await other.newPage();
    await p.goto(`${server.url}/login#wrong`);
    await p.waitForSelector("text=The login code is not valid any more.");
    await p.goto(`${server.url}/`);
    await p.waitForSelector("text=No login here yet");
    await p.evaluate(() => localStorage.setItem("qd.token", "stale"));
    await p.reload();
    await p.waitForSelector("text=The login is not valid any more");
    assert.equal(await p.evaluate(() => localStorage.getItem("qd.token")), null);
    await other.close();
    await page.close();
  },
  async "keys go to the program as bytes, and Ctrl ] leaves"({ page, server, open }) {
    await open("/s/s001/terminal");
    await live(page);
    await focusTerminal(page);
    await page.keyboard.type("hi j");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
    await page.keyboard.press("ArrowUp");
    await until("the bytes", async () => (await typed(server, "s001")) === "hi j\x1b\t\x1b[A");
    await page.keyboard.press("Control+BracketRight");
    await until("the terminal left", () => page.evaluate(() => !document.activeElement.closest(".term")));
    assert.equal((await typed(server, "s001")).includes("\x1d"), false);
    await page.keyboard.press("Enter");
    await until("back in", () => page.evaluate(() => !!document.activeElement.closest(".term")));
    await page.keyboard.press("Control+BracketRight");
    await page.keyboard.press("Control+BracketRight");
    await until("Ctrl ] sent", async () => (await typed(server, "s001")).endsWith("\x1d"));
    assert.equal(await page.evaluate(() => !!document.activeElement.closest(".term")), true);
  },
  async "queries of the program are not answered by the page"({ page, server, open }) {
    await open("/s/s002/terminal");
    await live(page);
    await focusTerminal(page);
    const all =
      "\x1b[c\x1b[>c\x1b[5n\x1b[6n\x1b[?6n\x1b[?2026$p\x1b[>q\x1b[?u\x1b[18t\x1b[14t\x1b]10;?\x07\x1b]11;?\x07\x1b]4;1;?\x07\x1b]52;c;?\x07\x1bP+q544e\x1b\\\x1bP$qm\x1b\\\x1b[?1004h";
    await control(server, { session: "s002", output: `${all}QUERIES` });
    await page.waitForTimeout(400);
    await page.keyboard.type("z");
    await until("the key", async () => (await typed(server, "s002")).endsWith("z"));
    // Of all of them only the focus, which the program asked to hear of, may be told.
    assert.equal((await typed(server, "s002")).replaceAll("\x1b[I", "").replaceAll("\x1b[O", ""), "z");
  },
  async "a lost connection comes back with what was missed, and typing is off between"({
    page,
    server,
    open,
  }) {
    await open("/s/s003/terminal");
    await live(page);
    await control(server, { session: "s003", output: "BEFORE" });
    await control(server, { refuse: true });
    await control(server, { drop: "s003", code: 4500 });
    await page.waitForSelector(".banner:has-text('Reconnecting')");
    await focusTerminal(page);
    await page.keyboard.type("blind");
    await control(server, { session: "s003", output: "MISSED" });
    // It may come back by itself before the button is found.
    await control(server, { refuse: false });
    await page.click("text=Try now", { timeout: 2000 }).catch(() => undefined);
    await live(page);
    await until("no banner", async () => (await page.locator(".banner").count()) === 0);
    assert.equal(await typed(server, "s003"), "");
    const attaches = (await inputs(server, "s003")).filter((i) => i.type === "attach");
    assert.equal(attaches.at(-1).from > 4096, true, "it asks from where it was");
  },
  async "looking does not set the size, typing does, and a window's change does"({ page, server, open }) {
    await control(server, { session: "s004", change: {} });
    await open("/s/s004/terminal");
    await live(page);
    const before = (await inputs(server, "s004")).filter((i) => i.type === "resize").length;
    assert.equal(before, 0);
    await control(server, { session: "s004", frame: { type: "size", cols: 51, rows: 36, by: "viewer" } });
    await until(
      "a screen of another size",
      async () => (await page.locator(".term:not(.own)").count()) === 1,
    );
    await page.waitForSelector("text=51×36");
    await page.screenshot({ path: "/tmp/qd-foreign.png" });
    await focusTerminal(page);
    await page.keyboard.type("a");
    await until("its own size", async () =>
      (await inputs(server, "s004")).some((i) => i.type === "resize" && i.cols > 60),
    );
    await until("own again", async () => (await page.locator(".term.own").count()) === 1);
    const count = (await inputs(server, "s004")).filter((i) => i.type === "resize").length;
    await page.setViewportSize({ width: 1500, height: 940 });
    await until(
      "a resize",
      async () => (await inputs(server, "s004")).filter((i) => i.type === "resize").length > count,
    );
  },
  async "a paste of several lines asks, unless the program marks pastes"({ page, server, open }) {
    await open("/s/s005/terminal");
    await live(page);
    const paste = (text) =>
      page.evaluate((t) => {
        const data = new DataTransfer();
        data.setData("text/plain", t);
        document
          .querySelector(".term textarea")
          .dispatchEvent(
            new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }),
          );
      }, text);
    const pasted = async () =>
      (await inputs(server, "s005")).filter((i) => i.type === "paste").map((i) => i.text);
    await paste("one line");
    await until("the paste", async () => (await pasted()).length === 1);
    await paste("rm -rf x\nsecond");
    await page.waitForSelector(".banner:has-text('Paste 2 lines')");
    assert.equal((await pasted()).length, 1);
    await page.screenshot({ path: "/tmp/qd-paste.png" });
    await page.click(".banner >> text=Cancel");
    await paste("a\nb\nc");
    await page.click(".banner >> text=Paste >> nth=-1");
    await until("the lines", async () => (await pasted()).at(-1) === "a\nb\nc");
    await control(server, { session: "s005", output: "\x1b[?2004h" });
    await page.waitForTimeout(200);
    await paste("d\ne");
    await until("at once", async () => (await pasted()).at(-1) === "d\ne");
  },
  async "another's lease shuts the keys out until it is taken over"({ page, server, open }) {
    await open("/s/s006/terminal");
    await live(page);
    await control(server, { session: "s006", frame: { type: "lease", holder: "Safari on iPhone" } });
    await page.waitForSelector(".banner:has-text('Safari on iPhone types now')");
    await page.screenshot({ path: "/tmp/qd-lease.png" });
    await focusTerminal(page);
    await page.keyboard.type("no");
    await page.click(".banner >> text=Take over");
    await until("the lease", async () => (await page.locator(".banner").count()) === 0);
    await focusTerminal(page);
    await page.keyboard.type("yes");
    await until("the keys", async () => (await typed(server, "s006")) === "yes");
  },
  async "the program's clipboard asks first, and writes only what was allowed"({ page, server, open }) {
    await open("/s/s007/terminal");
    await live(page);
    await control(server, {
      session: "s007",
      output: `\x1b]52;c;${Buffer.from("from the program").toString("base64")}\x07`,
    });
    await page.waitForSelector(".banner:has-text('wants to set your clipboard')");
    await page.click(".banner >> text=Allow");
    await until(
      "the clipboard",
      async () =>
        (await page.evaluate(() => navigator.clipboard.readText().catch(() => ""))) === "from the program",
    );
  },
  async "an ended program leaves its screen and says its code"({ page, server, open }) {
    await open("/s/s008/terminal");
    await live(page);
    await control(server, { session: "s008", frame: { type: "exit", code: 3, signal: null } });
    await page.waitForSelector(".banner:has-text('Ended with code 3')");
    await page.waitForSelector(".term.dimmed");
  },
  async "create makes a session, follows its steps, and shows its terminal"({ page, open }) {
    await open("/");
    await page.keyboard.press("c");
    await page.fill("#f-prompt", "Write the report");
    await page.waitForSelector(".cli:has-text('--prompt')");
    await page.keyboard.press("Control+Enter");
    await page.waitForSelector("text=Creating >> visible=true");
    await page.waitForSelector("text=2 of 3");
    await live(page);
    assert.match(page.url(), /\/s\/[^/]+\/terminal/);
  },
  async "create tells under the field what is wrong, and keeps the draft"({ page, open }) {
    await open("/");
    await page.keyboard.press("c");
    await page.fill("#f-prompt", "Keep me");
    await page.fill("#f-title", "taken");
    await page.keyboard.press("Control+Enter");
    await page.waitForSelector(".form >> text=Another worktree has the branch checked out.");
    assert.equal(await page.evaluate(() => document.activeElement.id), "f-branch");
    await page.screenshot({ path: "/tmp/qd-create-error.png" });
    await page.keyboard.press("Escape");
    await until("closed", async () => (await page.locator("dialog[open]").count()) === 0);
    await page.keyboard.press("c");
    assert.equal(await page.inputValue("#f-prompt"), "Keep me");
    await page.fill("#f-title", "fails");
    await page.keyboard.press("Control+Enter");
    await page.waitForSelector(".problem:has-text('The program is not there.')");
    await page.click("text=Try again");
    assert.equal(await page.inputValue("#f-prompt"), "Keep me");
  },
  async "folders are completed from what is there and what was used"({ page, open }) {
    await open("/");
    await page.keyboard.press("c");
    await page.fill("#f-repo", "/home/you/code/a");
    await page.waitForSelector("[role=option]:has-text('atlas-web')");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    assert.equal(await page.inputValue("#f-repo"), "/home/you/code/atlas-web");
    assert.equal(await page.locator("dialog[open]").count(), 1);
    await page.fill("#f-repo", "/tmp/scratch");
    await page.waitForSelector("#h-repo:has-text('not in a git repository')");
    assert.equal(await page.isChecked("text=In place"), true);
  },
  async "delete selects the next, the strip and u bring it back"({ page, open }) {
    await open("/s/s014/terminal");
    await page.waitForSelector("#session-title:has-text('Look around')");
    await page.keyboard.press("#");
    await page.waitForSelector(".strip:has-text('is in the trash')");
    assert.equal(page.url().includes("s014"), false);
    await page.screenshot({ path: "/tmp/qd-strip.png" });
    await page.keyboard.press("u");
    await page.waitForSelector("#session-title:has-text('Look around')");
    await until("back", async () => (await page.locator("#row-s014").count()) === 1);
  },
  async "purge asks for the title"({ page, open }) {
    await open("/trash");
    await page.click(".trash-row:has-text('Old spike') .btn.danger");
    assert.equal(await page.isDisabled("dialog .btn.danger"), true);
    await page.fill("#purge-title", "Old spike");
    await page.click("dialog .btn.danger");
    await until("gone", async () => (await page.locator(".trash-row:has-text('Old spike')").count()) === 0);
  },
  async "j and k go through the list, / filters, the address keeps both"({ page, open }) {
    await open("/");
    await page.waitForSelector(".row");
    await page.keyboard.press("j");
    await page.waitForSelector("#row-s011[aria-selected=true]");
    await page.keyboard.press("j");
    await page.waitForSelector("#row-s010[aria-selected=true]");
    await page.keyboard.press("k");
    await page.waitForSelector("#row-s011[aria-selected=true]");
    await page.keyboard.press("/");
    await page.keyboard.type("billing");
    await until("one row", async () => (await page.locator(".row").count()) === 1);
    await page.keyboard.press("Enter");
    await page.waitForSelector("#row-s002[aria-selected=true]");
    assert.match(page.url(), /\/s\/s002\/terminal\?q=billing/);
    await page.reload();
    await page.waitForSelector("#row-s002[aria-selected=true]");
    assert.equal(await page.locator(".row").count(), 1);
    await page.keyboard.press("f");
    await until("only the terminal", async () => (await page.locator(".sessions").count()) === 0);
    await page.keyboard.press("f");
    await page.keyboard.press("]");
    await until("no aside", async () => (await page.locator("aside").count()) === 0);
    await page.keyboard.press("]");
  },
  async "rename shows at once, and a refused one says why"({ page, open }) {
    await open("/s/s013/terminal");
    await page.waitForSelector("#session-title");
    await page.keyboard.press("R");
    await page.waitForSelector(".rename input");
    await page.fill(".rename input", "bad");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".rename >> text=The text cannot be a title.");
    await page.fill(".rename input", "Renamed");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#session-title:has-text('Renamed')");
  },
  async "the list follows events, and reads anew after the stream was cut"({ page, server, open }) {
    await open("/");
    await page.waitForSelector(".row");
    await control(server, { session: "s009", change: { title: "Changed elsewhere" } });
    await page.waitForSelector(".row:has-text('Changed elsewhere')");
    await control(server, { cut: true });
    await control(server, { session: "s009", change: { title: "While it was away" } });
    await page.waitForSelector(".row:has-text('While it was away')");
    await page.waitForSelector(".live:has-text('Connected')");
  },
  async "rows stay where they are while they are pointed at"({ page, server, open }) {
    await open("/");
    await page.waitForSelector("#row-s001");
    await page.hover("#row-s001");
    const place = async (id) => (await page.locator(`#row-${id}`).boundingBox()).y;
    const before = await place("s003");
    await control(server, {
      session: "s003",
      change: {
        attention: {
          state: "permission",
          since: new Date().toISOString(),
          source: "hook",
          confidence: 1,
          why: "asked",
          evidence: [],
        },
      },
    });
    await page.waitForTimeout(700);
    // Its words may change, its place may not.
    assert.ok(Math.abs((await place("s003")) - before) < 1);
    await page.mouse.move(900, 400);
    await until("moved", async () => (await place("s003")) < before - 40);
  },
  async "n and p go through the changes and on to the next file"({ page, open }) {
    await open("/s/s001/diff?file=src%2Fupload%2Fclient.rs");
    await page.waitForSelector(".l.a");
    await page.keyboard.press("n");
    await page.waitForSelector(".l.here");
    for (let i = 0; i < 3; i += 1) await page.keyboard.press("n");
    await page.waitForSelector("section[aria-label='src/upload/policy.rs']");
    await page.keyboard.press("p");
    await page.waitForSelector("section[aria-label='src/upload/client.rs']");
  },
  async "5,000 files and 20,000 lines do not freeze the page"({ page, open }) {
    await open("/s/s006/diff");
    await page.waitForSelector(".file");
    assert.ok((await page.locator(".file").count()) < 120);
    await open("/s/s006/diff?file=Cargo.lock");
    await page.click("text=Show anyway");
    await page.waitForSelector(".l.a");
    assert.ok((await page.locator(".l").count()) < 200);
  },
  async "search finds in the output"({ page, open }) {
    await open("/s/s001/terminal");
    await live(page);
    await focusTerminal(page);
    await page.keyboard.press("Control+Shift+F");
    await page.fill(".findbar input", "retry");
    await page.waitForTimeout(300);
    await page.screenshot({ path: "/tmp/qd-find.png" });
    await page.fill(".findbar input", "nowhere to be found");
    await page.waitForSelector("text=Not found");
    await page.keyboard.press("Escape");
    await until("closed", async () => (await page.locator(".findbar").count()) === 0);
  },
  async "the message line sends a paste, then Enter"({ page, server, open }) {
    await open("/s/s001/terminal");
    await live(page);
    const before = (await inputs(server, "s001")).length;
    await page.keyboard.press("m");
    await page.keyboard.type("Do it");
    await page.keyboard.press("Control+Enter");
    await until("the message", async () => {
      const tail = (await inputs(server, "s001")).slice(before).filter((i) => i.type !== "resize");
      return tail.length >= 2 && tail.at(-2).text === "Do it" && tail.at(-1).data === "\r";
    });
    assert.equal(await page.inputValue("#message"), "");
  },
};

const PHONE = {
  async "the phone has one column, a key bar with a latch, and a message line"({ page, server, open }) {
    await open("/");
    await page.click("text=Drop Node 18 from CI");
    await live(page);
    const id = "s007";
    await page.click(".keybar >> text=Ctrl >> nth=0");
    await focusTerminal(page);
    await page.keyboard.type("ab");
    await page.click(".keybar >> text=Esc");
    await page.click(".keybar [aria-label=Up]");
    await until("the keys", async () => (await typed(server, id)).endsWith("\x01b\x1b\x1b[A"));
    await page.fill("#message", "hello");
    await page.click(".say .btn");
    await until("the message", async () => (await inputs(server, id)).some((i) => i.text === "hello"));
    await page.click("[aria-label='Back to sessions']");
    await page.waitForSelector(".pnav");
  },
};

const only = args.only ?? "";
const server = await mock("many");
const profile = await mkdtemp(join(tmpdir(), "qd-drive-"));
let failed = 0;
let passed = 0;
const browser = await chromium.launch({ executablePath: args.chromium ?? "/usr/bin/chromium", args: FLAGS });
try {
  for (const [where, tests] of [
    [{ viewport: { width: 1440, height: 900 } }, TESTS],
    [{ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }, PHONE],
  ]) {
    const context = await browser.newContext({
      ...where,
      permissions: ["clipboard-read", "clipboard-write"],
    });
    for (const [name, run] of Object.entries(tests)) {
      if (!name.includes(only)) continue;
      const page = await context.newPage();
      page.setDefaultTimeout(8000);
      const said = [];
      page.on("pageerror", (e) => said.push(String(e)));
      page.on("console", (m) => m.type() === "error" && said.push(m.text()));
      const open = async (path) => {
        await page.goto(`${server.url}/login#demo`);
        await page.waitForSelector(".app");
        await page.goto(server.url + path);
        await page.waitForSelector(".app");
        await page.waitForSelector(".live:has-text('Connected'), .ptop");
        await page.waitForTimeout(300);
      };
      try {
        await run({ page, server, open, browser });
        const loud = said.filter((s) => !/status of (400|401|404|409)|WebSocket connection|ERR_/.test(s));
        assert.deepEqual(loud, []);
        passed += 1;
        console.log(`ok    ${name}`);
      } catch (error) {
        failed += 1;
        console.log(
          `FAIL  ${name}\n      ${String(error).split("\n").slice(0, 6).join("\n      ")}\n      ${said.join("\n      ")}`,
        );
        await page.screenshot({ path: `/tmp/qd-fail-${failed}.png` }).catch(() => undefined);
      }
      await control(server, { refuse: false });
      await page.close().catch(() => undefined);
    }
    await context.close();
  }
} finally {
  await browser.close();
  server.child.kill();
  await rm(profile, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
