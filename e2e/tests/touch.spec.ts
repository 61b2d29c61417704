import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CDPSession, Page } from "@playwright/test";
import { check } from "../lib/axe.ts";
import { program } from "../lib/daemon.ts";
import { drawn, live, rows, size } from "../lib/terminal.ts";
import { expect, test } from "../lib/test.ts";

type Point = { x: number; y: number };

/** Real fingers, so that the browser makes of them what it makes of a person's. */
class Fingers {
  private readonly cdp: CDPSession;
  private constructor(cdp: CDPSession) {
    this.cdp = cdp;
  }
  static async of(page: Page) {
    return new Fingers(await page.context().newCDPSession(page));
  }
  async put(type: "touchStart" | "touchMove" | "touchEnd", ...points: Point[]) {
    await this.cdp.send("Input.dispatchTouchEvent", { type, touchPoints: points.map((point, id) => ({ ...point, id })) });
  }
  async drag(from: Point, to: Point) {
    await this.put("touchStart", from);
    for (let i = 1; i <= 8; i += 1)
      await this.put("touchMove", { x: from.x + ((to.x - from.x) * i) / 8, y: from.y + ((to.y - from.y) * i) / 8 });
    await this.put("touchEnd");
  }
}

const open = async (phone: Page, url: string, id: string) => {
  await phone.goto(`${url}/s/${id}/terminal`);
  await live(phone);
};

test("the key bar has a second row, latches for Ctrl and Alt, and arrows that repeat", async ({ device, daemon }) => {
  const phone = await device({ width: 390, height: 844, phone: true });
  const file = join(daemon.dir, "bytes");
  const session = await daemon.session("Bar", program("keys", file));
  await open(phone, daemon.url, session.id);
  await expect(rows(phone)).toContainText("ready");
  let want = "";
  const says = async (bytes: string) => {
    want += bytes;
    await expect.poll(() => readFileSync(file, "utf8")).toBe(want);
  };
  const bar = phone.getByRole("toolbar", { name: "Keys" });
  const key = (name: string | RegExp) => bar.getByRole("button", { name, exact: true });
  await check(phone, "the key bar");
  // By its button, for who does not swipe.
  await key("More keys").tap();
  await expect(key("Slash")).toBeInViewport();
  await key("Slash").tap();
  await says("/");
  await key("Page up").tap();
  await says("\x1b[5~");
  await key(/^Alt, /).tap();
  await key("First keys").tap();
  await expect(key("Esc")).toBeInViewport();
  await key("Left").tap();
  await says("\x1b[1;3D");
  await key("Left").tap();
  await says("\x1b[D");
  // Locked: it holds until it is tapped again, for keys of the keyboard too.
  await key(/^Ctrl, /).tap();
  await key(/^Ctrl, /).tap();
  await expect(key("Ctrl, locked")).toBeVisible();
  await key("Right").tap();
  await says("\x1b[1;5C");
  await phone.locator(".term textarea").focus();
  await phone.keyboard.type("w");
  await says("\x17");
  await key("Ctrl, locked").tap();
  // By a swipe.
  const at = await key("Tab").boundingBox();
  if (!at) throw new Error("the bar is not drawn");
  const fingers = await Fingers.of(phone);
  await fingers.drag({ x: 340, y: at.y + 20 }, { x: 40, y: at.y + 20 });
  await expect(key("Page down")).toBeInViewport({ ratio: 0.9 });
  expect(readFileSync(file, "utf8")).toBe(want);
  await key("First keys").tap();
  // Held, an arrow repeats until it is let go.
  const up = await key("Up").boundingBox();
  if (!up) throw new Error("the bar is not drawn");
  await fingers.put("touchStart", { x: up.x + 10, y: up.y + 10 });
  await expect.poll(() => readFileSync(file, "utf8").length).toBeGreaterThan(want.length + 9);
  await fingers.put("touchEnd");
  const after = readFileSync(file, "utf8").slice(want.length);
  expect(after.replaceAll("\x1b[A", "")).toBe("");
});

test("fingers scroll the output both ways, select a word to copy, and make letters larger", async ({ device, daemon }) => {
  const phone = await device({ width: 390, height: 844, phone: true });
  const lines = Array.from({ length: 200 }, (_, i) => `line ${i} wordnumber${i}\r\n`).join("");
  const session = await daemon.session("Fingers", program("print", JSON.stringify(lines)));
  await open(phone, daemon.url, session.id);
  await expect(rows(phone)).toContainText("line 199");
  const fingers = await Fingers.of(phone);
  await fingers.drag({ x: 200, y: 250 }, { x: 200, y: 550 });
  await expect(rows(phone)).not.toContainText("line 199");
  const back = await drawn(phone);
  await fingers.drag({ x: 200, y: 550 }, { x: 200, y: 150 });
  await expect.poll(() => drawn(phone)).not.toBe(back);
  await fingers.drag({ x: 200, y: 550 }, { x: 200, y: 150 });
  await expect(rows(phone)).toContainText("line 199");
  // A touch that stays selects the word below it, and brings no keyboard up.
  const line = await phone.locator(".xterm-rows > div", { hasText: "wordnumber190" }).boundingBox();
  if (!line) throw new Error("the line is not drawn");
  const word = { x: line.x + 100, y: line.y + line.height / 2 };
  await fingers.put("touchStart", word);
  const picks = phone.getByRole("toolbar", { name: "Selection" });
  await expect(picks).toBeVisible();
  await fingers.put("touchEnd");
  await expect(phone.locator(".term")).not.toHaveClass(/keyed/);
  await check(phone, "a selection");
  await picks.getByRole("button", { name: "Copy" }).tap();
  await expect.poll(() => phone.evaluate(() => navigator.clipboard.readText())).toBe("wordnumber190");
  await expect(picks).toHaveCount(0);
  // Two fingers: apart makes letters larger, and fewer of them fit.
  const before = await size(phone);
  await fingers.put("touchStart", { x: 160, y: 350 }, { x: 220, y: 350 });
  for (let i = 1; i <= 6; i += 1) await fingers.put("touchMove", { x: 160 - i * 6, y: 350 }, { x: 220 + i * 6, y: 350 });
  await fingers.put("touchEnd");
  await expect.poll(async () => (await size(phone)).cols).toBeLessThan(before.cols);
  const font = await phone.evaluate(() => (JSON.parse(localStorage.getItem("qd.prefs") ?? "{}") as { fontSize: number }).fontSize);
  expect(font).toBe(19);
  expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
});

test("a program of the whole screen is scrolled by a finger too", async ({ device, daemon }) => {
  const phone = await device({ width: 390, height: 844, phone: true });
  const file = join(daemon.dir, "bytes");
  const session = await daemon.session("Pager", program("keys", file, "--whole-screen"));
  await open(phone, daemon.url, session.id);
  await expect(rows(phone)).toContainText("ready");
  const fingers = await Fingers.of(phone);
  await fingers.drag({ x: 200, y: 250 }, { x: 200, y: 550 });
  await expect.poll(() => readFileSync(file, "utf8")).toMatch(/^(\x1b\[A){3,}$/);
});

test("two fingers pan a screen that is larger than the phone", async ({ app, device, daemon }) => {
  const session = await daemon.session("Pan", program("print", JSON.stringify("\x1b[999C<end\r\n")));
  await app.goto(`${daemon.url}/s/${session.id}/terminal`);
  await live(app);
  await app.locator(".term textarea").focus();
  await app.keyboard.type("x");
  await expect(app.locator(".term")).toHaveClass(/own/);
  const phone = await device({ width: 390, height: 844, phone: true });
  await open(phone, daemon.url, session.id);
  const box = phone.locator(".term");
  await expect(box).not.toHaveClass(/own/);
  const left = () => box.evaluate((el) => el.scrollLeft);
  expect(await left()).toBe(0);
  const fingers = await Fingers.of(phone);
  await fingers.put("touchStart", { x: 250, y: 300 }, { x: 310, y: 300 });
  for (let i = 1; i <= 6; i += 1) await fingers.put("touchMove", { x: 250 - i * 20, y: 300 }, { x: 310 - i * 20, y: 300 });
  await fingers.put("touchEnd");
  await expect.poll(left).toBeGreaterThan(60);
});

test("the on-screen keyboard leaves the terminal as it is, with its lower end in sight", async ({ device, daemon }) => {
  const phone = await device({ width: 390, height: 844, phone: true });
  const lines = Array.from({ length: 100 }, (_, i) => `line ${i}\r\n`).join("");
  const session = await daemon.session("Keyboard", program("print", JSON.stringify(`${lines}the prompt> `)));
  await open(phone, daemon.url, session.id);
  await expect(rows(phone)).toContainText("the prompt>");
  await phone.locator(".term textarea").focus();
  await phone.keyboard.type("x");
  await expect(phone.locator(".term")).toHaveClass(/own/);
  const before = await size(phone);
  const shown = await drawn(phone);
  const prompt = phone.locator(".xterm-rows > div", { hasText: "the prompt>" });
  // What a browser tells when its keyboard comes and goes.
  const keyboard = (height: number) =>
    phone.evaluate((px) => {
      const view = window.visualViewport;
      if (!view) throw new Error("no visual viewport");
      Object.defineProperty(view, "height", { configurable: true, get: () => px });
      view.dispatchEvent(new Event("resize"));
    }, height);
  for (let round = 0; round < 3; round += 1) {
    await keyboard(480);
    await expect(phone.locator(".app")).toHaveClass(/keys-up/);
    await expect(prompt).toBeInViewport();
    const at = await prompt.boundingBox();
    expect((at?.y ?? 999) + (at?.height ?? 0)).toBeLessThanOrEqual(480);
    expect(await drawn(phone)).toBe(shown);
    await keyboard(844);
    await expect(phone.locator(".app")).not.toHaveClass(/keys-up/);
    await expect(prompt).toBeInViewport();
  }
  expect(await size(phone)).toEqual(before);
  expect(await drawn(phone)).toBe(shown);
  expect((await daemon.show(session.id)).pane?.rows).toBe(before.rows);
});

test("a phone on its side has room for a terminal and its keys", async ({ device, daemon }) => {
  const phone = await device({ width: 844, height: 390, phone: true });
  const session = await daemon.session("On its side", program("print", JSON.stringify("wide and low\r\n")));
  await open(phone, daemon.url, session.id);
  await expect(rows(phone)).toContainText("wide and low");
  const term = await phone.locator(".term").boundingBox();
  expect(term?.width ?? 0).toBeGreaterThan(800);
  expect(term?.height ?? 0).toBeGreaterThan(220);
  for (const name of ["Esc", "Right", "More keys"])
    await expect(phone.getByRole("toolbar", { name: "Keys" }).getByRole("button", { name })).toBeInViewport({ ratio: 1 });
  await expect(phone.locator("#message")).toBeInViewport({ ratio: 1 });
  await expect(phone.getByRole("link", { name: "Diff" })).toBeInViewport();
  expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(844);
  await check(phone, "a phone on its side");
});
