import { defineConfig } from "@playwright/test";
import base from "./playwright.config.ts";

export default defineConfig({
  ...base,
  testDir: "shots",
  workers: 1,
  timeout: 600_000,
  reporter: [["list"], ["./lib/count.ts"]],
});
