import { beforeEach, describe, expect, it, vi } from "vitest";
import type { LossView, SessionView } from "../src/api/types";

vi.mock("../src/api/calls", () => ({
  actOn: vi.fn(),
  getLoss: vi.fn(() => Promise.reject(new Error("not asked for"))),
  getSession: vi.fn(() => Promise.reject(new Error("not asked for"))),
  listSessions: vi.fn(),
  listTrash: vi.fn(),
}));

const { actOn } = await import("../src/api/calls");
const { Failure } = await import("../src/api/client");
const { heldOf, stripWords, undo, undoStrip } = await import("../src/state/acts");
const { group } = await import("../src/state/groups");
const { filesWords, forGood, heldWords, stakeWords } = await import("../src/state/loss");
const { actOnAll, actsOfAll, endPicking, goOnOfAll, pick, picked, pickedOf, pickTo, refusedMany } =
  await import("../src/state/many");
const { keep, sessions } = await import("../src/state/sessions");
const { goOnTo, rowsOf } = await import("../src/list/rows");

function session(id: string, fields: Partial<SessionView> = {}): SessionView {
  return {
    id,
    version: 1,
    title: `Title ${id}`,
    state: "running",
    pending: null,
    attention: { state: "idle", since: "", source: "none", confidence: 0, why: "", evidence: [] },
    parent: null,
    problem: null,
    tags: [],
    repo: "/r",
    branch: null,
    agent: "claude",
    ...fields,
  } as SessionView;
}

const UNTIL = "2026-10-12T10:00:00Z";
function loss(fields: Partial<LossView> = {}): LossView {
  return {
    running: false,
    children: [],
    sharers: [],
    files: { staged: 0, unstaged: 1, untracked: 2, ignored: 0, at_least: false },
    commits: { count: 1, loose: 0, newest: [{ id: "0123456789abcdef", subject: "Mine" }] },
    branch: "qd/x",
    made_branch: true,
    kept: "The trash keeps it.",
    until: UNTIL,
    ...fields,
  };
}

const PROBLEM = { code: "path_taken", title: "The place is taken.", hint: "Move it." };

beforeEach(() => {
  endPicking();
  refusedMany.set(null);
  undoStrip.set({ done: [], shown: 0, problem: null });
  sessions.set((old) => ({ ...old, byId: new Map() }));
  vi.mocked(actOn)
    .mockReset()
    .mockImplementation(async (id, step) => ({ id, session: id, step, of: 1, state: "done" }));
});

describe("what is at stake", () => {
  it("is told by its kind, and only what there is", () => {
    expect(filesWords([loss()])).toBe("1 unstaged, 2 untracked files");
    const one = { staged: 1, unstaged: 0, untracked: 0, ignored: 0, at_least: false };
    expect(filesWords([loss({ files: one })])).toBe("1 staged file");
    expect(filesWords([loss({ files: { ...one, at_least: true } })])).toBe("1 staged file and more");
    expect(filesWords([loss({ files: { ...one, staged: 0 } })])).toBe("nothing uncommitted");
    expect(filesWords([loss({ files: null })])).toBeNull();
    expect(heldWords([loss()])).toMatch(
      /^Kept until 2026-10-1\d \d\d:\d\d: 1 unstaged, 2 untracked files, 1 commit not merged and not pushed\. The branch qd\/x stays\.$/,
    );
    expect(heldWords([loss(), loss()])).toContain("2 unstaged, 4 untracked files, 2 commits not");
    expect(heldWords([loss({ files: null, commits: null, branch: null, kept: "Left as it is." })])).toMatch(
      /\. Left as it is\.$/,
    );
  });
  it("says what ends, who goes along, and who is in the way", () => {
    const byId = new Map([["s", session("s")]]);
    expect(stakeWords(loss({ running: true, children: ["s"] }), byId)).toMatch(
      /^Ends its program\. “Title s” in its worktree goes with it\. Kept until/,
    );
    expect(stakeWords(loss({ sharers: ["s"] }), byId)).toBe(
      "It cannot go while others work in its worktree: “Title s”",
    );
  });
  it("is not gone where a branch names it", () => {
    expect(forGood(loss())).toEqual({
      gone: ["1 unstaged, 2 untracked files, not committed"],
      commits: [],
      stays: ["1 commit not merged and not pushed, on qd/x"],
    });
    const loose = forGood(loss({ commits: { count: 3, loose: 1, newest: [{ id: "a", subject: "b" }] } }));
    expect(loose.gone[1]).toBe("1 commit on no branch and on no remote; the newest that are not merged:");
    expect(loose.commits).toHaveLength(1);
    expect(loose.stays).toEqual(["2 commits not merged and not pushed, on qd/x"]);
  });
  it("is told with the undo once it is known of all", () => {
    const done = { id: "a", title: "a", act: "trash" as const, batch: 1, ran: true, shells: 1 };
    const strip = { done: [done, { ...done, id: "b" }], shown: 2, problem: null };
    expect(heldOf(strip, { a: loss() })).toBe("");
    expect(heldOf(strip, { a: loss(), b: loss() })).toMatch(
      /^2 programs ended\. 2 shells went with it\. Kept/,
    );
    expect(heldOf({ ...strip, shown: 0 }, { a: loss(), b: loss() })).toBe("");
  });
});

describe("selecting", () => {
  it("takes one in and out, and a range from where it began", () => {
    const rows = ["a", "b", "c", "d"];
    pick("b");
    pickTo(rows, "d", null);
    expect([...picked.get().ids]).toEqual(["b", "c", "d"]);
    pick("c");
    expect([...picked.get().ids]).toEqual(["b", "d"]);
    endPicking();
    pickTo(rows, "a", "c");
    expect([...picked.get().ids]).toEqual(["a", "b", "c"]);
  });
  it("forgets who is gone, and offers what all can take", () => {
    pick("a");
    pick("b");
    const byId = new Map([["a", session("a")]]);
    expect(pickedOf(picked.get(), byId)).toHaveLength(1);
    expect(actsOfAll([])).toEqual([]);
    expect(actsOfAll([session("a"), session("b")])).toEqual(["pause", "hibernate", "restart", "trash"]);
    expect(actsOfAll([session("a"), session("b", { state: "paused" })])).toEqual(["trash"]);
    expect(goOnOfAll([session("a", { state: "paused" }), session("b", { state: "paused" })])).toBe("resume");
    expect(goOnOfAll([session("a", { state: "paused" }), session("b", { state: "hibernated" })])).toBeNull();
  });
});

describe("an act on several", () => {
  it("tries each, tells who was refused, and is undone in one go", async () => {
    const all = ["a", "b", "c"].map((id) => session(id));
    for (const one of all) keep(one);
    vi.mocked(actOn).mockImplementation(async (id, step) => {
      if (id === "b") throw new Failure(409, PROBLEM);
      keep(session(id, { version: 2, state: step === "pause" ? "paused" : "running" }));
      return { id, session: id, step, of: 1, state: "done" };
    });
    await actOnAll(all, "pause");
    expect(refusedMany.get()).toEqual({
      words: "Pause: 1 of 3 refused",
      refused: [{ id: "b", title: "Title b", problem: PROBLEM }],
    });
    expect(stripWords(undoStrip.get(), sessions.get().byId)).toBe("2 sessions are paused");
    vi.mocked(actOn).mockClear();
    vi.mocked(actOn).mockImplementation(async (id, step) => {
      keep(session(id, { version: 3 }));
      return { id, session: id, step, of: 1, state: "done" };
    });
    expect(await undo()).toHaveLength(2);
    expect(
      vi
        .mocked(actOn)
        .mock.calls.map(([id, step]) => `${id} ${step}`)
        .sort(),
    ).toEqual(["a resume", "c resume"]);
    expect(undoStrip.get()).toMatchObject({ done: [], shown: 0 });
  });
  it("ends a shell before the session in whose files it works, and brings it back after", async () => {
    const order: string[] = [];
    vi.mocked(actOn).mockImplementation(async (id, step) => {
      order.push(`${id} ${step}`);
      const parent = id === "s" ? "p" : null;
      keep(
        session(id, { version: order.length + 1, parent, state: step === "trash" ? "trashed" : "running" }),
      );
      return { id, session: id, step, of: 1, state: "done" };
    });
    const all = [session("p"), session("s", { parent: "p" })];
    for (const one of all) keep(one);
    await actOnAll(all, "trash");
    await undo();
    expect(order).toEqual(["s trash", "p trash", "p restore", "s restore"]);
  });
});

describe("a shell in the list", () => {
  const rows = (all: SessionView[]) =>
    rowsOf(group(all, ""), new Map(all.map((one) => [one.id, one]))).flatMap((row) =>
      row.kind === "session" ? [`${row.below ? "  " : ""}${row.id}`] : [row.name],
    );
  const at = (state: SessionView["attention"]["state"]) => ({ ...session("").attention, state });
  it("stands below its session", () => {
    const parent = session("p");
    expect(rows([session("s", { parent: "p", attention: at("unknown") }), parent, session("z")])).toEqual([
      "Idle",
      "p",
      "  s",
      "z",
    ]);
  });
  it("is not gone on to when its session goes", () => {
    const all = [session("a"), session("p"), session("s", { parent: "p" }), session("z")];
    const byId = new Map(all.map((one) => [one.id, one]));
    const list = rowsOf([{ key: "Idle", name: "Idle", ids: ["a", "p", "s", "z"] }], byId);
    expect(goOnTo(list, "p", new Set(["p"]), byId)).toBe("z");
    expect(goOnTo(list, "p", new Set(["p", "z"]), byId)).toBe("a");
    expect(goOnTo(list, "p", new Set(["a", "p", "z"]), byId)).toBeNull();
  });
  it("stands by itself where it would be overlooked, or its session is not there", () => {
    const shell = session("s", { parent: "p", attention: at("permission") });
    expect(rows([session("p"), shell])).toEqual(["Needs you", "s", "Idle", "p"]);
    const runs = session("s", { parent: "p", attention: at("unknown") });
    expect(rows([session("p", { state: "hibernated" }), runs])).toEqual(["Running", "s", "Hibernated", "p"]);
    expect(rows([runs, session("z")])).toEqual(["Running", "s", "Idle", "z"]);
  });
});
