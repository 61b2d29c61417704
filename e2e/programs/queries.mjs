// Waits for a key, asks the terminal all that it is given, and records every byte that it reads.
import { appendFileSync, writeFileSync } from "node:fs";

const [file, questions] = process.argv.slice(2);
writeFileSync(file, "");
process.stdin.setRawMode(true);
process.stdout.write("ready\r\n");
process.stdin.once("data", () => {
  process.stdin.on("data", (bytes) => appendFileSync(file, bytes));
  process.stdout.write(`${JSON.parse(questions)}asked\r\n`);
});
