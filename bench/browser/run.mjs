// The benches that need a browser: node run.mjs --qd PATH --qd-bench PATH --out DIR [--quick] [NAME...]
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { hour } from "./hour.mjs";
import { latency } from "./latency.mjs";
import { list } from "./list.mjs";
import { palette } from "./palette.mjs";
import { busy, switching } from "./many.mjs";
import { read, Sheet } from "./sheet.mjs";
import { echo, throughput } from "./terminal.mjs";

const BENCHES = {
  latency,
  palette,
  "browser-throughput": throughput,
  "browser-echo": echo,
  "browser-list": list,
  "browser-hour": hour,
  "browser-switching": switching,
  "browser-busy": busy,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    qd: { type: "string" },
    "qd-bench": { type: "string" },
    out: { type: "string", default: "bench/results" },
    run: { type: "string", default: "an unnamed run" },
    quick: { type: "boolean", default: false },
  },
});
const programs = { qd: resolve(values.qd), bench: resolve(values["qd-bench"]) };
mkdirSync(values.out, { recursive: true });
const rawRate = read(join(values.out, "latest.json")).find((m) => m.name === "throughput: to a viewer")?.value;
let failed = false;
for (const [name, bench] of Object.entries(BENCHES)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  console.error(name);
  const sheet = new Sheet(values.run);
  try {
    await bench(programs, values.quick, sheet, rawRate);
    sheet.save(join(values.out, "browser.json"));
  } catch (error) {
    console.error(`  failed: ${error.stack ?? error}`);
    failed = true;
  }
}
process.exitCode = failed ? 1 : 0;
