import { join } from "node:path";
import type { Page } from "@playwright/test";
import { root } from "../lib/daemon.ts";
import { gallery } from "../lib/gallery.ts";
import { fakeAgents, showcase } from "../lib/showcase.ts";
import { focus, live, paste, rows } from "../lib/terminal.ts";
import { AWAY, expect, test } from "../lib/test.ts";

test("every screen in both themes at three sizes", async ({ daemon, device, expected }) => {
  expected.push(AWAY, /status of 4\d\d/);
  fakeAgents(daemon);
  await daemon.stop();
  await daemon.start();
  const { pages, shoot } = await gallery(device);
  const at = (path: string) => daemon.url + path;
  await shoot("empty", async (page) => {
    await page.goto(at("/"));
    await expect(page.getByRole("heading", { name: "Nothing runs here yet" })).toBeVisible();
  });
  const main = await showcase(daemon);
  await shoot("list", async (page) => {
    await page.goto(at("/"));
    await expect(page.locator(".row").first()).toBeVisible();
  });
  const terminal = async (page: Page) => {
    await page.goto(at(`/s/${main.id}/terminal`));
    await live(page);
    await expect(rows(page)).toContainText("Retry-After");
  };
  await shoot("terminal", async (page) => {
    await terminal(page);
    await focus(page);
    await page.keyboard.type(" ");
    await expect(page.locator(".term.own")).toHaveCount(1);
  });
  await shoot("paste", async (page) => {
    await terminal(page);
    await focus(page);
    // Two lines, and a character that is not seen.
    await paste(page, "make test\nmake lint\u200b\n");
    await expect(page.getByRole("dialog")).toBeVisible();
  });
  await shoot("menu", async (page) => {
    await terminal(page);
    await page.getByRole("button", { name: "More actions" }).click();
    await expect(page.getByRole("menu")).toBeVisible();
  });
  await shoot("diff", async (page) => {
    await page.goto(at(`/s/${main.id}/diff?file=src%2Fupload%2Fclient.rs`));
    await expect(page.locator(".l.a").first()).toBeVisible();
  });
  await shoot("diff-files", async (page) => {
    await page.goto(at(`/s/${main.id}/diff`));
    await expect(page.getByRole("tree").or(page.locator(".l.a").first()).first()).toBeVisible();
  });
  const sessions = await daemon.qd<{ id: string; title: string }[]>("ls");
  const ended = sessions.find((s) => s.title === "Measure cold starts");
  await shoot("ended", async (page) => {
    await page.goto(at(`/s/${ended?.id}/terminal`));
    await expect(page.locator(".banner")).toContainText("Ended");
  });
  const id = (title: string) => sessions.find((s) => s.title.startsWith(title))?.id ?? "";
  const [away, taken, asleep] = [id("Paginate"), id("Split"), id("Type")];
  await daemon.qd("pause", away, taken);
  await daemon.qd("hibernate", asleep);
  const place = (await daemon.show(taken)).worktree;
  daemon.sh(`mkdir -p "${place}" && touch "${place}/theirs"`);
  await daemon.qd("resume", taken).catch(() => undefined);
  const rest = async (page: Page, session: string, words: string) => {
    await page.goto(at(`/s/${session}/terminal`));
    await expect(page.locator(".pane > .banner")).toContainText(words);
  };
  await shoot("paused", (page) => rest(page, away, "Paused."));
  await shoot("paused-taken", (page) => rest(page, taken, "Paused."));
  await shoot("rest-menu", async (page) => {
    await rest(page, away, "Paused.");
    await page.getByRole("button", { name: "More actions" }).click();
    await expect(page.getByRole("menu")).toBeVisible();
  });
  await shoot("rest-list", async (page) => {
    await page.goto(at("/"));
    await expect(page.locator(".group", { hasText: "Paused" })).toBeVisible();
    // One that is opened would wake.
    const group = page.locator(".group", { hasText: "Hibernated" });
    if ((await group.getAttribute("aria-expanded")) === "false") await group.click();
  });
  daemon.sh(`rm -rf "${place}"`);
  await daemon.qd("resume", away, taken);
  await daemon.qd("wake", asleep);
  await shoot("create", async (page, phone) => {
    await page.goto(at("/"));
    await expect(page.locator(".row").first()).toBeVisible();
    await page.getByRole("button", { name: phone ? "New" : "New session" }).first().click();
    await page.locator("#f-prompt").fill("Cache tile lookups for the last viewport. Measure before and after.");
    await expect(page.locator("#f-repo")).not.toHaveValue("");
    await expect(page.locator("#f-branch")).not.toHaveValue("");
  });
  await shoot("create-error", async (page, phone) => {
    await page.goto(at("/"));
    await expect(page.locator(".row").first()).toBeVisible();
    await page.getByRole("button", { name: phone ? "New" : "New session" }).first().click();
    await page.locator("#f-prompt").fill("Keep me");
    await expect(page.locator("#f-repo")).not.toHaveValue("");
    await expect(page.locator("#f-branch")).not.toHaveValue("");
    await page.locator("#f-branch").fill("main");
    await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
    await expect(page.getByRole("dialog").getByRole("alert")).toBeVisible();
  });
  await shoot("create-several", async (page, phone) => {
    await page.goto(at("/"));
    await expect(page.locator(".row").first()).toBeVisible();
    await page.getByRole("button", { name: phone ? "New" : "New session" }).first().click();
    await page.locator("#f-prompt").fill("Cache tile lookups for the last viewport. Measure before and after.");
    await expect(page.locator("#f-repo")).not.toHaveValue("");
    await page.locator("#f-branch").fill("");
    const another = page.getByRole("button", { name: "Another with the same task" });
    await another.click();
    await another.click();
    await expect(page.locator(".folder").last()).toContainText("worktrees");
    await another.scrollIntoViewIfNeeded();
  });
  await shoot("settings", async (page) => {
    await page.goto(at("/settings"));
    await expect(page.getByRole("heading", { name: "Settings" })).toBeVisible();
  });
  await shoot("keys", async (page) => {
    await page.goto(at("/settings"));
    await page.getByRole("button", { name: "All keys" }).click();
    await expect(page.getByRole("dialog", { name: "Keys" })).toBeVisible();
  });
  await shoot("gone", async (page) => {
    await page.goto(at("/s/nosuchsession"));
    await expect(page.getByRole("heading", { name: "No session has this id" })).toBeVisible();
  });
  await shoot("gate", async (page) => {
    await page.goto(at("/login"));
    await expect(page.locator(".gate")).toBeVisible();
  });
  const doomed = sessions.filter((s) => /Backfill|Type the/.test(s.title));
  for (const { id } of doomed) await daemon.qd("rm", id);
  await shoot("trash", async (page) => {
    await page.goto(at("/trash"));
    await expect(page.locator(".trash-row")).toHaveCount(doomed.length);
  });
  await shoot("purge", async (page) => {
    await page.goto(at("/trash"));
    await page.getByRole("button", { name: "Purge" }).first().click();
    await expect(page.getByRole("dialog")).toBeVisible();
  });
  for (const page of pages) await terminal(page);
  await daemon.stop();
  await shoot("offline", async (page) => {
    await expect(page.locator(".banner")).toContainText(/Reconnecting|does not answer/);
  });
  await shoot("offline-menu", async (page) => {
    await page.getByRole("button", { name: "More actions" }).click();
    await expect(page.getByRole("menu")).toContainText("The daemon does not answer");
  });
  // Nothing can be loaded anew now: what follows is gone to within the page.
  await shoot("offline-list", async (page, phone) => {
    await page.keyboard.press("Escape");
    if (phone) await page.getByRole("button", { name: "Back to sessions" }).click();
    else await page.getByRole("link", { name: "Quarterdeck" }).click();
    await expect(page.locator(".live.off").first()).toBeVisible();
  });
  await shoot("offline-create", async (page, phone) => {
    await page.getByRole("button", { name: phone ? "New" : "New session" }).first().click();
    await expect(page.getByRole("dialog")).toContainText("The draft is kept");
  });
  await shoot("offline-trash", async (page, phone) => {
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: phone ? "Trash" : /^Trash/ }).click();
    await expect(page.locator(".trash-row").first()).toBeVisible();
  });
  await shoot("offline-settings", async (page) => {
    await page.getByRole("link", { name: "Settings" }).click();
    await expect(page.getByRole("heading", { name: "Settings" })).toBeVisible();
  });
});

test("the picture of the README", async ({ daemon, device }) => {
  fakeAgents(daemon);
  await daemon.stop();
  await daemon.start();
  const main = await showcase(daemon);
  const page = await device();
  await page.evaluate(() => localStorage.removeItem("qd.prefs"));
  // Every diff is looked at once, so that the list knows its size.
  for (const { id } of await daemon.qd<{ id: string }[]>("ls")) await daemon.qd("diff", id, "--stat");
  const lint = (await daemon.qd<{ id: string; title: string }[]>("ls")).find((s) => s.title.startsWith("Tidy"));
  await page.goto(`${daemon.url}/s/${lint?.id}/terminal`);
  await live(page);
  await page.keyboard.press("#");
  await expect(page.locator(".strip")).toContainText("is in the trash");
  await page.locator(".row", { hasText: "Retry uploads" }).locator("a").click();
  await expect(page).toHaveURL(new RegExp(main.id));
  await live(page);
  await focus(page);
  await page.keyboard.type(" ");
  await expect(page.locator(".term.own")).toHaveCount(1);
  await expect(page.locator("aside")).toContainText("3 files");
  // The folders of a test stand for those of a person.
  await page.locator("aside").evaluate((aside, dir) => {
    const walk = document.createTreeWalker(aside, NodeFilter.SHOW_TEXT);
    for (let at = walk.nextNode(); at; at = walk.nextNode())
      at.nodeValue = (at.nodeValue ?? "")
        .replace(`${dir}/q/worktrees`, "~/.local/share/quarterdeck/worktrees")
        .replace(`${dir}/bin`, "~/.local/bin")
        .replace(dir, "~/code");
  }, daemon.dir);
  await page.screenshot({
    path: join(root, "docs/img/dashboard.png"),
    // How long this machine took says nothing.
    style: ".live .num { display: none }",
  });
});
