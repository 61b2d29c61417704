import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { binary, root } from "./daemon.ts";

/** The page, and the program with the page inside. With `QD_BIN` set, that program as it is. */
export default function build() {
  if (process.env.QD_BIN) return;
  const run = (command: string, args: string[], cwd: string) =>
    execFileSync(command, args, { cwd, stdio: ["ignore", "inherit", "inherit"] });
  const web = join(root, "web");
  if (!existsSync(join(web, "node_modules"))) run("npm", ["ci", "--no-audit", "--no-fund"], web);
  run("npm", ["run", "--silent", "build"], web);
  run("cargo", ["build", "--quiet", "--locked", "-p", "qd"], root);
  if (!existsSync(binary)) throw new Error(`${binary} was not built`);
}
