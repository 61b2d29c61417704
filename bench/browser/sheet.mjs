// Values as `qd-bench` writes them.
import { readFileSync, writeFileSync } from "node:fs";

export function percentile(values, percent) {
  const sorted = [...values].sort((a, b) => a - b);
  if (sorted.length === 0) return 0;
  const place = (percent / 100) * (sorted.length - 1);
  const below = sorted[Math.floor(place)];
  return below + (sorted[Math.ceil(place)] - below) * (place % 1);
}

export const median = (values) => percentile(values, 50);

/** The measures in a file; none when there is no such file. */
export function read(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return [];
  }
}

export class Sheet {
  measures = [];

  constructor(run) {
    this.run = run;
  }

  lower(bench, name, value, unit, more = {}) {
    this.put(bench, name, value, unit, "lower", more);
  }

  higher(bench, name, value, unit, more = {}) {
    this.put(bench, name, value, unit, "higher", more);
  }

  put(bench, name, value, unit, better, more) {
    console.error(`  ${name}: ${value.toFixed(2)} ${unit}`);
    this.measures.push({ group: "browser", name, value, unit, better, bench, run: this.run, ...more });
  }

  /** Puts the results of these benches in the place of the older ones. */
  save(file) {
    const fresh = new Set(this.measures.map((measure) => measure.bench));
    const all = [...read(file).filter((old) => !fresh.has(old.bench)), ...this.measures];
    writeFileSync(file, `${JSON.stringify(all, null, 2)}\n`);
  }
}
