// The stand-in for the daemon: many sessions of all states, and events of them as fast as they are wanted.
import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { createInterface } from "node:readline";

const SERVER = resolve(import.meta.dirname, "../../web/mock/server.mjs");

/** Runs something with a stand-in that has so many sessions, and ends it. */
export async function withMock(count, work) {
  const child = spawn(process.execPath, [SERVER, "--port", "0", "--scene", String(count)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const lines = createInterface({ input: child.stdout });
    const login = await new Promise((done, fail) => {
      lines.once("line", done);
      child.once("exit", () => fail(new Error("the stand-in did not serve")));
    });
    return await work(new Mock(login));
  } finally {
    child.kill();
  }
}

class Mock {
  constructor(login) {
    this.login = login;
  }

  at(path) {
    return new URL(path, this.login).href;
  }

  /** Makes something happen, such as `{ session, change }` or `{ session, output }`. */
  async make(body) {
    await fetch(this.at("/mock"), { method: "POST", body: JSON.stringify(body) });
  }

  async call(method, path, body) {
    const headers = { authorization: "Bearer mock-token" };
    const answer = await fetch(this.at(`/api/v1${path}`), { method, headers, body: body && JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status}`);
    const text = await answer.text();
    return text ? JSON.parse(text) : null;
  }

  /** A page that is logged in. */
  async enter(context) {
    const page = await context.newPage();
    await page.goto(this.login);
    await page.waitForSelector(".app");
    return page;
  }
}
