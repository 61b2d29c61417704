import { readFileSync } from "node:fs";
import { join } from "node:path";
import { check } from "../lib/axe.ts";
import { program } from "../lib/daemon.ts";
import { live, rows } from "../lib/terminal.ts";
import { expect, test } from "../lib/test.ts";

test("by touch alone: three sessions, keys to each, what changed, a delete and its undo", async ({
  device,
  daemon,
  expected,
}) => {
  expected.push(/status of 409.*branches/);
  const repo = daemon.repo();
  const phone = await device({ width: 390, height: 844, phone: true });
  const fits = async () => expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  const file = join(daemon.dir, "bytes");
  const words = program("keys", file, "--paste").map((word) => `'${word}'`).join(" ");
  // Two at once, with the folder by taps: from the one above it.
  await phone.getByRole("navigation", { name: "Main" }).getByRole("button", { name: "New" }).tap();
  await phone.locator("label", { hasText: "Command…" }).tap();
  await phone.locator("#f-command").fill("cat");
  await phone.locator("#f-repo").tap();
  await phone.keyboard.type(repo.slice(0, repo.lastIndexOf("/")));
  await phone.getByRole("button", { name: "Folders inside" }).tap();
  await phone.getByRole("option", { name: repo }).tap();
  await expect(phone.locator("#f-repo")).toHaveValue(repo);
  await phone.locator("#f-title").tap();
  await phone.keyboard.type("Pair");
  await phone.getByRole("button", { name: "Another with the same task" }).tap();
  await expect(phone.getByLabel("Title of session 2")).toHaveValue("Pair (cat 2)");
  await fits();
  await check(phone, "several on a phone");
  const dialog = phone.getByRole("dialog");
  const small = await phone.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>("dialog button, dialog select, dialog .field > input")].flatMap((el) => {
      const box = (el.closest(".field") ?? el).getBoundingClientRect();
      return box.height < 42 || box.width < 24 ? [`${el.tagName} ${el.textContent} ${box.width}x${box.height}`] : [];
    }),
  );
  expect(small).toEqual([]);
  await dialog.getByRole("button", { name: "Create 2" }).tap();
  await expect(dialog).toHaveCount(0);
  await live(phone);
  await phone.getByRole("button", { name: "Back to sessions" }).tap();
  // A third that writes down each byte that it gets.
  await phone.getByRole("navigation", { name: "Main" }).getByRole("button", { name: "New" }).tap();
  await expect(phone.locator("#f-repo")).toHaveValue(repo);
  await phone.locator("label", { hasText: "Command…" }).tap();
  await phone.locator("#f-command").fill(words);
  await phone.locator("#f-title").tap();
  await phone.keyboard.type("Keys");
  await dialog.getByRole("button", { name: "Create" }).tap();
  await live(phone);
  await expect(rows(phone)).toContainText("ready");
  const bar = phone.getByRole("toolbar", { name: "Keys" });
  await bar.getByRole("button", { name: "Up", exact: true }).tap();
  await phone.locator(".term .screen").tap();
  await phone.keyboard.type("ab");
  await bar.getByRole("button", { name: "Tab" }).tap();
  await bar.getByRole("button", { name: "Esc" }).tap();
  await expect.poll(() => readFileSync(file, "utf8")).toBe("\x1b[Aab\t\x1b");
  // The two others, by the on-screen keyboard and the key bar.
  for (const title of ["Pair (cat)", "Pair (cat 2)"]) {
    await phone.getByRole("button", { name: "Back to sessions" }).tap();
    await phone.locator(".row", { hasText: title }).tap();
    await live(phone);
    await phone.locator(".term .screen").tap();
    await phone.keyboard.type(`to ${title}`);
    await phone.keyboard.press("Enter");
    await expect(rows(phone)).toContainText(new RegExp(`to ${title.replace(/[()]/g, "\\$&")}.*to ${title.replace(/[()]/g, "\\$&")}`, "s"));
    await bar.getByRole("button", { name: "Ctrl C" }).tap();
    await expect(phone.locator(".pane > .banner")).toContainText("Ended");
  }
  // What changed, by taps.
  const last = (await daemon.qd<{ title: string; worktree: string; id: string }[]>("ls")).find(
    ({ title }) => title === "Pair (cat 2)",
  );
  daemon.sh("echo one > new.txt && git add new.txt", last?.worktree ?? "");
  await phone.getByRole("navigation", { name: "Session" }).getByRole("link", { name: /^Diff/ }).tap();
  await phone.getByRole("tree").or(phone.locator(".l.a").first()).first().waitFor();
  if (await phone.getByRole("tree").isVisible()) await phone.getByRole("treeitem", { name: /new\.txt/ }).tap();
  await expect(phone.locator(".l.a")).toContainText("one");
  await fits();
  // Away, and back again.
  await phone.getByRole("navigation", { name: "Session" }).getByRole("link", { name: "Terminal" }).tap();
  await phone.getByRole("button", { name: "More actions" }).tap();
  await phone.getByRole("menuitem", { name: /^Delete/ }).tap();
  const row = phone.locator(".row", { hasText: "Pair (cat 2)" });
  await expect(row).toHaveCount(0);
  const state = async () => (await daemon.show(last?.id ?? "")).state;
  await expect.poll(state).toBe("trashed");
  await phone.getByRole("region", { name: "Undo" }).getByRole("button", { name: /^Undo/ }).tap();
  await expect.poll(state).toBe("exited");
  expect(readFileSync(join(last?.worktree ?? "", "new.txt"), "utf8")).toBe("one\n");
  await phone.goto(`${daemon.url}/`);
  await expect(row).toHaveCount(1);
  expect(await daemon.qd("ls")).toHaveLength(3);
});
