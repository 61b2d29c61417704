import { readFileSync } from "node:fs";
import { join } from "node:path";
import { program } from "../lib/daemon.ts";
import { focus, live, openTerminal, rows } from "../lib/terminal.ts";
import { expect, test } from "../lib/test.ts";

test("two sessions work in two worktrees, are typed into, and show their diffs", async ({ app, daemon }) => {
  const one = await daemon.session("First task", "/bin/sh");
  const two = await daemon.session("Second task", "/bin/sh");
  expect(one.worktree).not.toBe(two.worktree);
  for (const [session, word] of [[one, "alpha"], [two, "beta"]] as const) {
    await app.locator(".row", { hasText: session.title }).locator("a").click();
    await expect(app).toHaveURL(new RegExp(session.id));
    await live(app);
    await expect(rows(app)).toContainText("$");
    await focus(app);
    await app.keyboard.type(`echo ${word} > ${word}.txt; echo made_$((1+1))_${word}\n`);
    await expect(rows(app)).toContainText(`made_2_${word}`);
    await app.keyboard.press("Control+BracketRight");
  }
  for (const [session, word, other] of [[one, "alpha", "beta"], [two, "beta", "alpha"]] as const) {
    await app.locator(".row", { hasText: session.title }).locator("a").click();
    await app.keyboard.press("2");
    await expect(app).toHaveURL(/\/diff/);
    await expect(app.getByRole("treeitem", { name: new RegExp(word) })).toBeVisible();
    await expect(app.getByRole("treeitem", { name: new RegExp(other) })).toHaveCount(0);
    await expect(app.locator(".l.a")).toContainText(word);
    await app.keyboard.press("1");
    await expect(app.locator(".row")).toHaveCount(2);
  }
  expect(daemon.sh("git status --porcelain", join(daemon.dir, "sample"))).toBe("");
});

test("the list is live in every tab", async ({ app, context, daemon }) => {
  const second = await context.newPage();
  await second.goto(daemon.url);
  await expect(second.getByRole("heading", { name: "Nothing runs here yet" })).toBeVisible();
  const session = await daemon.session("Made elsewhere", ["sh", "-c", "read x"]);
  for (const page of [app, second]) await expect(page.locator(".row", { hasText: "Made elsewhere" })).toBeVisible();
  await openTerminal(app, session.id);
  await app.keyboard.press("r");
  await app.locator(".rename input").fill("Renamed here");
  await app.keyboard.press("Enter");
  await expect(second.locator(".row", { hasText: "Renamed here" })).toBeVisible();
  await daemon.qd("send", session.id, "x", "--enter");
  for (const page of [app, second])
    await expect(page.locator(".row", { hasText: "Renamed here" })).toHaveAttribute("aria-label", /^Ended/);
  await daemon.qd("rm", session.id);
  for (const page of [app, second]) await expect(page.locator(".row")).toHaveCount(0);
});

test("delete by key goes to the trash, and undo brings everything back", async ({ app, daemon }) => {
  const other = await daemon.session("Stays", "cat");
  const session = await daemon.session("Goes", "cat");
  daemon.sh("echo changed >> src/a.txt; echo new > new.txt; git add new.txt; echo more >> new.txt; echo u > untracked.txt", session.worktree);
  const before = daemon.sh("git status --porcelain=v2; cat src/a.txt new.txt untracked.txt", session.worktree);
  await openTerminal(app, session.id);
  await app.keyboard.press("#");
  await expect(app.locator(".strip")).toContainText("is in the trash");
  await expect(app.locator(".row", { hasText: "Goes" })).toHaveCount(0);
  await expect(app).toHaveURL(new RegExp(other.id));
  await expect.poll(async () => (await daemon.show(session.id)).state).toBe("trashed");
  expect(daemon.sh(`test -e "${session.worktree}" && echo there || echo gone`).trim()).toBe("gone");
  await app.keyboard.press("u");
  await expect(app.locator(".row", { hasText: "Goes" })).toBeVisible();
  await expect(app).toHaveURL(new RegExp(session.id));
  await expect.poll(async () => (await daemon.show(session.id)).state).not.toBe("trashed");
  await expect.poll(async () => (await daemon.qd<{ pending: string | null }>("show", session.id)).pending).toBeNull();
  expect(daemon.sh("git status --porcelain=v2; cat src/a.txt new.txt untracked.txt", session.worktree)).toBe(before);
});

test("the trash lists what is kept, restores, and purges by a typed title", async ({ app, daemon }) => {
  const session = await daemon.session("Old spike", "cat");
  const gone = await daemon.session("To purge", "cat");
  daemon.sh("echo u > untracked.txt", session.worktree);
  await daemon.qd("rm", session.id);
  await daemon.qd("rm", gone.id);
  await app.keyboard.press("g");
  await app.keyboard.press("t");
  await expect(app).toHaveURL(/\/trash$/);
  const row = (title: string) => app.locator(".trash-row", { hasText: title });
  await expect(row("Old spike")).toContainText("deleted");
  await row("To purge").getByRole("button", { name: "Purge" }).click();
  const dialog = app.getByRole("dialog", { name: "Purge for good" });
  const purge = dialog.getByRole("button", { name: "Purge" });
  await expect(purge).toBeDisabled();
  await expect(dialog.locator("#purge-title")).toBeFocused();
  await app.keyboard.type("To purg");
  await expect(purge).toBeDisabled();
  await app.keyboard.type("e");
  await purge.click();
  await expect(row("To purge")).toHaveCount(0);
  await expect.poll(() => daemon.isGone(gone.id)).toBe(true);
  await row("Old spike").getByRole("button", { name: "Restore" }).click();
  await expect(app).toHaveURL(new RegExp(session.id));
  await expect.poll(() => daemon.sh("cat untracked.txt 2>/dev/null || true", session.worktree.replace(/\/[^/]+$/, "")).trim() || daemon.sh(`cat "${session.worktree}/untracked.txt" 2>/dev/null || true`).trim()).toBe("u");
});

test("the filter, the selection and the file are in the address, and Back works", async ({ app, daemon }) => {
  const one = await daemon.session("Write parser", "cat", ["--tag", "core"]);
  const two = await daemon.session("Fix upload", "cat", ["--tag", "web"]);
  daemon.sh("echo x > made.txt; echo y > other.txt", one.worktree);
  await app.goto(daemon.url);
  await expect(app.locator(".row")).toHaveCount(2);
  await app.keyboard.press("/");
  await expect(app.locator("#filter")).toBeFocused();
  await app.keyboard.type("tag:core");
  await expect(app.locator(".row")).toHaveCount(1);
  await app.keyboard.press("Enter");
  await expect(app).toHaveURL(new RegExp(`/s/${one.id}/terminal\\?q=tag`));
  await app.reload();
  await expect(app.locator(".row")).toHaveCount(1);
  await expect(app.locator(`#row-${one.id}`)).toHaveAttribute("aria-selected", "true");
  await app.locator("#filter").fill("nothing fits this");
  await expect(app.getByText("No session matches")).toBeVisible();
  await app.getByRole("button", { name: "Clear filter" }).click();
  await expect(app.locator(".row")).toHaveCount(2);
  await app.locator(".row", { hasText: "Fix upload" }).locator("a").click();
  await expect(app).toHaveURL(new RegExp(two.id));
  await app.goBack();
  await expect(app).toHaveURL(new RegExp(one.id));
  await expect(app.getByRole("heading", { name: "Write parser" })).toBeVisible();
  await app.goForward();
  await expect(app.getByRole("heading", { name: "Fix upload" })).toBeVisible();
  await app.goto(`${daemon.url}/s/${one.id}/diff?file=other.txt`);
  await expect(app.getByRole("region", { name: "other.txt", exact: true })).toBeVisible();
  await app.reload();
  await expect(app.getByRole("region", { name: "other.txt", exact: true })).toBeVisible();
});

const TITLES = [
  "emoji 😀 👩‍🚀",
  "שלום عربي rtl",
  "over\u202Eride",
  "-x",
  "--help",
  "$(id)",
  "a/b",
  "..",
  "<b>bold</b>",
  "a'b\"c`d",
  "%s %n",
  "x".repeat(200),
];

test("odd titles are shown as they are", async ({ app, daemon }) => {
  for (const title of TITLES) {
    const args = ["new", "--repo", daemon.repo(), `--title=${title}`, "--command", "cat", "--wait", "running", "--timeout", "60"];
    await daemon.qd(...args);
  }
  await expect(app.locator(".row")).toHaveCount(TITLES.length);
  for (const title of TITLES) {
    // A character that would not be seen is drawn as its code point.
    const shown = title.replace("\u202E", "U+202E");
    const link = app.locator(".row .title a").filter({ hasText: shown === "-x" ? /^-x$/ : shown });
    await expect(link).toHaveCount(1);
    await link.click();
    await expect(app.locator("#session-title")).toHaveText(shown);
    await live(app);
  }
  expect(await app.locator(".row b").count()).toBe(0);
});

test("Tab and arrows go through the list, and Enter goes into the terminal", async ({ app, daemon }) => {
  const one = await daemon.session("One", "cat");
  const two = await daemon.session("Two", "cat");
  await app.goto(daemon.url);
  await expect(app.locator(".row")).toHaveCount(2);
  await app.keyboard.press("j");
  await expect(app.locator(`#row-${two.id}`)).toHaveAttribute("aria-selected", "true");
  await app.keyboard.press("j");
  await expect(app.locator(`#row-${one.id}`)).toHaveAttribute("aria-selected", "true");
  await app.locator(`#row-${one.id}`).focus();
  await app.keyboard.press("ArrowUp");
  await expect(app.locator(`#row-${two.id}`)).toBeFocused();
  await app.keyboard.press("Enter");
  await expect(app.locator(".term")).toHaveClass(/keyed/);
  await live(app);
  await app.keyboard.type("typed");
  await expect(rows(app)).toContainText("typed");
});

test("new sessions show though the pointer rests on the list and another one changes on and on", async ({ app, daemon }) => {
  const busy = await daemon.session("Busy", ["sh", "-c", "while :; do i=$((i+1)); printf '\\033]0;turn %s\\007' $i; sleep 0.3; done"]);
  // With a second one the filter is there, and nothing moves under the pointer any more.
  await daemon.session("Still", "cat");
  await openTerminal(app, busy.id);
  await app.locator(`#row-${busy.id}`).hover();
  const next = await daemon.session("Comes later", "cat");
  await expect(app.locator(`#row-${next.id}`)).toBeVisible();
});

test("a key that is held deletes one session", async ({ app, daemon }) => {
  for (const title of ["One", "Two", "Three"]) await daemon.session(title, "cat");
  await expect(app.locator(".row")).toHaveCount(3);
  await app.keyboard.press("j");
  await expect(app.locator("#session-title")).toBeVisible();
  for (let i = 0; i < 4; i += 1) await app.keyboard.down("#");
  await app.keyboard.up("#");
  await expect(app.locator(".strip")).toContainText("is in the trash");
  await expect(app.locator(".row")).toHaveCount(2);
  await expect.poll(async () => (await daemon.qd<unknown[]>("ls")).length).toBe(2);
});

test("the focus is not lost by a dialog, nor by a delete", async ({ app, daemon }) => {
  const one = await daemon.session("One", "cat");
  const two = await daemon.session("Two", "cat");
  await app.locator(`#row-${two.id} a`).click();
  await app.locator(`#row-${two.id}`).focus();
  await app.keyboard.press("c");
  await expect(app.locator("#f-prompt")).toBeFocused();
  await app.keyboard.press("Escape");
  await expect(app.locator(`#row-${two.id}`)).toBeFocused();
  await app.getByRole("button", { name: "More actions" }).click();
  await app.getByRole("menuitem", { name: "Delete" }).click();
  await expect(app.locator(`#row-${one.id}`)).toBeFocused();
  await expect(app).toHaveURL(new RegExp(one.id));
});

test("the keys bring a row into sight wherever the pointer is", async ({ app, daemon }) => {
  for (let i = 0; i < 6; i += 1) await daemon.session(`Number ${i}`, "cat");
  await app.setViewportSize({ width: 1440, height: 260 });
  await expect(app.locator(".row")).toHaveCount(6);
  await app.locator(".row").first().hover();
  for (const key of "kkkkkkjjjjjj") await app.keyboard.press(key);
  const last = app.locator(".row").last();
  await expect(last).toHaveAttribute("aria-selected", "true");
  await expect(last).toBeInViewport({ ratio: 0.9 });
});

test("a refused title says why, and can be mended", async ({ app, daemon, expected }) => {
  expected.push(/status of 422/);
  const session = await daemon.session("Before", "cat");
  await openTerminal(app, session.id);
  const refusal = { code: "field_invalid", title: "That cannot be a title.", hint: "", field: "title" };
  await app.route(`**/sessions/${session.id}`, (route) =>
    route.request().method() === "PATCH"
      ? route.fulfill({ status: 422, contentType: "application/problem+json", body: JSON.stringify(refusal) })
      : route.continue(),
  );
  await app.keyboard.press("r");
  await app.locator(".rename input").fill("bad");
  await app.keyboard.press("Enter");
  await expect(app.locator(".rename").getByRole("alert")).toHaveText("That cannot be a title.");
  await app.unroute(`**/sessions/${session.id}`);
  await app.locator(".rename input").fill("After");
  await app.keyboard.press("Enter");
  await expect(app.locator("#session-title")).toHaveText("After");
});

test("a repository's name is shown as it is, and a title need be typed only as it is seen", async ({ app, daemon }) => {
  const repo = daemon.repo("sam\u200bple");
  const session = await daemon.qd<{ id: string }>(
    "new", "--repo", repo, "--title", "un\u200bseen", "--command", "cat", "--wait", "running", "--timeout", "60",
  );
  await expect(app.locator(`#row-${session.id} .meta`)).toContainText("samU+200Bple");
  await openTerminal(app, session.id);
  await expect(app.locator(".head .what")).toContainText("samU+200Bple");
  await daemon.qd("rm", session.id);
  await app.goto(`${daemon.url}/trash`);
  await expect(app.locator(".trash-row p")).toContainText("samU+200Bple");
  await app.getByRole("button", { name: "Purge" }).click();
  await app.locator("#purge-title").fill("unseen");
  await expect(app.getByRole("dialog").getByRole("button", { name: "Purge" })).toBeEnabled();
});

test("keys that follow Enter go into the terminal, though it is not there yet", async ({ app, daemon }) => {
  const file = join(daemon.dir, "bytes");
  const session = await daemon.session("Typed at", program("keys", file));
  await daemon.session("Other", "cat");
  await app.goto(daemon.url);
  const row = app.locator(`#row-${session.id}`);
  await row.focus();
  await app.keyboard.press("Enter");
  await app.keyboard.type("c#");
  await live(app);
  await app.keyboard.type("x");
  await expect.poll(() => readFileSync(file, "utf8")).toBe("c#x");
  await expect(app.getByRole("dialog")).toHaveCount(0);
});

test("the list is grouped and sorted by choice, which is in the address and kept on the device", async ({ app, daemon }) => {
  const one = await daemon.session("Alpha", "cat", ["--tag", "web"]);
  await daemon.session("Beta", "cat", ["--tag", "core"]);
  await daemon.session("Gamma", "cat", ["--tag", "core"]);
  const lines = app.locator(".sessions [role=row]");
  const heads = app.locator(".sessions .group");
  await app.goto(`${daemon.url}/s/${one.id}/terminal`);
  await expect(app.locator(".row")).toHaveCount(3);
  const button = app.getByRole("button", { name: /^Arrange/ });
  // With keys alone: the button comes after the filter.
  await app.locator("#filter").focus();
  await app.keyboard.press("Tab");
  await expect(button).toBeFocused();
  await app.keyboard.press("Enter");
  await expect(app.getByRole("menuitemradio", { name: "State" })).toBeFocused();
  await expect(app.getByRole("menuitemradio", { name: "State" })).toHaveAttribute("aria-checked", "true");
  for (let i = 0; i < 4; i++) await app.keyboard.press("ArrowDown");
  await app.keyboard.press("Enter");
  await expect(heads).toHaveText([/core\s*2/, /web\s*1/]);
  await expect(button).toBeFocused();
  await expect(app).toHaveURL(/by=tag/);
  await expect(app.getByRole("treegrid", { name: "Sessions, by tag" })).toBeVisible();
  await button.click();
  await app.getByRole("menuitemradio", { name: "Title" }).click();
  await expect(app).toHaveURL(/by=tag&sort=title/);
  await expect(lines).toHaveText([/core/, /Beta/, /Gamma/, /web/, /Alpha/]);
  // Going to another session keeps it.
  await app.locator(".row", { hasText: "Beta" }).locator("a").click();
  await expect(app).toHaveURL(/by=tag&sort=title/);
  // An address that says nothing leaves it to the device; one that does wins.
  await app.goto(daemon.url);
  await expect(lines).toHaveText([/core/, /Beta/, /Gamma/, /web/, /Alpha/]);
  await app.goto(`${daemon.url}/?by=none`);
  await expect(heads).toHaveText([/All\s*3/]);
  await app.goto(daemon.url);
  await expect(heads).toHaveText([/core/, /web/]);
});

test("tags, pin and notes are set in the details and for several sessions, and a refusal is told in place", async ({ app, daemon, expected }) => {
  expected.push(/status of 4\d\d/);
  const one = await daemon.session("Alpha", "cat");
  const two = await daemon.session("Beta", "cat");
  const read = (id: string) => daemon.qd<{ tags: string[]; pinned: boolean; notes: string }>("show", id);
  await app.goto(`${daemon.url}/s/${one.id}/terminal`);
  const aside = app.getByRole("complementary", { name: "Details" });
  const field = aside.getByRole("textbox", { name: "Add a tag" });
  await field.fill("web core");
  await app.keyboard.press("Enter");
  await expect(aside.getByRole("list", { name: "Tags" }).getByRole("listitem")).toHaveText(["web", "core"]);
  await expect(field).toBeFocused();
  await expect.poll(async () => (await read(one.id)).tags).toEqual(["web", "core"]);
  // A refused one goes away from the tags and comes back into the field.
  await field.fill("x".repeat(51));
  await app.keyboard.press("Enter");
  await expect(aside.getByRole("alert")).toContainText("51 characters; 50 is the most");
  await expect(field).toHaveValue("x".repeat(51));
  await expect(aside.getByRole("listitem").filter({ hasText: "xxx" })).toHaveCount(0);
  await app.keyboard.press("Escape");
  await aside.getByRole("button", { name: "Remove the tag core" }).click();
  await expect(aside.getByRole("button", { name: "Remove the tag web" })).toBeFocused();
  await expect(aside.getByRole("alert")).toHaveCount(0);
  await expect.poll(async () => (await read(one.id)).tags).toEqual(["web"]);
  const notes = aside.getByRole("textbox", { name: "Notes" });
  await notes.fill("Ask for the fixture first");
  await app.keyboard.press("Control+Enter");
  await expect.poll(async () => (await read(one.id)).notes).toBe("Ask for the fixture first");
  await expect(notes).toBeFocused();
  await notes.fill("Ask twice");
  await aside.getByRole("button", { name: "Pin", exact: true }).click();
  await expect.poll(async () => await read(one.id)).toMatchObject({ notes: "Ask twice", pinned: true });
  await expect(aside.getByRole("button", { name: "Pinned" })).toHaveAttribute("aria-pressed", "true");
  // A tag leads to the sessions that have it.
  await aside.getByRole("button", { name: "web", exact: true }).click();
  await expect(app).toHaveURL(/q=tag%3Aweb/);
  await expect(app.locator(".row")).toHaveCount(1);
  await app.locator("#filter").fill("");
  await expect(app.locator(".row")).toHaveCount(2);
  for (const title of ["Alpha", "Beta"]) {
    await app.locator(".row", { hasText: title }).focus();
    await app.keyboard.press("x");
  }
  const bar = app.getByRole("region", { name: "Selected sessions" });
  await bar.getByRole("button", { name: "Add tag" }).click();
  await app.keyboard.type("sprint");
  await app.keyboard.press("Enter");
  await bar.getByRole("button", { name: "Pin", exact: true }).click();
  await expect(bar.getByRole("button", { name: "Unpin" })).toBeVisible();
  const all = async () => (await Promise.all([one, two].map(({ id }) => read(id)))).map(({ tags, pinned }) => `${tags.sort().join(" ")} ${pinned}`).sort();
  await expect.poll(all).toEqual(["sprint true", "sprint web true"]);
});
