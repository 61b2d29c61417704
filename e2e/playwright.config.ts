import { defineConfig } from "@playwright/test";
import { launchOptions } from "./lib/chromium.ts";

/** The report that the registry of features reads. */
const report = process.env.PLAYWRIGHT_JSON_OUTPUT_NAME ?? "results/results.json";

export default defineConfig({
  testDir: "tests",
  outputDir: "results/output",
  globalSetup: "./lib/build.ts",
  fullyParallel: true,
  workers: 2,
  retries: 0,
  forbidOnly: !!process.env.CI,
  // A busy machine is slow: the limits only end what hangs.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  reporter: [["list"], ["json", { outputFile: report }], ["./lib/count.ts"]],
  use: {
    launchOptions,
    viewport: { width: 1440, height: 900 },
    colorScheme: "dark",
    // What a service worker kept is nothing that a test of something else should meet.
    serviceWorkers: "block",
    actionTimeout: 30_000,
    navigationTimeout: 60_000,
    permissions: ["clipboard-read", "clipboard-write"],
    screenshot: "only-on-failure",
    trace: "off",
  },
});
