import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

/** What a browser keeps, as far as the page uses it. */
class Storage {
  private readonly values = new Map<string, string>();
  getItem(key: string) {
    return this.values.get(key) ?? null;
  }
  setItem(key: string, value: string) {
    this.values.set(key, value);
  }
  removeItem(key: string) {
    this.values.delete(key);
  }
}

describe("the token", () => {
  let storage: Storage;
  let heard: (event: { key: string }) => void;
  beforeEach(() => {
    storage = new Storage();
    vi.resetModules();
    vi.stubGlobal("localStorage", storage);
    vi.stubGlobal("addEventListener", (_: string, listener: typeof heard) => {
      heard = listener;
    });
  });
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it("of another tab is not removed for an old one that was refused", async () => {
    const { access, keepToken, tokenRefused } = await import("../src/api/token");
    keepToken("old");
    storage.setItem("qd.token", "new");
    tokenRefused("old");
    expect(access.get()).toBe("refused");
    expect(storage.getItem("qd.token")).toBe("new");
  });

  it("is not dropped for one that is not in use any more", async () => {
    const { access, currentToken, keepToken, tokenRefused } = await import("../src/api/token");
    keepToken("old");
    keepToken("new");
    tokenRefused("old");
    expect(access.get()).toBe("ok");
    expect(currentToken()).toBe("new");
    tokenRefused("new");
    expect(access.get()).toBe("refused");
    expect(storage.getItem("qd.token")).toBeNull();
  });

  it("follows a login and a logout in another tab", async () => {
    const { access, currentToken, followTabs } = await import("../src/api/token");
    followTabs();
    expect(access.get()).toBe("missing");
    storage.setItem("qd.token", "theirs");
    heard({ key: "qd.token" });
    expect(access.get()).toBe("ok");
    expect(currentToken()).toBe("theirs");
    storage.removeItem("qd.token");
    heard({ key: "qd.token" });
    expect(access.get()).toBe("missing");
  });

  it("of a proxy's 502 is kept, and the action may have been done", async () => {
    const { isAnswered, request } = await import("../src/api/client");
    const reply =
      (status: number, body = "") =>
      async () =>
        new Response(body, { status });
    for (const [status, body, answered] of [
      [502, "", false],
      [503, "", false],
      [504, "<html>", false],
      [503, '{"code":"daemon_stopping","title":"It stops."}', true],
      [409, '{"code":"state_conflict","title":"No."}', true],
    ] as const) {
      vi.stubGlobal("fetch", reply(status, body));
      const error = await request("/sessions").catch((e: unknown) => e);
      expect(isAnswered(error), `${status} ${body}`).toBe(answered);
    }
  });
});

describe("what is kept for a reload", () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });
  it("is there for the next page of the tab", async () => {
    vi.stubGlobal("sessionStorage", new Storage());
    const { createKeptStore } = await import("../src/state/store");
    createKeptStore("k", { task: "", more: false }).set({ task: "half a task", more: false });
    expect(createKeptStore("k", { task: "", more: true }).get()).toEqual({
      task: "half a task",
      more: false,
    });
  });
});
