import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Daemon } from "./daemon.ts";

/** Starts the daemon anew with programs of these names on its PATH; each writes down what it was asked. */
export async function agents(daemon: Daemon, ...names: string[]) {
  const bin = join(daemon.dir, "bin");
  mkdirSync(bin);
  for (const name of names) {
    const file = join(bin, name);
    writeFileSync(
      file,
      `#!/bin/sh\n[ "$1" = --version ] && { echo 1.0.0; exit 0; }\nprintf '%s\\n' "$@" >> "${daemon.dir}/${name}.asked"\nexec cat\n`,
    );
    chmodSync(file, 0o755);
  }
  daemon.env.PATH = `${bin}:${daemon.env.PATH}`;
  await daemon.stop();
  await daemon.start();
}

/** All that an agent was asked so far. */
export function asked(daemon: Daemon, name: string): string {
  const file = join(daemon.dir, `${name}.asked`);
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}
