import { defineConfig } from "@playwright/test";
import shots from "./shots.config.ts";

process.env.QD_PICTURES = "1";

/**
 * Compares the pictures of the list in `shots/states.spec.ts` with those that are kept, at a quarter of their size: a
 * place that moved, a colour or a line that is gone is seen there, how a letter is drawn is not.
 */
export default defineConfig({
  ...shots,
  testMatch: "states.spec.ts",
  grep: /lists of one and of fifty/,
  snapshotPathTemplate: "{testDir}/pictures/{arg}{ext}",
  expect: {
    timeout: 30_000,
    toHaveScreenshot: {
      stylePath: "shots/pictures.css",
      scale: "device",
      threshold: 0.15,
      maxDiffPixelRatio: 0.015,
    },
  },
});
