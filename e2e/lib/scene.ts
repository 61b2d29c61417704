import { type Daemon, type Session, program } from "./daemon.ts";

export interface Scene {
  main: Session;
  ended: Session;
}

/** Sessions of several states, one with a diff, one in the trash. */
export async function scene(daemon: Daemon): Promise<Scene> {
  const main = await daemon.session("Retry the upload with a backoff", program("print", JSON.stringify("$ make test\r\n\x1b[32mok\x1b[0m 12 tests\r\n")));
  const ended = await daemon.session("Count the rows", ["sh", "-c", "echo 42; exit 3"]);
  const gone = await daemon.session("Old spike", "cat");
  daemon.sh("printf 'one\\nTWO\\nthree\\nfour\\n' > src/a.txt; echo new > src/added.txt; printf '\\000' > image.bin; git mv src/old.txt src/new.txt", main.worktree);
  await daemon.qd("rm", gone.id);
  await daemon.qd("wait", ended.id, "--for", "exited", "--timeout", "60");
  return { main, ended };
}
