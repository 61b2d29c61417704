import { readFileSync } from "node:fs";
import { join } from "node:path";
import { program } from "../lib/daemon.ts";
import { live, rows, size } from "../lib/terminal.ts";
import { expect, test } from "../lib/test.ts";

test("a phone makes a session, types with the key bar, and sends a message", async ({ device, daemon }) => {
  const phone = await device({ width: 390, height: 844, phone: true });
  const file = join(daemon.dir, "bytes");
  const words = program("keys", file, "--paste").map((word) => `'${word}'`).join(" ");
  await expect(phone.getByRole("heading", { name: "Nothing runs here yet" })).toBeVisible();
  await phone.getByRole("navigation", { name: "Main" }).getByRole("button", { name: "New" }).tap();
  await phone.locator("label", { hasText: "Command…" }).tap();
  await phone.locator("#f-command").fill(words);
  await phone.locator("#f-repo").fill(daemon.repo());
  await phone.locator("#f-title").fill("On the phone");
  await expect(phone.locator("#f-branch")).toHaveValue("qd/on-the-phone");
  await phone.getByRole("dialog").getByRole("button", { name: "Create" }).tap();
  await live(phone);
  await expect(rows(phone)).toContainText("ready");
  // The on-screen keyboard comes when it is called.
  await expect(phone.locator(".term")).not.toHaveClass(/keyed/);
  let want = "";
  const says = async (bytes: string) => {
    want += bytes;
    await expect.poll(() => readFileSync(file, "utf8")).toBe(want);
  };
  const bar = phone.getByRole("toolbar", { name: "Keys" });
  await bar.getByRole("button", { name: "Esc" }).tap();
  await says("\x1b");
  await bar.getByRole("button", { name: "Up", exact: true }).tap();
  await says("\x1b[A");
  await bar.getByRole("button", { name: "Left" }).tap();
  await says("\x1b[D");
  await bar.getByRole("button", { name: "Tab" }).tap();
  await says("\t");
  await bar.getByRole("button", { name: "Ctrl C" }).tap();
  await says("\x03");
  // Ctrl holds for one key.
  const ctrl = bar.getByRole("button", { name: /^Ctrl, / });
  await ctrl.tap();
  await expect(ctrl).toHaveAttribute("aria-pressed", "true");
  await phone.locator(".term textarea").focus();
  await phone.keyboard.type("ab");
  await says("\x01b");
  await expect(ctrl).toHaveAttribute("aria-pressed", "false");
  // Pressed twice it stays, until it is pressed again.
  await ctrl.tap();
  await ctrl.tap();
  await expect(bar.getByRole("button", { name: "Ctrl, locked" })).toBeVisible();
  await phone.locator(".term textarea").focus();
  await phone.keyboard.type("ab");
  await says("\x01\x02");
  await ctrl.tap();
  await expect(ctrl).toHaveAttribute("aria-pressed", "false");
  await phone.keyboard.type("c");
  await says("c");
  await phone.locator("#message").fill("hello from here");
  await phone.getByRole("button", { name: "Send" }).tap();
  await says("\x1b[200~hello from here\x1b[201~\r");
  expect(await phone.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  await phone.getByRole("button", { name: "Back to sessions" }).tap();
  await expect(phone.locator(".row", { hasText: "On the phone" })).toBeVisible();
});

test("what is pressed on a phone is large enough", async ({ device, daemon }) => {
  const session = await daemon.session("Targets", "cat");
  daemon.sh("echo x > new.txt", session.worktree);
  const phone = await device({ width: 390, height: 844, phone: true });
  for (const path of ["/", `/s/${session.id}/terminal`, `/s/${session.id}/diff`, "/trash", "/settings"]) {
    await phone.goto(daemon.url + path);
    await expect(phone.locator("main").first()).toBeVisible();
    if (path.endsWith("terminal")) await live(phone);
    if (path.endsWith("diff")) await expect(phone.getByRole("tree")).toBeVisible();
    const small = await phone.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>("button, a[href], input, select, [role=treeitem]")].flatMap((el) => {
        const box = el.getBoundingClientRect();
        const seen = box.width > 1 && box.height > 1 && getComputedStyle(el).visibility !== "hidden";
        // A link inside of a row is part of the row, and words inside of a label are its own target.
        if (!seen || el.closest("[role=row], .seg, p, .sr")) return [];
        return box.height < 44 || box.width < 24 ? [`${el.tagName} ${el.textContent} ${box.width}x${box.height}`] : [];
      }),
    );
    expect(small, path).toEqual([]);
    expect(await phone.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(390);
  }
});

test("what is wrong with a new session is in sight on a phone", async ({ device, daemon, expected }) => {
  expected.push(/status of 4\d\d/);
  const phone = await device({ width: 390, height: 844, phone: true });
  await phone.getByRole("navigation", { name: "Main" }).getByRole("button", { name: "New" }).tap();
  await phone.locator("label", { hasText: "Command…" }).tap();
  await phone.locator("#f-command").fill("cat");
  await phone.locator("#f-repo").fill(daemon.repo());
  await phone.locator("#f-title").fill("Taken");
  await expect(phone.locator("#f-branch")).toHaveValue("qd/taken");
  await phone.locator("#f-branch").fill("main");
  await phone.getByRole("dialog").getByRole("button", { name: "Create" }).tap();
  const told = phone.locator("#create").getByRole("alert");
  await expect(told).toContainText("main");
  await expect(told).toBeInViewport({ ratio: 1 });
  // Nothing of the dialog covers it.
  const hidden = await told.evaluate((el) => {
    const box = el.getBoundingClientRect();
    return !el.contains(document.elementFromPoint(box.x + 5, box.y + box.height - 3));
  });
  expect(hidden).toBe(false);
});

for (const scale of [1, 2, 3])
  test(`a terminal is drawn whole on a phone whose scale is ${scale}`, async ({ device, daemon }) => {
    // At the top, where a canvas that is too small shows nothing; and cells in one colour.
    const words = "seen\\r\\n\\033[44m          \\033[0m\\r\\n";
    const session = await daemon.session("Pixels", ["sh", "-c", `printf '${words}'; exec cat`]);
    const phone = await device({ width: 390, height: 844, phone: true, scale, fast: true });
    await phone.goto(`${daemon.url}/s/${session.id}/terminal`);
    await live(phone);
    const screen = phone.locator(".term .xterm-screen");
    // How many colours there are, and how wide and high the coloured cells, in pixels of the page.
    const look = async () => {
      const picture = (await screen.screenshot()).toString("base64");
      return phone.evaluate(
        async ([data, scale]) => {
          const image = await createImageBitmap(new Blob([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))]));
          const canvas = new OffscreenCanvas(image.width, image.height);
          const context = canvas.getContext("2d");
          if (!context) throw new Error("no canvas");
          context.drawImage(image, 0, 0);
          const { data: all } = context.getImageData(0, 0, image.width, image.height);
          const count = new Map<string, number>();
          const blue = { left: Infinity, right: 0, top: Infinity, bottom: 0 };
          for (let i = 0; i < all.length; i += 4) {
            const [r, g, b] = [all[i] ?? 0, all[i + 1] ?? 0, all[i + 2] ?? 0];
            count.set(`${r} ${g} ${b}`, (count.get(`${r} ${g} ${b}`) ?? 0) + 1);
            if (b < 120 || b < r + 60) continue;
            const at = i / 4;
            const [x, y] = [at % image.width, Math.floor(at / image.width)];
            blue.left = Math.min(blue.left, x);
            blue.right = Math.max(blue.right, x);
            blue.top = Math.min(blue.top, y);
            blue.bottom = Math.max(blue.bottom, y);
          }
          const wide = (blue.right - blue.left + 1) / scale;
          return { colours: count.size, wide, high: (blue.bottom - blue.top + 1) / scale };
        },
        [picture, scale] as const,
      );
    };
    await expect.poll(async () => (await look()).colours).toBeGreaterThan(1);
    const box = await screen.boundingBox();
    const cells = await size(phone);
    const wide = ((box?.width ?? 0) / cells.cols) * 10;
    const high = (box?.height ?? 0) / cells.rows;
    await expect.poll(async () => Math.abs((await look()).wide - wide)).toBeLessThan(3);
    expect(Math.abs((await look()).high - high)).toBeLessThan(3);
  });
