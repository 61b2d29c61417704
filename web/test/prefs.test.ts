import { beforeEach, describe, expect, it, vi } from "vitest";

describe("what a device prefers", () => {
  let kept: Map<string, string>;
  const listeners: ((event: { key: string | null }) => void)[] = [];
  beforeEach(() => {
    kept = new Map([["qd.prefs", JSON.stringify({ theme: "dark", fontSize: 13 })]]);
    listeners.length = 0;
    vi.resetModules();
    vi.stubGlobal("localStorage", {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, text: string) => void kept.set(key, text),
    });
    vi.stubGlobal("addEventListener", (_name: string, listener: (event: { key: string | null }) => void) =>
      listeners.push(listener),
    );
  });
  const inStore = () => JSON.parse(kept.get("qd.prefs") ?? "{}") as Record<string, unknown>;

  it("is taken over from another tab, and not written back", async () => {
    const { prefs, followPrefs } = await import("../src/state/prefs");
    followPrefs();
    const theirs = JSON.stringify({ theme: "light", fontSize: 15 });
    kept.set("qd.prefs", theirs);
    for (const listener of listeners) listener({ key: "qd.draft" });
    expect(prefs.get().theme).toBe("dark");
    for (const listener of listeners) listener({ key: "qd.prefs" });
    expect(prefs.get()).toMatchObject({ theme: "light", fontSize: 15 });
    prefs.set((old) => ({ ...old, fontSize: 16 }));
    expect(inStore()).toMatchObject({ theme: "light", fontSize: 16 });
  });

  it("keeps the choice of another tab also when that was not told yet", async () => {
    const { prefs } = await import("../src/state/prefs");
    kept.set("qd.prefs", JSON.stringify({ theme: "light", fontSize: 13 }));
    prefs.set((old) => ({ ...old, fontSize: 16 }));
    expect(inStore()).toMatchObject({ theme: "light", fontSize: 16 });
  });
});
