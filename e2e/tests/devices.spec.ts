import { binary } from "../lib/daemon.ts";
import { drawn, focus, openTerminal, rows, size } from "../lib/terminal.ts";
import { expect, test } from "../lib/test.ts";

test("two devices see the same screen and both type", async ({ app, device, daemon }) => {
  const session = await daemon.session("Shared", "cat");
  const other = await device();
  await openTerminal(app, session.id);
  await openTerminal(other, session.id);
  await focus(app);
  await app.keyboard.type("from one\n");
  await expect(rows(other)).toContainText("from one");
  await focus(other);
  await other.keyboard.type("from two\n");
  await expect(rows(app)).toContainText("from two");
  await expect.poll(async () => (await daemon.text(session.id)).split("from two").length).toBe(3);
  const want = await daemon.text(session.id);
  await expect.poll(() => drawn(app)).toBe(want);
  await expect.poll(() => drawn(other)).toBe(want);
});

test("the one who types sets the size, and it goes back when they leave", async ({ app, device, daemon }) => {
  const session = await daemon.session("Sizes", "cat");
  await openTerminal(app, session.id);
  await focus(app);
  await app.keyboard.type("a");
  await expect(app.locator(".term.own")).toHaveCount(1);
  const large = await size(app);
  const small = await device({ width: 800, height: 600 });
  await openTerminal(small, session.id);
  await expect(rows(small)).toContainText("a");
  // Looking does not change it: the other sees it in its own size, beside the room that is left.
  await expect(small.locator(".term:not(.own)")).toHaveCount(1);
  expect(await size(small)).toEqual(large);
  await focus(small);
  await small.keyboard.type("b");
  await expect(small.locator(".term.own")).toHaveCount(1);
  await expect(app.locator(".term:not(.own)")).toHaveCount(1);
  const little = await size(small);
  expect(little.cols).toBeLessThan(large.cols);
  await expect.poll(() => size(app)).toEqual(little);
  await expect.poll(async () => (await daemon.show(session.id)).pane).toMatchObject(little);
  await small.close();
  await expect(app.locator(".term.own")).toHaveCount(1);
  await expect.poll(() => size(app)).toEqual(large);
});

test("a window that changes changes the program's size", async ({ app, daemon }) => {
  const session = await daemon.session("Window", ["sh", "-c", "trap 'stty size' WINCH; while :; do read x || :; done"]);
  await openTerminal(app, session.id);
  await focus(app);
  await app.keyboard.type("x\n");
  await expect(app.locator(".term.own")).toHaveCount(1);
  const before = await size(app);
  await app.setViewportSize({ width: 1240, height: 700 });
  await expect.poll(async () => (await size(app)).cols).toBeLessThan(before.cols);
  await expect(app.locator(".term.own")).toHaveCount(1);
  const after = await size(app);
  await expect.poll(async () => (await daemon.show(session.id)).pane).toMatchObject(after);
  expect(await app.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
});

test("a lease shuts the keys of others out until it is taken over", async ({ app, device, daemon }) => {
  const session = await daemon.session("Lease", "cat");
  const other = await device();
  await openTerminal(app, session.id);
  await openTerminal(other, session.id);
  await app.keyboard.press("t");
  await expect(app.locator(".chip", { hasText: "You have the keys" })).toBeVisible();
  const banner = other.locator(".banner", { hasText: "types now" });
  await expect(banner).toBeVisible();
  await other.locator(".term textarea").focus();
  await other.keyboard.type("shut out");
  await focus(app);
  await app.keyboard.type("let in\n");
  await expect(rows(other)).toContainText("let in");
  expect(await daemon.text(session.id)).not.toContain("shut out");
  await banner.getByRole("button", { name: "Take over" }).click();
  await expect(app.locator(".banner", { hasText: "types now" })).toBeVisible();
  await focus(other);
  await other.keyboard.type("now in\n");
  await expect(rows(app)).toContainText("now in");
  await other.getByRole("button", { name: "Release" }).click();
  await expect(app.locator(".banner", { hasText: "types now" })).toHaveCount(0);
});

test("a native terminal and a page are at one session at once", async ({ app, daemon }) => {
  const session = await daemon.session("Native", "cat");
  await openTerminal(app, session.id);
  // A tmux of its own is the person's terminal, of another size.
  const outer = (words: string) => daemon.sh(`tmux -f /dev/null -S "${daemon.outer}" ${words}`);
  outer(`new-session -d -x 70 -y 20 "${binary}" attach ${session.id}`);
  await expect.poll(() => outer("list-panes -a -F '#{pane_dead} #{pane_current_command}'")).toContain("0 ");
  await focus(app);
  await app.keyboard.type("from the page\n");
  await expect(rows(app)).toContainText("from the page");
  await expect.poll(() => outer("capture-pane -p")).toContain("from the page");
  outer("send-keys -l 'from the terminal'");
  outer("send-keys Enter");
  await expect(rows(app)).toContainText("from the terminal");
  await expect.poll(async () => (await daemon.text(session.id)).split("from the terminal").length).toBe(3);
  // Ctrl-Q leaves; the session goes on.
  outer("send-keys C-q");
  await expect.poll(() => daemon.sh(`tmux -S "${daemon.outer}" list-sessions 2>&1 || true`)).toMatch(/no server|error connecting/);
  await focus(app);
  await app.keyboard.type("and on\n");
  await expect.poll(async () => (await daemon.text(session.id)).split("and on").length).toBe(3);
});
