import { readFileSync } from "node:fs";
import { join } from "node:path";
import { check } from "../lib/axe.ts";
import { program } from "../lib/daemon.ts";
import { focus, openTerminal, paste, rows } from "../lib/terminal.ts";
import { expect, test } from "../lib/test.ts";

test("a paste is shown as it would be typed before it is", async ({ app, daemon }) => {
  const file = join(daemon.dir, "bytes");
  const session = await daemon.session("Plain", program("keys", file));
  await openTerminal(app, session.id);
  await expect(rows(app)).toContainText("ready");
  await focus(app);
  await paste(app, "rm -rf x\nsec\u202eond\x1b[31m");
  const sheet = app.getByRole("dialog", { name: "Paste 2 lines?" });
  await expect(sheet).toContainText("each line may run at once");
  const text = sheet.getByRole("region", { name: "What would be typed" });
  await expect(text).toContainText("rm -rf x");
  await expect(text.locator(".hid")).toHaveText(["U+202E", "U+001B"]);
  await expect(sheet).toContainText("2 characters in it would not be seen");
  await check(app, "a paste that is shown");
  await sheet.getByRole("button", { name: "Cancel" }).click();
  await expect(sheet).toHaveCount(0);
  expect(readFileSync(file, "utf8")).toBe("");
  await expect(app.locator(".term")).toHaveClass(/keyed/);
  await paste(app, "a\nb");
  await app.keyboard.press("Enter");
  await expect.poll(() => readFileSync(file, "utf8")).toBe("a\rb");
  await expect(app.locator(".term")).toHaveClass(/keyed/);
});

test("many lines are shown to a program that marks pastes too, and stay one paste", async ({ app, daemon }) => {
  const file = join(daemon.dir, "bytes");
  const session = await daemon.session("Marked", program("keys", file, "--paste"));
  await openTerminal(app, session.id);
  await expect(rows(app)).toContainText("ready");
  await focus(app);
  const lines = Array.from({ length: 40 }, (_, i) => `line ${i}`).join("\n");
  await paste(app, lines);
  const sheet = app.getByRole("dialog", { name: "Paste 40 lines?" });
  await expect(sheet).toContainText("it gets all of it as one");
  expect(readFileSync(file, "utf8")).toBe("");
  await sheet.getByRole("button", { name: "Paste" }).click();
  await expect.poll(() => readFileSync(file, "utf8").replaceAll("\r", "\n")).toBe(`\x1b[200~${lines}\x1b[201~`);
});

test("keys that the browser takes are sent from the terminal's menu", async ({ app, device, daemon }) => {
  const file = join(daemon.dir, "bytes");
  const session = await daemon.session("Sent", program("keys", file));
  await openTerminal(app, session.id);
  await expect(rows(app)).toContainText("ready");
  let want = "";
  const sheet = app.getByRole("dialog", { name: "Send a key" });
  const send = async (name: string, bytes: string) => {
    await sheet.getByRole("button", { name, exact: true }).click();
    await expect(sheet).toHaveCount(0);
    want += bytes;
    await expect.poll(() => readFileSync(file, "utf8")).toBe(want);
    await expect(app.locator(".term")).toHaveClass(/keyed/);
    await app.keyboard.press("Control+BracketRight");
  };
  await app.getByRole("button", { name: "Terminal", exact: true }).click();
  await app.getByRole("menuitem", { name: /Send a key/ }).click();
  await check(app, "the keys that are sent");
  await send("Ctrl W", "\x17");
  await app.keyboard.press("Shift+E");
  await send("F11", "\x1b[23~");
  await app.keyboard.press("Shift+E");
  await send("Alt ←", "\x1b[1;3D");
  const phone = await device({ width: 390, height: 844, phone: true });
  await phone.goto(`${daemon.url}/s/${session.id}/terminal`);
  await expect(phone.locator(".term")).toHaveAttribute("data-status", "live");
  await phone.getByRole("button", { name: "Terminal", exact: true }).tap();
  await phone.getByRole("menuitem", { name: /Send a key/ }).tap();
  await phone.getByRole("dialog").getByRole("button", { name: "Ctrl T", exact: true }).tap();
  want += "\x14";
  await expect.poll(() => readFileSync(file, "utf8")).toBe(want);
});

test("a storm of sequences leaves the page whole", async ({ app, daemon, context }) => {
  const opened: string[] = [];
  const asked: string[] = [];
  context.on("page", (page) => opened.push(page.url()));
  app.on("request", (request) => asked.push(request.url()));
  const clip = Buffer.from("stolen").toString("base64");
  const storm = [
    "\x1b]0;a title\x07\x1b]2;\x1b[31m another\x07".repeat(500),
    `\x1b]52;c;${clip}\x07\x1b]52;c;?\x07`.repeat(200),
    "\x1b]8;;javascript:window.bad=1\x1b\\JSLINK\x1b]8;;\x1b\\\r\n\x1b]8;;data:text/html,<script>window.bad=1</script>\x1b\\DATALINK\x1b]8;;\x1b\\\r\n",
    `\x1bPq#0;2;100;0;0#0${"~".repeat(20_000)}-\x1b\\`,
    `\x1b]1337;File=name=eA==;inline=1:${"A".repeat(50_000)}\x07`,
    `\x1b_Ga=T,f=100;${"A".repeat(50_000)}\x1b\\`,
    "\x1b]9;4;1;50\x07\x1b]777;notify;a;b\x07\x1b]99;;x\x1b\\".repeat(200),
    "\x07".repeat(20_000),
    "x".repeat(1_000_000),
    "\r\n\x1b]8;;javascript:window.bad=1\x1b\\LASTLINK\x1b]8;;\x1b\\\r\nafter the storm\r\n",
  ];
  const file = join(daemon.dir, "storm.json");
  const { writeFileSync } = await import("node:fs");
  writeFileSync(file, JSON.stringify(storm.join("")));
  const session = await daemon.session("Storm", [process.execPath, "-e", `process.stdout.write(JSON.parse(require("fs").readFileSync(${JSON.stringify(file)}, "utf8"))); process.stdin.resume()`]);
  await app.evaluate(() => navigator.clipboard.writeText("mine"));
  await openTerminal(app, session.id);
  await expect(rows(app)).toContainText("after the storm");
  const title = await app.title();
  expect(title).toContain("Storm");
  expect(await app.evaluate(() => navigator.clipboard.readText())).toBe("mine");
  await expect(app.locator(".term img, .term canvas, .term iframe, .term script")).toHaveCount(0);
  const at = await app.locator(".xterm-rows > div", { hasText: "LASTLINK" }).boundingBox();
  if (!at) throw new Error("the link is not drawn");
  await app.mouse.move(at.x + 20, at.y + at.height / 2);
  await app.mouse.click(at.x + 24, at.y + at.height / 2);
  expect(await app.evaluate(() => (window as unknown as { bad?: number }).bad)).toBeUndefined();
  expect(opened).toEqual([]);
  expect(asked.filter((url) => !url.startsWith(daemon.url))).toEqual([]);
  // It takes keys, and another session is there at once.
  await focus(app);
  await app.keyboard.type("typed after it");
  await expect(rows(app)).toContainText("typed after it");
});
