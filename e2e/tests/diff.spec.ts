import { type Page } from "@playwright/test";
import { type Daemon } from "../lib/daemon.ts";
import { expect, test } from "../lib/test.ts";

async function openDiff(page: Page, daemon: Daemon, id: string, file?: string) {
  await page.goto(`${daemon.url}/s/${id}/diff${file ? `?file=${encodeURIComponent(file)}` : ""}`);
  await expect(page.getByRole("tree", { name: "Changed files" })).toBeVisible();
}

test("every kind of change is shown against the base", async ({ app, daemon }) => {
  const session = await daemon.session("Changes", "cat");
  daemon.sh(
    `printf 'one\\nTWO\\nthree\\n' > src/a.txt
     git mv src/old.txt src/new.txt
     printf '\\000\\003changed' > image.bin
     chmod +x docs/README.md
     printf 'staged\\n' > added.txt && git add added.txt
     printf 'not staged\\n' > untracked.txt
     git rm -q run.sh
     ln -s /etc/hostname link
     head -c 3000000 /dev/zero | tr '\\0' 'x' | fold -w 80 > long.txt
     head -c 5000000 /dev/zero | tr '\\0' 'y' | fold -w 80 > large.txt
     printf 'a line\\n' > 'odd name é "q".txt'`,
    session.worktree,
  );
  const index = daemon.sh("git ls-files --stage --debug", session.worktree);
  await openDiff(app, daemon, session.id, "src/a.txt");
  const tree = app.getByRole("tree", { name: "Changed files" });
  for (const name of ["a.txt", "new.txt", "image.bin", "README.md", "added.txt", "untracked.txt", "run.sh", "link", "long.txt", "large.txt", "odd name é"])
    await expect(tree.getByRole("treeitem").filter({ hasText: name }).first()).toBeVisible();
  await expect(tree).not.toContainText("old.txt");
  const open = async (name: string) => tree.getByRole("treeitem").filter({ hasText: name }).first().click();
  await expect(app.locator(".l.d")).toContainText("two");
  await expect(app.locator(".l.a")).toContainText("TWO");
  await open("new.txt");
  await expect(app.locator(".fhead h2")).toContainText("src/old.txt → src/new.txt");
  await expect(app.getByText("Moved, with nothing changed in it")).toBeVisible();
  await open("image.bin");
  await expect(app.getByRole("heading", { name: "Binary file" })).toBeVisible();
  await open("README.md");
  await expect(app.getByText("Only its mode changed: 100644 → 100755")).toBeVisible();
  await open("untracked.txt");
  await expect(app.locator(".fhead .tag", { hasText: "untracked" })).toBeVisible();
  await expect(app.locator(".l.a")).toContainText("not staged");
  await open("added.txt");
  await expect(app.locator(".l.a")).toContainText("staged");
  await open("run.sh");
  await expect(app.locator(".l.d").first()).toContainText("#!/bin/sh");
  await open("odd name");
  await expect(app.locator(".l.a")).toContainText("a line");
  await open("long.txt");
  await expect(app.locator(".banner", { hasText: "Cut." })).toContainText("3.0 MB");
  await expect(app.locator(".l.a").first()).toContainText("xxxx");
  await app.getByRole("button", { name: "Show anyway" }).click();
  await expect(app.locator(".banner", { hasText: "Cut." })).toHaveCount(0);
  await open("large.txt");
  await expect(app.getByRole("heading", { name: /Too large/ })).toBeVisible();
  await app.getByRole("button", { name: "Show anyway" }).click();
  await expect(app.locator(".l.a").first()).toContainText("yyyy");
  expect(await app.locator(".l").count()).toBeLessThan(200);
  expect(daemon.sh("git ls-files --stage --debug", session.worktree)).toBe(index);
});

test("characters that would not be seen are drawn as code points", async ({ app, daemon }) => {
  const session = await daemon.session("Hidden", "cat");
  daemon.sh("printf 'if (admin\\342\\200\\256 \\342\\201\\246// safe\\342\\201\\251) \\342\\200\\213run\\n' > bidi.txt", session.worktree);
  await openDiff(app, daemon, session.id, "bidi.txt");
  await expect(app.locator(".banner", { hasText: "4 hidden characters" })).toBeVisible();
  await expect(app.locator(".l.a .hid")).toHaveText(["U+202E", "U+2066", "U+2069", "U+200B"]);
});

test("3,000 changed files do not freeze the page", async ({ app, daemon }) => {
  const session = await daemon.session("Many", "cat");
  daemon.sh("i=0; while [ $i -lt 3000 ]; do d=d$((i % 40)); [ $i -ge 40 ] || mkdir $d; echo $i > $d/f$i.txt; i=$((i+1)); done", session.worktree);
  await openDiff(app, daemon, session.id);
  const items = app.getByRole("treeitem");
  await expect(items.first()).toBeVisible();
  // Only what is seen is made.
  expect(await items.count()).toBeLessThan(150);
  await items.filter({ hasText: "f0.txt" }).first().click();
  await expect(app.locator(".l.a")).toContainText("0");
  await app.locator("[role=tree]").hover();
  await app.mouse.wheel(0, 100_000);
  await expect(items.filter({ hasText: "f2999.txt" }).or(items.filter({ hasText: /f\d+39\.txt|f\d+9\.txt/ })).first()).toBeVisible();
  await app.keyboard.press("1");
  await expect(app.locator(".term")).toHaveAttribute("data-status", "live");
});

test("n and p go through the changes, and a refresh shows what is new", async ({ app, daemon }) => {
  const session = await daemon.session("Steps", "cat");
  daemon.sh("echo a > m1.txt; echo b > m2.txt", session.worktree);
  await openDiff(app, daemon, session.id, "m1.txt");
  await expect(app.locator(".l.a")).toContainText("a");
  await app.keyboard.press("n");
  await expect(app.locator(".l.here")).toBeVisible();
  await app.keyboard.press("n");
  await expect(app.getByRole("region", { name: "m2.txt", exact: true })).toBeVisible();
  await expect(app.locator(".l.a")).toContainText("b");
  await app.keyboard.press("p");
  await expect(app.getByRole("region", { name: "m1.txt", exact: true })).toBeVisible();
  daemon.sh("echo c > m3.txt", session.worktree);
  await app.getByRole("button", { name: "Refresh" }).click();
  await expect(app.getByRole("treeitem").filter({ hasText: "m3.txt" })).toBeVisible();
});

test("a file of very many short lines is shown", async ({ app, daemon }) => {
  const session = await daemon.session("Rows", "cat");
  daemon.sh("yes 'a row of thirty-two characters..' | head -n 150000 > rows.csv", session.worktree);
  await openDiff(app, daemon, session.id, "rows.csv");
  await app.getByRole("button", { name: "Show anyway" }).click();
  await expect(app.locator(".l.a").first()).toContainText("a row of");
  expect(await app.locator(".l").count()).toBeLessThan(200);
});

test("what stays cut is told, and not offered again", async ({ app, daemon }) => {
  const session = await daemon.session("Minified", "cat");
  daemon.sh("head -c 10000 /dev/zero | tr '\\0' 'x' > app.min.js", session.worktree);
  await openDiff(app, daemon, session.id, "app.min.js");
  const banner = app.locator(".banner", { hasText: "Cut." });
  await banner.getByRole("button", { name: "Show anyway" }).click();
  await expect(banner).toContainText("very long lines");
  await expect(banner.getByRole("button")).toHaveCount(0);
});

test("a file that is opened by hand begins at its start", async ({ app, daemon }) => {
  const session = await daemon.session("Starts", "cat");
  daemon.sh("for n in 1 2 3; do echo $n > m$n.txt; done", session.worktree);
  await openDiff(app, daemon, session.id, "m2.txt");
  await expect(app.locator(".l.a")).toContainText("2");
  await app.keyboard.press("p");
  await expect(app.getByRole("region", { name: "m1.txt", exact: true }).locator(".l.here")).toBeVisible();
  await app.getByRole("treeitem").filter({ hasText: "m3.txt" }).click();
  await expect(app.locator(".l.a")).toContainText("3");
  await expect(app.locator(".l.here")).toHaveCount(0);
});

test("with no change the diff says so", async ({ app, daemon }) => {
  const session = await daemon.session("Nothing", "cat");
  await app.goto(`${daemon.url}/s/${session.id}/diff`);
  await expect(app.getByRole("heading", { name: "No changes against main" })).toBeVisible();
});

test("the sums beside the diff are those of the diff", async ({ app, daemon }) => {
  const session = await daemon.session("Sums", "cat");
  await app.goto(`${daemon.url}/s/${session.id}/terminal`);
  const changed = app.locator("#details dt", { hasText: "Changed" }).locator("xpath=following-sibling::dd[1]");
  await expect(changed).toHaveText("0 files");
  // Nothing is printed: nothing tells the daemon to count.
  daemon.sh("echo new > new.txt", session.worktree);
  const tab = app.getByRole("navigation", { name: "Session" }).getByRole("link", { name: /^Diff/ });
  await tab.click();
  await expect(app.locator(".tools .strong")).toHaveText("1 file");
  await expect(tab).toContainText("+1");
  await app.getByRole("link", { name: "Terminal" }).click();
  await expect(changed).toHaveText("1 file");
});

test("what is changed without a word is counted for whoever looks", async ({ app, daemon }) => {
  const session = await daemon.session("Silent", "cat");
  const changed = app.locator("#details dt", { hasText: "Changed" }).locator("xpath=following-sibling::dd[1]");
  await app.goto(`${daemon.url}/s/${session.id}/terminal`);
  await expect(changed).toHaveText("0 files");
  await app.goto(`${daemon.url}/settings`);
  daemon.sh("echo new > new.txt", session.worktree);
  await app.goto(`${daemon.url}/s/${session.id}/terminal`);
  await expect(changed).toHaveText("1 file", { timeout: 60_000 });
  daemon.sh("echo new > newer.txt", session.worktree);
  await expect(changed).toHaveText("2 files", { timeout: 60_000 });
});
