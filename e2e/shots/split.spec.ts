import { program } from "../lib/daemon.ts";
import { gallery } from "../lib/gallery.ts";
import { fakeAgents, showcase } from "../lib/showcase.ts";
import { expect, test } from "../lib/test.ts";

test("the split and the keys that are sent", async ({ device, daemon }) => {
  fakeAgents(daemon);
  await daemon.stop();
  await daemon.start();
  const main = await showcase(daemon);
  const other = await daemon.session("Watch the tests", program("print", JSON.stringify("$ make watch\r\n\x1b[32mok\x1b[0m 214 tests\r\n")));
  const { shoot } = await gallery(device);
  await shoot("split", async (page) => {
    await page.goto(`${daemon.url}/s/${main.id}/terminal?panes=${main.id},${other.id}`);
    await expect(page.locator(`[data-terminal="${main.id}"]`)).toHaveAttribute("data-status", "live");
  });
  await shoot("send-a-key", async (page) => {
    await page.getByRole("button", { name: "Terminal", exact: true }).click();
    await page.getByRole("menuitem", { name: /Send a key/ }).click();
    await expect(page.getByRole("dialog")).toBeVisible();
  });
});
