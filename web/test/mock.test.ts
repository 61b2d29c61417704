import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import * as all from "../src/api/calls";
import { Failure } from "../src/api/client";

const calls: Readonly<Record<string, unknown>> = { ...all };

/** Each call of the page, in an order in which all can be answered. */
const TRIED: [keyof typeof all, unknown[]][] = [
  ["login", ["demo", "Test"]],
  ["pair", []],
  ["getConfig", []],
  ["listDevices", []],
  ["revokeDevice", ["d2"]],
  ["listSessions", []],
  ["listTrash", []],
  ["getSession", ["s001"]],
  ["createSession", [{ repo: "/r", agent: "shell" }, "k"]],
  ["changeSession", ["s001", { title: "New" }]],
  ["sendInput", ["s001", { text: "hi", paste: true, enter: true }, "k"]],
  ["getLoss", ["s001"]],
  ["openShell", ["s001", "k"]],
  ["forkSession", ["s001", {}, "k"]],
  ["getShip", ["s001", true]],
  ["getRebuild", ["s001"]],
  ["getMerge", ["s001", "squash"]],
  ["shipCommit", ["s001", { message: "m" }]],
  ["shipRebuild", ["s001", "d"]],
  ["shipMerge", ["s001", { tip: "d", onto_commit: "e", way: "squash", with_foreign: false }]],
  ["shipPush", ["s001", { tip: "c", with_foreign: false }]],
  ["shipUndo", ["s001"]],
  ["shipStop", ["s001"]],
  ["getDiff", ["s001"]],
  ["getPatch", ["s001", { path: "src/upload/client.rs", old_path: null }, false]],
  ["listAgents", []],
  ["listRepos", []],
  ["listBranches", ["/home/you/code/ledger"]],
  ["listPaths", ["/home"]],
  ...["pause", "resume", "hibernate", "wake", "restart", "trash", "restore", "purge"].map(
    (action): [keyof typeof all, unknown[]] => ["actOn", ["s001", action]],
  ),
];

describe("the stand-in for the daemon", () => {
  let mock: ChildProcess;
  let url = "";
  beforeAll(async () => {
    const file = join(import.meta.dirname, "../mock/server.mjs");
    mock = spawn(process.execPath, [file, "--port", "0", "--scene", "one"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = (await once(createInterface({ input: mock.stdout as NodeJS.ReadableStream }), "line")) as [
      string,
    ];
    url = new URL(line).origin;
    const { fetch } = globalThis;
    vi.stubGlobal("fetch", (path: string, init: RequestInit) =>
      fetch(url + path, { ...init, headers: { ...init.headers, Authorization: "Bearer mock-token" } }),
    );
  });
  afterAll(() => {
    vi.unstubAllGlobals();
    mock.kill();
  });

  it("answers all that the page asks", async () => {
    expect([...new Set(TRIED.map(([name]) => name))].sort()).toEqual(Object.keys(calls).sort());
    const refused: string[] = [];
    for (const [name, args] of TRIED)
      await (calls[name] as (...args: unknown[]) => Promise<unknown>)(...args).catch((error: unknown) => {
        refused.push(
          `${name} ${args.join(" ")}: ${error instanceof Failure ? error.message : String(error)}`,
        );
      });
    expect(refused).toEqual([]);
  });
});
