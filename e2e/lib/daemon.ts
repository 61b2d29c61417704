import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { join, resolve } from "node:path";

export const root = resolve(import.meta.dirname, "../..");
const target = resolve(root, process.env.CARGO_TARGET_DIR ?? "target");
/** With `QD_PAGE` set, the page is read from that folder of the repository, not from the program. */
export const page = process.env.QD_PAGE ? resolve(root, process.env.QD_PAGE) : null;
export const binary = process.env.QD_BIN ?? join(target, "debug/qd");

export interface Session {
  id: string;
  title: string;
  state: string;
  worktree: string;
  branch: string;
  exit: { code: number | null; signal: number | null } | null;
  pane: { id: string; cols: number; rows: number } | null;
}

export interface Screen {
  lines: string[];
  cols: number;
  rows: number;
  cursor: { x: number; y: number };
}

/** A daemon in a home of its own, with the real tmux and git. `end` leaves nothing behind. */
export class Daemon {
  /** Short, because a socket's path has a limit. */
  readonly dir = mkdtempSync("/tmp/qde-");
  readonly home = join(this.dir, "q");
  readonly env: NodeJS.ProcessEnv;
  /** The socket of a tmux that stands for a person's terminal. */
  readonly outer = join(this.dir, "outer");
  url = "";
  private child: ChildProcess | null = null;

  constructor() {
    const own = join(this.dir, "h");
    mkdirSync(own);
    this.env = {
      PATH: process.env.PATH,
      HOME: own,
      QD_HOME: this.home,
      LANG: "C.UTF-8",
      LC_ALL: "C.UTF-8",
      TERM: "xterm-256color",
      SHELL: "/bin/sh",
      PS1: "$ ",
      GIT_CONFIG_NOSYSTEM: "1",
    };
    writeFileSync(
      join(own, ".gitconfig"),
      "[user]\n\tname = Test\n\temail = test@example.org\n[init]\n\tdefaultBranch = main\n",
    );
  }

  /** Serves; on the port it had before, if it had one. */
  async start(more: string[] = []): Promise<void> {
    const port = this.url === "" ? "0" : new URL(this.url).port;
    const log = openSync(join(this.dir, "log"), "a");
    const child = spawn(binary, ["serve", "--listen", `127.0.0.1:${port}`, "--json", ...more], {
      env: this.env,
      stdio: ["ignore", "pipe", log],
    });
    closeSync(log);
    this.child = child;
    const line = await new Promise<string>((done, fail) => {
      const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
      lines.once("line", done);
      lines.once("close", () => fail(new Error(`the daemon did not serve: ${this.log()}`)));
      child.once("error", fail);
    });
    const serving = JSON.parse(line) as { url?: string };
    if (!serving.url) throw new Error(`the daemon did not serve: ${line}`);
    this.url = serving.url;
  }

  /** Ends the daemon by its pid; the sessions go on. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    const child = this.child;
    this.child = null;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise<void>((done) => child.once("exit", () => done()));
    child.kill(signal);
    const late = setTimeout(() => child.kill("SIGKILL"), 20_000);
    await ended;
    clearTimeout(late);
  }

  /** Ends the daemon, then tmux by its own socket, and removes the folder. */
  async end(): Promise<void> {
    try {
      await this.stop();
      for (const socket of [join(this.home, "run/tmux"), this.outer]) {
        if (!existsSync(socket)) continue;
        try {
          execFileSync("tmux", ["-S", socket, "kill-server"], { env: this.env, stdio: "ignore" });
        } catch {
          // It has ended by itself.
        }
      }
    } finally {
      await remove(this.dir);
    }
  }

  log(): string {
    try {
      return readFileSync(join(this.dir, "log"), "utf8").slice(-4000);
    } catch {
      return "";
    }
  }

  /** Runs a command of `qd`; its JSON. */
  qd<T = unknown>(...args: string[]): Promise<T> {
    return new Promise((done, fail) => {
      execFile(binary, ["--json", ...args], { env: this.env, maxBuffer: 1 << 28 }, (error, out, err) => {
        if (error) fail(new Error(`qd ${args.join(" ")}: ${out} ${err}`));
        else done((out.trim() === "" ? null : JSON.parse(out)) as T);
      });
    });
  }

  /** A new login link: good once. */
  async link(): Promise<string> {
    return (await this.qd<{ login_url: string }>()).login_url;
  }

  sh(script: string, cwd = this.dir): string {
    return execFileSync("/bin/sh", ["-euc", script], { cwd, env: this.env, encoding: "utf8", timeout: 60_000 });
  }

  /** A repository with a few files and one commit. */
  repo(name = "sample"): string {
    const path = join(this.dir, name);
    if (existsSync(path)) return path;
    mkdirSync(path);
    this.sh(
      `git init -q
       mkdir src docs
       printf 'one\\ntwo\\nthree\\n' > src/a.txt
       printf 'moved and kept\\nline\\nline\\nline\\n' > src/old.txt
       printf '\\000\\001\\002binary' > image.bin
       printf '#!/bin/sh\\necho hi\\n' > run.sh
       printf '# Sample\\n' > docs/README.md
       git add -A
       git commit -qm first`,
      path,
    );
    return path;
  }

  /** Makes a session that runs a command in a worktree of its own, and waits until it runs. */
  async session(title: string, command: string | string[], more: string[] = []): Promise<Session> {
    const words = typeof command === "string" ? command : command.map(quote).join(" ");
    const args = ["new", "--repo", this.repo(), "--title", title, "--command", words];
    return this.qd<Session>(...args, ...more, "--wait", "running,exited", "--timeout", "60");
  }

  /** What has happened to a session, by the names of the event log. */
  events(id: string): Promise<string[]> {
    return new Promise((done, fail) => {
      execFile(binary, ["--json", "events"], { env: this.env, maxBuffer: 1 << 28 }, (error, out) => {
        if (error) return fail(error);
        const records = out.split("\n").filter(Boolean).map((line) => JSON.parse(line) as { session: string; kind: string });
        done(records.filter((record) => record.session === id).map((record) => record.kind));
      });
    });
  }

  show(id: string): Promise<Session> {
    return this.qd<Session>("show", id);
  }

  /** Whether nothing is known of it any more, as after a purge. */
  isGone(id: string): Promise<boolean> {
    return this.show(id).then(
      () => false,
      (error: unknown) => /not_found|No session/i.test(String(error)),
    );
  }

  async screen(id: string): Promise<Screen> {
    return this.qd<Screen>("screen", id);
  }

  /** The screen as text, without the room at the ends of its lines. */
  async text(id: string): Promise<string> {
    return (await this.screen(id)).lines.map((line) => line.trimEnd()).join("\n").trimEnd();
  }
}

/** Programs that end now still write their last words into the folder. */
async function remove(dir: string): Promise<void> {
  const late = Date.now() + 30_000;
  for (;;) {
    try {
      return rmSync(dir, { recursive: true, force: true });
    } catch (error) {
      if (Date.now() > late) throw error;
      await new Promise((done) => setTimeout(done, 100));
    }
  }
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The command line of one of the programs in `programs/`, run by this Node. */
export function program(name: string, ...args: string[]): string[] {
  return [process.execPath, join(import.meta.dirname, "../programs", `${name}.mjs`), ...args];
}
