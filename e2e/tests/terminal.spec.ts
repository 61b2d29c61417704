import { readFileSync } from "node:fs";
import { join } from "node:path";
import { program } from "../lib/daemon.ts";
import { drawn, focus, live, openTerminal, paste, rows } from "../lib/terminal.ts";
import { AWAY, expect, test } from "../lib/test.ts";

test("output is seen as it comes", async ({ app, daemon }) => {
  daemon.sh("mkfifo pipe");
  const session = await daemon.session("Live", ["sh", "-c", `exec 3<> "${daemon.dir}/pipe"; while read -r l <&3; do echo "$l"; done`]);
  await openTerminal(app, session.id);
  daemon.sh("echo first line > pipe");
  await expect(rows(app)).toContainText("first line");
  daemon.sh("echo second line > pipe");
  await expect(rows(app)).toContainText("second line");
  daemon.sh("i=0; while [ $i -lt 200 ]; do echo row $i; i=$((i+1)); done > pipe; echo last line > pipe");
  await expect(rows(app)).toContainText("last line");
  await expect.poll(() => drawn(app)).toBe(await daemon.text(session.id));
});

test("every key reaches the program as its bytes", async ({ app, daemon }) => {
  const file = join(daemon.dir, "bytes");
  const session = await daemon.session("Keys", program("keys", file));
  await openTerminal(app, session.id);
  await expect(rows(app)).toContainText("ready");
  await focus(app);
  let want = "";
  const press = async (key: string, bytes: string) => {
    await app.keyboard.press(key);
    want += bytes;
    await expect.poll(() => readFileSync(file, "utf8")).toBe(want);
  };
  await app.keyboard.type("hi c#?1");
  want += "hi c#?1";
  await press("Enter", "\r");
  await press("Escape", "\x1b");
  await press("Tab", "\t");
  await press("Shift+Tab", "\x1b[Z");
  await press("Backspace", "\x7f");
  await press("ArrowUp", "\x1b[A");
  await press("ArrowDown", "\x1b[B");
  await press("ArrowRight", "\x1b[C");
  await press("ArrowLeft", "\x1b[D");
  await press("Home", "\x1b[H");
  await press("End", "\x1b[F");
  await press("Delete", "\x1b[3~");
  await press("PageDown", "\x1b[6~");
  await press("F5", "\x1b[15~");
  await press("Control+ArrowRight", "\x1b[1;5C");
  await press("Control+c", "\x03");
  await press("Control+d", "\x04");
  await press("Control+r", "\x12");
  await press("Alt+b", "\x1bb");
  await app.keyboard.insertText("żółć 日本語 👩‍🚀");
  want += "żółć 日本語 👩‍🚀";
  await expect.poll(() => readFileSync(file, "utf8")).toBe(want);
  // Left with Ctrl ], letters are the page's again; pressed twice it goes to the program.
  await app.keyboard.press("Control+BracketRight");
  await expect(app.locator(".term")).not.toHaveClass(/keyed/);
  await app.keyboard.press("Enter");
  await expect(app.locator(".term")).toHaveClass(/keyed/);
  await app.keyboard.press("Control+BracketRight");
  await press("Control+BracketRight", "\x1d");
});

test("Ctrl-C ends a command of a shell, and the echo is seen", async ({ app, daemon }) => {
  const session = await daemon.session("Shell", "/bin/sh");
  await openTerminal(app, session.id);
  await expect(rows(app)).toContainText("$");
  await focus(app);
  await app.keyboard.type("echo $((40 + 2)) żółw 漢字; cat\n");
  await expect(rows(app)).toContainText("42 żółw 漢字");
  await app.keyboard.type("typed to cat\n");
  await expect.poll(async () => (await daemon.text(session.id)).split("typed to cat").length).toBe(3);
  await app.keyboard.press("Control+c");
  await app.keyboard.type("echo back$((1 + 1))\n");
  await expect(rows(app)).toContainText("back2");
  await expect.poll(() => drawn(app)).toBe(await daemon.text(session.id));
});

test("a paste of lines is marked for a program that asks for it", async ({ app, daemon }) => {
  const file = join(daemon.dir, "bytes");
  const session = await daemon.session("Marked", program("keys", file, "--paste"));
  await openTerminal(app, session.id);
  await expect(rows(app)).toContainText("ready");
  await focus(app);
  await paste(app, "one\ntwo\x1b[201~three\n");
  // It has a character that would not be seen.
  await app.getByRole("dialog", { name: "Paste 2 lines?" }).getByRole("button", { name: "Paste" }).click();
  await expect.poll(() => readFileSync(file, "utf8")).toMatch(/^\x1b\[200~one[\r\n]two.*three[\r\n]\x1b\[201~$/s);
  // The end of a paste inside of a paste is not one.
  expect(readFileSync(file, "utf8").split("\x1b[201~")).toHaveLength(2);
});

test("a paste of lines asks first where each line would run", async ({ app, daemon }) => {
  const file = join(daemon.dir, "bytes");
  const session = await daemon.session("Plain", program("keys", file));
  await openTerminal(app, session.id);
  await expect(rows(app)).toContainText("ready");
  await focus(app);
  await paste(app, "rm -rf x\nsecond");
  const sheet = app.getByRole("dialog", { name: "Paste 2 lines?" });
  await expect(sheet).toContainText("each line may run at once");
  await sheet.getByRole("button", { name: "Cancel" }).click();
  await expect(sheet).toHaveCount(0);
  expect(readFileSync(file, "utf8")).toBe("");
  await paste(app, "a\nb");
  await sheet.getByRole("button", { name: "Paste" }).click();
  await expect.poll(() => readFileSync(file, "utf8")).toMatch(/^a[\r\n]b$/);
});

test("a program in another cursor mode gets its own arrows, after a reload too", async ({ app, daemon }) => {
  const file = join(daemon.dir, "bytes");
  const session = await daemon.session("Modes", program("keys", file, "--app-cursor"));
  await openTerminal(app, session.id);
  await expect(rows(app)).toContainText("ready");
  await app.reload();
  await expect(rows(app)).toContainText("ready");
  await focus(app);
  await app.keyboard.press("ArrowUp");
  await expect.poll(() => readFileSync(file, "utf8")).toBe("\x1bOA");
});

test("the page answers no query of a program", async ({ app, device, daemon }) => {
  const file = join(daemon.dir, "bytes");
  const queries = "\x1b[c\x1b[>c\x1b[5n\x1b[6n\x1b[?6n\x1b]11;?\x07\x1b]10;?\x07\x1b]4;1;?\x07\x1b[?u\x1b[>q\x1b[18t\x1b[?2026$p\x1bP$qm\x1b\\\x1bP+q544e\x1b\\";
  // Asked while two pages look on, by a program that waits for a key before it asks.
  const session = await daemon.session("Queries", program("queries", file, JSON.stringify(queries)));
  const other = await device();
  await openTerminal(app, session.id);
  await openTerminal(other, session.id);
  await expect(rows(app)).toContainText("ready");
  await expect(rows(other)).toContainText("ready");
  await focus(app);
  await app.keyboard.type("!");
  await expect(rows(app)).toContainText("asked");
  await expect(rows(other)).toContainText("asked");
  // What an answer of the page would be goes the way that this key goes, before it.
  await app.keyboard.type("z");
  await expect.poll(() => readFileSync(file, "latin1")).toMatch(/z$/);
  const got = readFileSync(file, "latin1");
  const count = (pattern: RegExp) => got.match(pattern)?.length ?? 0;
  expect(count(/\x1b\[\?[\d;]*c/g), `one answer to DA1: ${JSON.stringify(got)}`).toBe(1);
  expect(count(/\x1b\[\d+;\d+R/g), "one answer to DSR 6").toBe(1);
  expect(count(/\x1b\[0n/g), "one answer to DSR 5").toBeLessThanOrEqual(1);
  expect(count(/\x1b\]11;/g), "one answer to OSC 11 at most").toBeLessThanOrEqual(1);
  expect(count(/\x1b\[\?\d+u/g), "one answer to CSI ? u at most").toBeLessThanOrEqual(1);
  expect(got, "xterm.js names itself nowhere").not.toContain("xterm.js");
  expect(got.toLowerCase()).not.toContain("276;0c");
});

test("a program that wants the clipboard has to ask", async ({ app, daemon }) => {
  const text = Buffer.from("from the program").toString("base64");
  const session = await daemon.session("Clipboard", program("echo", JSON.stringify(`\x1b]52;c;${text}\x07set`)));
  await openTerminal(app, session.id);
  await app.evaluate(() => navigator.clipboard.writeText("before"));
  await focus(app);
  await app.keyboard.press("Enter");
  await expect(rows(app)).toContainText("set");
  const banner = app.locator(".banner", { hasText: "wants to set your clipboard" });
  await expect(banner).toContainText("from the program");
  expect(await app.evaluate(() => navigator.clipboard.readText())).toBe("before");
  await banner.getByRole("button", { name: "Allow" }).click();
  await expect.poll(() => app.evaluate(() => navigator.clipboard.readText())).toBe("from the program");
});

test("a yes to the clipboard is shown, can be taken back, and does not count for what is old", async ({ app, daemon }) => {
  const text = Buffer.from("from the program").toString("base64");
  const session = await daemon.session("Consent", program("echo", JSON.stringify(`\x1b]52;c;${text}\x07set`)));
  const other = await daemon.session("Other", "cat");
  const clipboard = () => app.evaluate(() => navigator.clipboard.readText());
  // The page itself is asked: of a page that was left nobody tells that its sockets closed.
  await app.addInitScript(() => {
    const made: WebSocket[] = [];
    window.WebSocket = class extends WebSocket {
      constructor(url: string | URL, protocols?: string | string[]) {
        super(url, protocols);
        made.push(this);
      }
    };
    Object.assign(window, { made });
  });
  // A connection may be renewed: the terminal is left when none of its sockets is open.
  const open = () =>
    app.evaluate((id) => {
      const { made } = window as unknown as { made: WebSocket[] };
      return made.filter((socket) => socket.url.includes(id) && socket.readyState <= WebSocket.OPEN).length;
    }, session.id);
  await openTerminal(app, session.id);
  await focus(app);
  await app.keyboard.press("Enter");
  await app.locator(".banner").getByRole("button", { name: "Allow" }).click();
  await expect.poll(clipboard).toBe("from the program");
  await app.keyboard.press("Control+BracketRight");
  await expect.poll(open).toBe(1);
  await app.locator(`#row-${other.id} a`).click();
  await expect.poll(open).toBe(0);
  await daemon.qd("send", session.id, "old", "--enter");
  await expect.poll(async () => (await daemon.text(session.id)).split("set").length).toBe(3);
  await app.evaluate(() => navigator.clipboard.writeText("copied since"));
  await app.locator(`#row-${session.id} a`).click();
  await live(app);
  await expect.poll(async () => (await drawn(app)).split("set").length).toBe(3);
  expect(await clipboard()).toBe("copied since");
  await app.getByRole("button", { name: "May set the clipboard" }).click();
  await expect(app.getByRole("button", { name: "May set the clipboard" })).toHaveCount(0);
  await focus(app);
  await app.keyboard.press("Enter");
  await expect(app.locator(".banner")).toContainText("wants to set your clipboard");
});

test("what the terminal shows can be read by a screen reader when that is wanted", async ({ app, daemon }) => {
  const session = await daemon.session("Reader", program("print", JSON.stringify("read me aloud\r\n")));
  await openTerminal(app, session.id);
  await expect(rows(app)).toContainText("read me aloud");
  const line = app.locator(".pane").getByRole("listitem").filter({ hasText: "read me aloud" });
  await expect(line).toHaveCount(0);
  await app.keyboard.press(",");
  await app.getByRole("radiogroup", { name: "Screen reader" }).getByText("On").click();
  await app.goBack();
  await live(app);
  await expect(line).toHaveCount(1);
});

test("the output is searched", async ({ app, daemon }) => {
  const session = await daemon.session("Search", program("print", JSON.stringify("needle in hay\r\n")));
  await openTerminal(app, session.id);
  await expect(rows(app)).toContainText("needle");
  await focus(app);
  await app.keyboard.press("Control+Shift+F");
  const field = app.getByRole("textbox", { name: "Search the output" });
  await field.fill("no such words");
  await expect(app.locator(".findbar")).toContainText("Not found");
  await field.fill("needle");
  await expect(app.locator(".findbar")).not.toContainText("Not found");
  await app.keyboard.press("Escape");
  await expect(app.locator(".findbar")).toHaveCount(0);
});

test("only links of the web are followed, with no way back", async ({ app, daemon, context }) => {
  await context.route("http://links.example/**", (route) => route.fulfill({ contentType: "text/html", body: "<title>there</title>" }));
  const link = (uri: string, words: string) => `\x1b]8;;${uri}\x1b\\${words}\x1b]8;;\x1b\\\r\n`;
  const output = link("javascript:window.bad=1", "BADLINK") + link("http://links.example/x", "GOODLINK") + link("file:///etc/passwd", "FILELINK") + "http://links.example/plain\r\n";
  const session = await daemon.session("Links", program("print", JSON.stringify(output)));
  await openTerminal(app, session.id);
  await expect(rows(app)).toContainText("GOODLINK");
  const press = async (words: string, told?: string) => {
    const at = await app.locator(".xterm-rows > div", { hasText: words }).boundingBox();
    if (!at) throw new Error(`${words} is not drawn`);
    await app.mouse.move(at.x + 20, at.y + at.height / 2);
    await app.mouse.move(at.x + 24, at.y + at.height / 2);
    // Where it leads is told before it is pressed, too.
    if (told) await expect(app.locator(`.screen[title="${told}"]`)).toHaveCount(1);
    await app.mouse.click(at.x + 24, at.y + at.height / 2);
  };
  const opened: string[] = [];
  context.on("page", (page) => opened.push(page.url()));
  await press("BADLINK");
  await press("FILELINK");
  // The text of a link is the program's: where it leads is told first.
  await press("GOODLINK", "http://links.example/x");
  const banner = app.locator(".banner", { hasText: "The link leads to http://links.example/x" });
  await expect(banner).toBeVisible();
  expect(opened).toHaveLength(0);
  const [there] = await Promise.all([
    context.waitForEvent("page"),
    banner.getByRole("button", { name: "Open" }).click(),
  ]);
  await there.waitForLoadState();
  expect(there.url()).toBe("http://links.example/x");
  expect(await there.evaluate(() => window.opener)).toBeNull();
  await there.close();
  const [plain] = await Promise.all([context.waitForEvent("page"), press("links.example/plain")]);
  await plain.waitForLoadState();
  expect(plain.url()).toBe("http://links.example/plain");
  expect(opened).toHaveLength(2);
  expect(await app.evaluate(() => (window as unknown as { bad?: number }).bad)).toBeUndefined();
});

test("the end of a program is told with its code, and its screen stays", async ({ app, daemon }) => {
  const session = await daemon.session("Ends", ["sh", "-c", "echo last words; read x; exit 3"]);
  await openTerminal(app, session.id);
  await expect(rows(app)).toContainText("last words");
  await focus(app);
  await app.keyboard.press("Enter");
  await expect(app.locator(".banner", { hasText: "Ended with code 3." })).toBeVisible();
  await expect(rows(app)).toContainText("last words");
  await expect(app.locator(".row", { hasText: "Ends" })).toHaveAttribute("aria-label", /^Ended/);
  expect((await daemon.show(session.id)).exit).toMatchObject({ code: 3 });
  await app.reload();
  await expect(rows(app)).toContainText("last words");
  await expect(app.locator(".banner", { hasText: "Ended with code 3." })).toBeVisible();
});

test("hostile output breaks neither the page nor what comes after it", async ({ app, daemon }) => {
  const hostile = [
    "\x1b]0;<img src=x onerror=window.bad=1>\u202Etitle\x07",
    "\x1b]2;" + "A".repeat(5000) + "\x07",
    "\x1b[999999999;999999999H\x1b[2147483647C\x1b[99999999999L\x1b[0;0r",
    "\x1b[?1049h\x1b[?1000h\x1b[?1003h\x1b[?1006h\x1b[?2004h\x1b[?1049l\x1b[?1000l\x1b[?1003l\x1b[?2004l",
    "\x1bP" + "q".repeat(3000) + "\x1b\\",
    "\x1b]1337;File=inline=1:AAAA\x07\x1b]9;4;1;50\x07\x1b]777;notify;a;b\x07",
    "\x1b_Gf=100;AAAA\x1b\\\x1b^pm\x1b\\\x1bXsos\x1b\\",
    "e" + "\u0301".repeat(2000),
    "\x1b[?5h\x1b[?25l\x1b[8m\x1b[0m\x1b[?25h\x1b[?5l",
    "\x1b[1;3r\x1b[r\x1b(0lqqk\x1b(B\x0e\x0f",
    "\x1bc\x1b[2J\x1b[Hafter all of it\r\n<b>not bold</b>\r\n",
  ].join("");
  const session = await daemon.session("Hostile", program("print", JSON.stringify(hostile)));
  await openTerminal(app, session.id);
  await expect(rows(app)).toContainText("after all of it");
  await expect(rows(app)).toContainText("<b>not bold</b>");
  await expect(app.locator(".term b, .term img")).toHaveCount(0);
  expect(await app.evaluate(() => (window as unknown as { bad?: number }).bad)).toBeUndefined();
  await expect(app.locator(".live")).toContainText("Connected");
  await focus(app);
  await app.keyboard.type("still typing");
  await expect(rows(app)).toContainText("still typing");
});

test("the message line sends a text as a paste, then Enter", async ({ app, daemon }) => {
  const file = join(daemon.dir, "bytes");
  const session = await daemon.session("Message", program("keys", file, "--paste"));
  await openTerminal(app, session.id);
  await expect(rows(app)).toContainText("ready");
  await app.keyboard.press("m");
  await expect(app.locator("#message")).toBeFocused();
  await app.keyboard.type("Do it, then stop");
  await app.keyboard.press("Control+Enter");
  await expect.poll(() => readFileSync(file, "utf8")).toBe("\x1b[200~Do it, then stop\x1b[201~\r");
  await expect(app.locator("#message")).toHaveValue("");
});

test("a message that was not taken stays, and arrives once", async ({ app, daemon, expected }) => {
  expected.push(AWAY);
  const file = join(daemon.dir, "bytes");
  const session = await daemon.session("Kept", program("keys", file, "--paste"));
  await openTerminal(app, session.id);
  await expect(rows(app)).toContainText("ready");
  const message = app.locator("#message");
  const long = "x".repeat(1_200_000);
  await message.fill(long);
  await app.keyboard.press("Control+Enter");
  await expect(app.locator(".banner", { hasText: "Not sent." })).toContainText("too long");
  expect(await message.inputValue()).toBe(long);
  await expect(app.locator(".term")).toHaveAttribute("data-status", "live");
  // Its answer is lost: whether it arrived is not known, so the same one is asked for again.
  await app.route("**/send", async (route) => {
    await route.fetch();
    await route.abort();
  });
  await message.fill("do it");
  await app.keyboard.press("Control+Enter");
  await expect(app.locator(".banner", { hasText: "Not sent." })).toBeVisible();
  await expect(message).toHaveValue("do it");
  await app.unroute("**/send");
  await message.focus();
  await app.keyboard.press("Control+Enter");
  await expect(message).toHaveValue("");
  await expect.poll(() => readFileSync(file, "utf8")).toBe("\x1b[200~do it\x1b[201~\r");
});

test("a screen that the page drew anew is the screen of the daemon", async ({ app, daemon }) => {
  const output =
    "\x1b[31mred\x1b[0m \x1b[1mbold\x1b[0m \x1b[7minverse\x1b[0m \x1b[38;2;10;200;30mtrue\x1b[0m\r\n" +
    Array.from({ length: 120 }, (_, i) => `history ${i}\r\n`).join("") +
    "wide 日本 emoji 😀 end\r\n\x1b[10;20Hplaced\x1b[30;1H";
  const session = await daemon.session("Anew", program("print", JSON.stringify(output)));
  await openTerminal(app, session.id);
  await expect(rows(app)).toContainText("placed");
  await app.reload();
  await expect(rows(app)).toContainText("placed");
  await expect.poll(() => drawn(app)).toBe(await daemon.text(session.id));
});
