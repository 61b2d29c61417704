import type { Page } from "@playwright/test";
import type { Daemon } from "../lib/daemon.ts";
import { drawn, focus, live, openTerminal, rows } from "../lib/terminal.ts";
import { AWAY, expect, test } from "../lib/test.ts";
import { Wire } from "../lib/wire.ts";

/** A session whose terminal is open over the wire and has echoed something. */
async function byWire(page: Page, daemon: Daemon, wire: Wire, title: string) {
  await daemon.stop();
  await daemon.start(["--public-url", wire.url]);
  const session = await daemon.session(title, "cat");
  await page.goto(`${wire.url}/login${new URL(await daemon.link()).hash}`);
  await expect(page.locator(".row", { hasText: title })).toBeVisible();
  await openTerminal(page, session.id);
  await focus(page);
  await page.keyboard.type("before\n");
  await expect(rows(page)).toContainText("before");
  return session;
}

for (const signal of ["SIGTERM", "SIGKILL"] as const) {
  test(`the page comes back by itself after the daemon ${signal === "SIGTERM" ? "stopped" : "was killed"} and started again`, async ({
    app,
    daemon,
    expected,
  }) => {
    expected.push(AWAY);
    daemon.sh("mkfifo pipe");
    const session = await daemon.session("Goes on", [
      "sh", "-c", `echo before; read -r l < "${daemon.dir}/pipe"; echo "while $l"; exec cat`,
    ]);
    await openTerminal(app, session.id);
    await expect(rows(app)).toContainText("before");
    await daemon.stop(signal);
    await expect(app.locator(".live")).toContainText("Offline");
    await expect(app.locator(".banner")).toContainText(/Reconnecting|does not answer/);
    daemon.sh("echo away > pipe");
    await daemon.start();
    await live(app);
    await expect(app.locator(".banner")).toHaveCount(0);
    await expect(app.locator(".live")).toContainText("Connected");
    await expect(rows(app)).toContainText("while away");
    await expect.poll(() => drawn(app)).toBe(await daemon.text(session.id));
    expect((await daemon.show(session.id)).state).toBe("running");
    await focus(app);
    await app.keyboard.type("typed again\n");
    await expect.poll(async () => (await daemon.text(session.id)).split("typed again").length).toBe(3);
    await expect.poll(() => drawn(app)).toBe(await daemon.text(session.id));
  });
}

test("a cut network is told with the number of the try, takes no keys, and is resumed", async ({
  page,
  daemon,
  expected,
}) => {
  expected.push(AWAY);
  const wire = new Wire();
  await wire.lay(daemon.url);
  try {
    const session = await byWire(page, daemon, wire, "Network");
    wire.cut();
    const banner = page.locator(".banner");
    await expect(banner).toContainText(/Reconnecting, try \d+|Try \d+\./);
    await expect(page.locator(".live")).toContainText("Offline");
    await page.locator(".term textarea").focus();
    await page.keyboard.type("blind");
    await daemon.qd("send", session.id, "missed", "--enter");
    wire.mend();
    await expect(banner).toHaveCount(0);
    await live(page);
    await expect(rows(page)).toContainText("missed");
    await focus(page);
    await page.keyboard.type("after\n");
    await expect(rows(page)).toContainText("after");
    expect(await daemon.text(session.id)).not.toContain("blind");
    await expect.poll(() => drawn(page)).toBe(await daemon.text(session.id));
  } finally {
    wire.take();
  }
});

test("a connection that is dead without a word is given up, and no key is lost from then on", async ({
  page,
  daemon,
  expected,
}) => {
  expected.push(AWAY);
  const wire = new Wire();
  await wire.lay(daemon.url);
  try {
    const session = await byWire(page, daemon, wire, "Silence");
    wire.deafen();
    await daemon.qd("send", session.id, "missed", "--enter");
    // What a browser says when it came to another network.
    await page.evaluate(() => dispatchEvent(new Event("online")));
    await page.keyboard.type("after\n");
    await expect.poll(() => daemon.text(session.id)).toContain("after");
    await expect(rows(page)).toContainText("missed");
    await expect.poll(() => drawn(page)).toBe(await daemon.text(session.id));
    await expect(page.locator(".banner")).toHaveCount(0);
  } finally {
    wire.take();
  }
});

test("code that cannot be read blanks its own place only, and is read again", async ({ app, daemon, expected }) => {
  expected.push(AWAY, /dynamically imported module|error boundary/);
  const session = await daemon.session("Chunk", "cat");
  await app.route("**/assets/pane-*.js", (route) => route.abort());
  await app.goto(`${daemon.url}/s/${session.id}/terminal`);
  await expect(app.getByRole("main")).toContainText("This part of the page could not be shown.");
  await expect(app.locator(".row", { hasText: "Chunk" })).toBeVisible();
  await app.unroute("**/assets/pane-*.js");
  await app.getByRole("button", { name: "Try again" }).click();
  await live(app);
});

test("a terminal that was not seen yet is there without the daemon", async ({ app, daemon, expected }) => {
  expected.push(AWAY);
  const session = await daemon.session("Later", "cat");
  await app.goto(`${daemon.url}/settings`);
  for (const chunk of ["pane-", "chips-", "pool-"])
    await expect
      .poll(() => app.evaluate((name) => performance.getEntriesByType("resource").some((e) => e.name.includes(name)), chunk))
      .toBe(true);
  await daemon.stop();
  await expect(app.locator(".live")).toContainText("Offline");
  await app.keyboard.press("g");
  await app.keyboard.press("s");
  await app.locator(".row", { hasText: "Later" }).locator("a").click();
  await expect(app).toHaveURL(new RegExp(session.id));
  await expect(app.locator(".banner")).toContainText(/Reconnecting|does not answer/);
  await expect(app.locator(".banner")).not.toContainText("ago");
});

test("a newer page is offered, and a reload keeps what was written", async ({ app, daemon, expected }) => {
  expected.push(AWAY);
  const session = await daemon.session("Newer", "cat");
  await openTerminal(app, session.id);
  await app.locator("#message").fill("half a message");
  await app.keyboard.press("Escape");
  await app.keyboard.press("c");
  await app.locator("#f-prompt").fill("half a task");
  await app.keyboard.press("Escape");
  await daemon.stop();
  await daemon.start();
  await expect(app.locator(".live")).toContainText("Connected");
  await app.route(`${daemon.url}/`, (route) =>
    route.fulfill({ contentType: "text/html", body: '<script type="module" src="/assets/other.js"></script>' }),
  );
  await daemon.stop();
  await daemon.start();
  await expect(app.locator(".live")).toContainText("There is a newer page.");
  await app.locator(".live").getByRole("button", { name: "Reload" }).click();
  await live(app);
  await expect(app.locator("#message")).toHaveValue("half a message");
  await app.keyboard.press("c");
  await expect(app.locator("#f-prompt")).toHaveValue("half a task");
});

test("a draft outlives the daemon", async ({ app, daemon, expected }) => {
  expected.push(AWAY);
  const session = await daemon.session("Draft", "cat");
  await openTerminal(app, session.id);
  await app.locator("#message").fill("not sent yet");
  await daemon.stop();
  await expect(app.locator(".live")).toContainText("Offline");
  await expect(app.locator(".say button")).toBeDisabled();
  await daemon.start();
  await live(app);
  await expect(app.locator("#message")).toHaveValue("not sent yet");
  // The viewer is back before the pane is: until then the daemon refuses input.
  await expect.poll(async () => (await daemon.qd<{ pane: object | null }>("show", session.id)).pane).not.toBeNull();
  await app.locator(".say button").click();
  await expect(rows(app)).toContainText("not sent yet");
});
