// A daemon in a home of its own. `end` leaves nothing behind.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { join } from "node:path";

const running = new Set();

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    for (const daemon of running) daemon.endNow();
    process.exit(1);
  });
}
process.on("exit", () => {
  for (const daemon of running) daemon.endNow();
});

export class Daemon {
  /** Short, because a socket's path has a limit. */
  home = mkdtempSync("/tmp/qdb-");
  env = {
    PATH: process.env.PATH,
    HOME: this.home,
    QD_HOME: this.home,
    LANG: "C.UTF-8",
    TERM: "xterm-256color",
    SHELL: "/bin/sh",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
  };
  serving = null;
  child = null;

  constructor(programs) {
    this.programs = programs;
    running.add(this);
  }

  /** Puts ended sessions on record; before the start. */
  fixture(count) {
    execFileSync(this.programs.bench, ["fixture", this.home, String(count)], { env: this.env });
  }

  async start() {
    const log = openSync(join(this.home, "bench.log"), "a");
    this.child = spawn(this.programs.qd, ["serve", "--listen", "127.0.0.1:0", "--json"], {
      cwd: this.home,
      env: this.env,
      stdio: ["ignore", "pipe", log],
    });
    closeSync(log);
    const lines = createInterface({ input: this.child.stdout });
    const line = await new Promise((done) => {
      lines.once("line", done);
      this.child.once("exit", () => done("{}"));
    });
    this.serving = JSON.parse(line);
    if (!this.serving.url) {
      throw new Error(`qd serve: ${line} ${readFileSync(join(this.home, "bench.log"), "utf8")}`);
    }
  }

  get token() {
    return readFileSync(join(this.home, "token"), "utf8").trim();
  }

  async call(method, path, body) {
    const headers = { authorization: `Bearer ${this.token}` };
    if (body) headers["content-type"] = "application/json";
    if (method === "POST") headers["idempotency-key"] = crypto.randomUUID();
    const url = `${this.serving.url}/api/v1${path}`;
    const answer = await fetch(url, { method, headers, body: body && JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text ? JSON.parse(text) : null;
  }

  /** Makes a session in the home that runs a program of the benches, and waits for a word on its screen. */
  async session(words, word = "ready") {
    const { id } = await this.call("POST", "/sessions", {
      repo: this.home,
      in_place: true,
      shared: true,
      command: [this.programs.bench, "program", ...words],
    });
    await this.until(async () => {
      const screen = await this.call("GET", `/sessions/${id}/screen`);
      return screen.lines.some((line) => line.includes(word));
    }, "the program is ready");
    return id;
  }

  async until(look, what) {
    const deadline = Date.now() + 120_000;
    for (;;) {
      if (await look()) return;
      if (Date.now() > deadline) throw new Error(`not within two minutes: ${what}`);
      await new Promise((done) => setTimeout(done, 20));
    }
  }

  async end() {
    if (this.child && this.child.exitCode === null && this.child.signalCode === null) {
      const gone = new Promise((done) => this.child.once("exit", done));
      this.child.kill("SIGTERM");
      const late = setTimeout(() => this.child.kill("SIGKILL"), 15_000);
      await gone;
      clearTimeout(late);
    }
    this.endNow();
  }

  /** Without waiting for anything to end well. */
  endNow() {
    this.child?.kill("SIGKILL");
    try {
      const socket = readFileSync(join(this.home, "tmux.path"), "utf8").trim();
      spawnSync("tmux", ["-S", socket, "kill-server"], { env: this.env });
    } catch {
      // It never came as far as a tmux server.
    }
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
    running.delete(this);
  }
}
