import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Action, SessionView } from "../src/api/types";

vi.mock("../src/api/calls", () => ({
  actOn: vi.fn(),
  getLoss: vi.fn(() => Promise.reject(new Error("not asked for"))),
  getSession: vi.fn(() => Promise.reject(new Error("not asked for"))),
  listSessions: vi.fn(),
  listTrash: vi.fn(),
}));

const { actOn } = await import("../src/api/calls");
const { act, actsOf, doingOf, goOnOf, perform, refusals, stripWords, undo, undoStrip, wordOf } = await import(
  "../src/state/acts"
);
const { canFork, hasFiles } = await import("../src/state/more");
const { Failure } = await import("../src/api/client");
const { keep, sessions, settled } = await import("../src/state/sessions");
const { groupOf, matcher, roomOf } = await import("../src/state/groups");
const { live } = await import("../src/api/stream");

const PROBLEM = { code: "path_taken", title: "The place is taken.", hint: "Move it." };

function session(fields: Partial<SessionView> = {}): SessionView {
  return {
    id: "k1",
    version: 1,
    title: "Work",
    state: "running",
    pending: null,
    attention: { state: "idle", since: "", source: "none", confidence: 0, why: "", evidence: [] },
    problem: null,
    kept: null,
    exit: null,
    tags: [],
    repo: "/r",
    branch: null,
    agent: "claude",
    ...fields,
  } as SessionView;
}

const answer = (state: string) =>
  vi
    .mocked(actOn)
    .mockImplementation(async (id, step) => ({ id: `${id}-${step}`, session: id, step, of: 1, state }));
const flush = () => new Promise((done) => setTimeout(done));

beforeEach(() => {
  vi.mocked(actOn).mockReset();
  answer("running");
  sessions.set((old) => ({ ...old, byId: new Map() }));
  undoStrip.set({ done: [], shown: 0, problem: null });
  refusals.set({});
  live.set((old) => ({ ...old, state: "live" }));
});
afterEach(() => vi.clearAllTimers());

describe("what can be done", () => {
  it("is what the daemon would do in that state, and nothing else", () => {
    const table: [Partial<SessionView>, Action[], Action | null][] = [
      [{ state: "running" }, ["pause", "hibernate", "restart"], null],
      [{ state: "running", pending: "pause" }, [], null],
      [{ state: "running", pending: "hibernate" }, ["wake"], "wake"],
      [{ state: "exited" }, ["restart", "pause"], "restart"],
      [{ state: "hibernated" }, ["wake", "pause"], "wake"],
      [{ state: "hibernated", pending: "wake" }, [], null],
      [{ state: "paused" }, ["resume"], "resume"],
      [{ state: "paused", pending: "resume" }, [], null],
      [{ state: "creating", pending: "start" }, [], null],
      [{ state: "failed", worktree: null }, [], null],
      [{ state: "failed", worktree: "/w" }, ["restart"], "restart"],
      [{ state: "trashed" }, [], null],
      [{ state: "running", kind: "adopted" }, [], null],
      [{ state: "exited", kind: "adopted" }, [], null],
    ];
    for (const [fields, acts, goOn] of table) {
      expect(actsOf(session(fields)), JSON.stringify(fields)).toEqual(acts);
      expect(goOnOf(session(fields)), JSON.stringify(fields)).toBe(goOn);
    }
  });
  it("of a pane of the person's own is only a shell beside it", () => {
    const own = session({ state: "running", kind: "adopted", worktree: "/w" });
    expect(hasFiles(own)).toBe(true);
    expect(canFork(own)).toBe(false);
    expect(canFork(session({ state: "running", worktree: "/w" }))).toBe(true);
    perform(own, "pause");
    expect(actOn).not.toHaveBeenCalled();
  });
  it("is not asked for while the daemon is away, nor what cannot be done", () => {
    perform(session({ state: "paused" }), "hibernate");
    perform(session(), null);
    live.set((old) => ({ ...old, state: "offline" }));
    perform(session(), "pause");
    expect(actOn).not.toHaveBeenCalled();
  });
  it("is told in words, also while it goes on", () => {
    expect(wordOf(session({ state: "paused" }))).toBe("Paused");
    expect(wordOf(session({ state: "paused", pending: "resume" }))).toBe("Resuming");
    expect(wordOf(session({ state: "hibernated", pending: "wake" }))).toBe("Waking");
    expect(doingOf(session({ state: "creating", pending: "fetch" }))).toBeNull();
    expect(groupOf(session({ state: "paused" }))).toBe("Paused");
    expect(groupOf(session({ state: "hibernated" }))).toBe("Hibernated");
    expect(roomOf(session({ state: "paused" }))).toBe("rest");
    // The second line says what is under way.
    expect(roomOf(session({ state: "paused", pending: "resume" }))).toBe("work");
    expect(matcher("state:paused")(session({ state: "paused" }))).toBe(true);
    expect(matcher("state:idle")(session({ state: "paused" }))).toBe(false);
  });
});

describe("an action", () => {
  it("shows at once, and offers its undo until that is done", async () => {
    keep(session());
    const ends = act(session(), "pause");
    expect(sessions.get().byId.get("k1")?.pending).toBe("pause");
    await flush();
    const words = () => stripWords(undoStrip.get(), sessions.get().byId);
    expect(words()).toBe("“Work” is pausing");
    keep(session({ version: 2, pending: "pause" }));
    keep(session({ version: 3, state: "paused" }));
    expect(await ends).toBeNull();
    expect(words()).toBe("“Work” is paused");
    const back = undo();
    await flush();
    expect(actOn).toHaveBeenLastCalledWith("k1", "resume");
    expect(words()).toBe("");
    keep(session({ version: 9 }));
    expect((await back).map(({ one, problem }) => [one.id, problem])).toEqual([["k1", null]]);
  });
  it("that is undone too early is undone when it is done", async () => {
    keep(session());
    void act(session(), "hibernate");
    await flush();
    keep(session({ version: 2, pending: "hibernate" }));
    void undo();
    await flush();
    expect(actOn).toHaveBeenCalledTimes(1);
    keep(session({ version: 3, state: "hibernated" }));
    await flush();
    expect(actOn).toHaveBeenLastCalledWith("k1", "wake");
  });
  it("that the daemon refuses says why, and leaves no undo", async () => {
    vi.mocked(actOn).mockRejectedValue(new Failure(409, PROBLEM));
    keep(session());
    expect(await act(session(), "pause")).toEqual(PROBLEM);
    expect(refusals.get().k1).toEqual(PROBLEM);
    expect(undoStrip.get()).toMatchObject({ done: [], shown: 0 });
  });
  it("that fails on the way is told, and cannot be undone", async () => {
    keep(session());
    const ends = act(session(), "pause");
    await flush();
    keep(session({ version: 4, state: "exited", problem: PROBLEM }));
    expect(await ends).toEqual(PROBLEM);
    expect(undoStrip.get()).toMatchObject({ done: [], shown: 0 });
  });
  it("is not held for failed because of a problem from before", async () => {
    keep(session({ problem: PROBLEM }));
    const ends = act(session(), "hibernate");
    await flush();
    keep(session({ version: 4, state: "hibernated", problem: PROBLEM }));
    expect(await ends).toBeNull();
    expect(undoStrip.get().done).toHaveLength(1);
  });
  it("on several of them is one strip", async () => {
    answer("done");
    for (const id of ["a", "b"]) await act(session({ id, title: id, state: "paused" }), "pause");
    expect(stripWords(undoStrip.get(), new Map())).toBe("2 sessions are paused");
    await act(session({ id: "c", title: "c", state: "hibernated" }), "hibernate");
    expect(stripWords(undoStrip.get(), new Map())).toBe("“c” is hibernated; 3 can be undone");
  });
});

describe("waiting for the end", () => {
  it("does not take what was there before for it", async () => {
    const seen = vi.fn();
    keep(session({ version: 5 }));
    void settled("k1", 5).then(seen);
    // What was on its way before the daemon heard of it.
    keep(session({ version: 5 }));
    await flush();
    expect(seen).not.toHaveBeenCalled();
    keep(session({ version: 6, state: "paused" }));
    await flush();
    expect(seen).toHaveBeenCalledOnce();
  });
});
