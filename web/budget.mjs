// The page must load fast: JavaScript without the terminal stays below 180 kB, compressed.
import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const MOST = 180_000;
const html = readFileSync("dist/index.html", "utf8");
const first = readdirSync("dist/assets").filter((name) => name.endsWith(".js") && html.includes(name));
const size = first.reduce((sum, name) => sum + gzipSync(readFileSync(`dist/assets/${name}`)).length, 0);
if (first.length === 0 || size > MOST) {
  console.error(`JavaScript of the first load: ${size} bytes compressed; ${MOST} are allowed.`);
  process.exit(1);
}
console.log(`JavaScript of the first load: ${size} of ${MOST} bytes compressed.`);
