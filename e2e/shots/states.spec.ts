import { type Page, expect, test } from "@playwright/test";
import { Mock } from "../lib/mock.ts";
import { focus, live } from "../lib/terminal.ts";

const mock = new Mock();
test.afterEach(() => mock.end());

test.beforeEach(async ({ page }) => {
  if (!process.env.QD_PICTURES) return;
  await page.setContent("<canvas></canvas>");
  const wide = await page.evaluate(() =>
    ["monospace", '"DejaVu Sans", monospace'].map((font) => {
      const context = (document.querySelector("canvas") as HTMLCanvasElement).getContext("2d");
      if (!context) return 0;
      context.font = `40px ${font}`;
      return context.measureText("iiiiWWWW").width;
    }),
  );
  test.skip(wide[0] === wide[1], "the pictures are made with the fonts DejaVu, which are not on this machine");
});

test("lists of one and of fifty", async ({ browser }) => {
  await mock.start("one");
  const one = await mock.gallery(browser);
  await one.shoot("list-one", async (page, phone) => {
    await page.goto(mock.at("/"));
    if (phone) await expect(page.locator(".row")).toHaveCount(1);
    else await live(page);
  });
  mock.end();
  await mock.start("fifty");
  const { shoot } = await mock.gallery(browser);
  const list = async (page: Page) => {
    await page.goto(mock.at("/"));
    await expect(page.locator(".row").first()).toBeVisible();
  };
  await shoot("list-fifty", list);
  await shoot("list-end", async (page) => {
    await page.locator(".scroll").first().evaluate((el) => el.scrollTo(0, el.scrollHeight));
  });
  await shoot("list-more", async (page) => {
    await page.locator(".more").click();
    await expect(page.locator(".more")).toContainText("Show fewer");
    await page.locator(".more").scrollIntoViewIfNeeded();
  });
  await shoot("why", async (page, phone) => {
    await list(page);
    const row = page.locator(".row", { hasText: "Drop the legacy" });
    if (phone) await row.getByRole("button").tap();
    else {
      await row.focus();
      await page.keyboard.press("i");
    }
    await expect(page.locator(".why")).toContainText("assistant turn open");
  });
  await shoot("list-none", async (page, phone) => {
    await list(page);
    if (phone) await page.locator("#filter").fill("agent:aider repo:ledger");
    else await page.goto(mock.at("/?q=agent%3Aaider%20repo%3Aledger"));
    await expect(page.getByText("No session matches")).toBeVisible();
  });
  await shoot("selected-several", async (page, phone) => {
    await list(page);
    await page.getByRole("button", { name: "Select", exact: true }).click();
    for (const title of ["Split the billing", "Move the map", "Type the event"]) {
      const row = page.locator(".row", { hasText: title });
      if (phone) await row.tap();
      else await row.getByRole("checkbox").check();
    }
    await expect(page.locator(".picks")).toContainText("3 selected");
  });
  await shoot("selected-none", async (page) => {
    await list(page);
    await page.getByRole("button", { name: "Select", exact: true }).click();
    await expect(page.locator(".picks")).toContainText("None selected");
  });
});

test("a session in each state", async ({ browser }) => {
  await mock.start("many");
  const { shoot } = await mock.gallery(browser);
  const open = (id: string, tab = "terminal") => async (page: Page) => {
    await page.goto(mock.at(`/s/${id}/${tab}`));
    await expect(page.locator("#session-title")).toBeVisible();
    if (tab === "terminal" && (await page.locator(".term").count()) > 0) await live(page);
  };
  await shoot("state-permission", open("s010"));
  await shoot("state-question", open("s012"));
  await shoot("state-error", open("s013"));
  await shoot("state-working", open("s001"));
  await shoot("state-unknown", open("s015"));
  await shoot("state-done", open("s016"));
  await shoot("state-idle", open("s018"));
  await shoot("state-failed", open("s020"));
  await shoot("state-exited", open("s022"));
  await shoot("state-trashed", open("s023"));
  await shoot("details", async (page) => {
    await open("s001")(page);
    await page.getByRole("button", { name: "More actions" }).click();
    const aside = page.locator("aside");
    if (await aside.isVisible()) await page.keyboard.press("Escape");
    else await page.getByRole("menuitem", { name: "Details" }).click();
    await expect(aside).toBeVisible();
  });
  await shoot("rename", async (page) => {
    await open("s005")(page);
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Rename" }).click();
    await expect(page.getByRole("textbox", { name: "Title" })).toBeFocused();
  });
  for (const pending of ["pause", "hibernate"]) {
    await mock.make({ session: "s006", change: { pending } });
    await shoot(`pending-${pending}`, open("s006"));
  }
  const rest = { pending: null, pane: null };
  await mock.make({ session: "s006", change: { ...rest, state: "paused", kept: "Kept: the branch, 3 changed files, 2 untracked files." } });
  await shoot("state-paused", open("s006"));
  await mock.make({ session: "s006", change: { ...rest, state: "hibernated", kept: null } });
  await shoot("state-hibernated", open("s006"));
  await mock.make({ session: "s006", change: { ...rest, state: "creating", pending: "worktree", worktree: null } });
  await shoot("state-creating", open("s006"));
});

test("what can stand above a terminal", async ({ browser }) => {
  await mock.start("many");
  const { pages, shoot } = await mock.gallery(browser);
  const open = (id: string) => async (page: Page) => {
    await page.goto(mock.at(`/s/${id}/terminal`));
    await live(page);
  };
  await shoot("find", async (page) => {
    await open("s005")(page);
    await focus(page);
    await page.keyboard.press("Control+Shift+F");
    await page.getByRole("textbox", { name: "Search the output" }).fill("retry");
    await expect(page.locator(".findbar")).toBeVisible();
  });
  await shoot("find-none", async (page) => {
    await page.getByRole("textbox", { name: "Search the output" }).fill("nowhere");
    await expect(page.locator(".findbar")).toContainText("Not found");
  });
  await shoot("message", async (page) => {
    await open("s005")(page);
    await page.locator("#message").fill("When the tests pass, add a changelog line.\nPut it under Fixed.");
  });
  const frame = (session: string, frame: object) => mock.make({ session, frame });
  await shoot("lease", async (page) => {
    await open("s006")(page);
    await frame("s006", { type: "lease", holder: "Safari on iPhone" });
    await expect(page.locator(".banner")).toContainText("types now");
  });
  await shoot("skipped", async (page) => {
    await open("s007")(page);
    await frame("s007", { type: "resync", reason: "slow" });
    await page.waitForTimeout(400);
  });
  await shoot("clipboard", async (page) => {
    await open("s008")(page);
    await focus(page);
    await page.keyboard.press("Enter");
    const text = Buffer.from("git push --force origin main").toString("base64");
    await mock.make({ session: "s008", output: `\x1b]52;c;${text}\x07` });
    await expect(page.locator(".banner")).toContainText("your clipboard");
  });
  await shoot("undo", async (page) => {
    await open("s009")(page);
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.waitForTimeout(900);
    await mock.make({ session: "s009", change: { state: "running", pending: null } });
  });
  for (const page of pages) await open("s010")(page);
  await mock.make({ refuse: true });
  await mock.make({ drop: "s010" });
  await shoot("reconnecting", async (page) => {
    await expect(page.locator(".banner")).toContainText("Reconnecting");
  });
  await mock.make({ refuse: false });
});

test("a diff of each kind", async ({ browser }) => {
  await mock.start("many");
  const { shoot } = await mock.gallery(browser);
  const file = (path: string, words: string) => async (page: Page) => {
    await page.goto(mock.at(`/s/s005/diff?file=${encodeURIComponent(path)}`));
    await expect(page.locator("#main")).toContainText(words);
  };
  await shoot("diff-hidden", file("src/upload/client.rs", "hidden character"));
  await shoot("diff-large", file("Cargo.lock", "Too large"));
  await shoot("diff-binary", file("tests/data/part-64mb.bin", "Binary file"));
  await shoot("diff-mode", file("scripts/run.sh", "Only its mode"));
  await shoot("diff-renamed", file("docs/upload.md", "docs/uploads.md"));
  await shoot("diff-empty", async (page) => {
    await page.goto(mock.at("/s/s002/diff"));
    await expect(page.locator("#main")).toContainText("No changes against");
  });
  await shoot("diff-cut", async (page) => {
    await file("Cargo.lock", "Too large")(page);
    await page.getByRole("button", { name: "Show anyway" }).click();
    await expect(page.locator(".l.a").first()).toBeVisible();
  });
});

test("dialogs, settings and the trash", async ({ browser }) => {
  await mock.start("many");
  const { shoot } = await mock.gallery(browser);
  const create = async (page: Page, phone: boolean) => {
    await page.goto(mock.at("/"));
    await expect(page.locator(".row").first()).toBeVisible();
    await page.getByRole("button", { name: phone ? "New" : "New session" }).first().click();
    await expect(page.locator("#f-repo")).not.toHaveValue("");
    await page.locator("#f-prompt").fill("Send a digest e-mail each Monday. Use the job queue that we have.");
  };
  const form = (page: Page) => page.locator(".form");
  const end = (page: Page) => form(page).evaluate((el) => el.scrollTo(0, el.scrollHeight));
  for (const [name, words] of [["branch", "Existing branch"], ["worktree", "Existing worktree"], ["in-place", "In place"]] as const)
    await shoot(`create-${name}`, async (page, phone) => {
      await create(page, phone);
      await form(page).locator("label", { hasText: words }).click();
      if (phone) await page.locator("#f-title").scrollIntoViewIfNeeded();
    });
  await shoot("create-more", async (page, phone) => {
    await create(page, phone);
    const more = page.getByRole("button", { name: "Tags, size, environment" });
    if (await more.isVisible()) await more.click();
    await end(page);
  });
  await shoot("create-missing", async (page, phone) => {
    await create(page, phone);
    await form(page).locator("label", { hasText: "aider" }).click();
  });
  await shoot("create-command", async (page, phone) => {
    await create(page, phone);
    await form(page).locator("label", { hasText: "Command…" }).click();
    await page.locator("#f-prompt").fill("");
  });
  await shoot("create-folder", async (page, phone) => {
    await create(page, phone);
    await page.locator("#f-repo").fill("/home");
    await expect(page.locator(".options")).toBeVisible();
  });
  await shoot("create-no-repository", async (page, phone) => {
    await create(page, phone);
    await page.locator("#f-repo").fill("/tmp/scratch");
    await expect(page.locator("#h-repo")).toContainText("folder itself");
    await page.locator("#f-repo").blur();
  });
  await shoot("fork", async (page) => {
    await page.goto(mock.at("/s/s005/terminal"));
    await live(page);
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Fork" }).click();
    await expect(page.getByRole("dialog", { name: "Fork" })).toBeVisible();
  });
  await shoot("stake", async (page) => {
    await page.goto(mock.at("/s/s005/terminal"));
    await live(page);
    await page.getByRole("button", { name: "More actions" }).click();
    await expect(page.getByRole("menuitem", { name: "Delete" })).toContainText("3 unstaged");
    await page.getByRole("menuitem", { name: "Delete" }).focus();
  });
  await shoot("settings-devices", async (page) => {
    await page.goto(mock.at("/settings"));
    await expect(page.getByText("Safari on iPhone")).toBeVisible();
    await page.locator(".page").evaluate((el) => el.scrollTo(0, el.scrollHeight));
  });
  await shoot("purge-typed", async (page) => {
    await page.goto(mock.at("/trash"));
    await page.getByRole("button", { name: "Purge" }).first().click();
    await page.locator("#purge-title").fill("Old spike");
    await expect(page.getByText("Gone for good")).toBeVisible();
  });
  await shoot("keys-session", async (page, phone) => {
    if (phone) return;
    await page.goto(mock.at("/s/s005/terminal"));
    await live(page);
    await page.keyboard.press("?");
    await expect(page.getByRole("dialog", { name: "Keys" })).toBeVisible();
  });
  await shoot("lost", async (page) => {
    await page.goto(mock.at("/nowhere/at/all"));
    await expect(page.getByRole("heading", { name: "Nothing is here" })).toBeVisible();
  });
  await shoot("link-wrong", async (page) => {
    await page.evaluate(() => localStorage.clear());
    await page.goto(mock.at("/login#wrong"));
    await expect(page.getByRole("heading", { name: "The login did not work" })).toBeVisible();
  });
});
