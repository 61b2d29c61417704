// Tells every byte that it reads, as text with escapes: `got <text>`. Ends with `q` at a line of its own.
//   node keys.mjs [FILE] [--paste] [--app-cursor] [--whole-screen] [--ask QUERIES]
import { appendFileSync, writeFileSync } from "node:fs";

const [file, ...flags] = process.argv.slice(2);
if (file) writeFileSync(file, "");
process.stdin.setRawMode?.(true);
if (flags.includes("--paste")) process.stdout.write("\x1b[?2004h");
if (flags.includes("--app-cursor")) process.stdout.write("\x1b[?1h");
if (flags.includes("--whole-screen")) process.stdout.write("\x1b[?1049h");
const ask = flags.indexOf("--ask");
if (ask >= 0) process.stdout.write(JSON.parse(flags[ask + 1]));
process.stdout.write("ready\r\n");
process.stdin.on("data", (bytes) => {
  if (file) appendFileSync(file, bytes);
  process.stdout.write(`got ${JSON.stringify(bytes.toString("utf8"))}\r\n`);
});
