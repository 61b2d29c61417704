import { describe, expect, it } from "vitest";
import type { AttentionState, SessionView } from "../src/api/types";
import {
  drawnOf,
  heightOf,
  heir,
  hold,
  idsOfRows,
  neighbour,
  type Row,
  rowByKey,
  rowsOf,
  stopOf,
} from "../src/list/rows";
import { hiddenCount, pieces, plain } from "../src/parts/hidden";
import { offsetsOf, seen } from "../src/parts/window";
import { BYS, type By, SORTS, type Sort } from "../src/state/arrange";
import { group, matcher } from "../src/state/groups";
import { parse, sessionPath } from "../src/state/router";
import { age, longAge, spokenAge } from "../src/state/time";

const at = (minute: number) => new Date(Date.UTC(2026, 7, 1, 12, minute)).toISOString();

function session(
  id: string,
  attention: AttentionState,
  minute: number,
  fields: Partial<SessionView> = {},
): SessionView {
  return {
    id,
    version: 1,
    title: `Title ${id}`,
    agent: "claude",
    command: ["claude"],
    repo: "/code/ledger",
    worktree: "/w",
    branch: "feat/x",
    base: "main",
    base_commit: null,
    kind: "worktree",
    state: "running",
    pending: null,
    attention: { state: attention, since: at(minute), source: "hook", confidence: 1, why: "", evidence: [] },
    tags: ["sprint"],
    pinned: false,
    notes: "",
    created_at: at(0),
    changed_at: at(minute),
    pane: null,
    exit: null,
    problem: null,
    messages: [],
    kept: null,
    parent: null,
    purge_at: null,
    wake_at: null,
    diff_stat: null,
    shipping: null,
    adopted: null,
    conversation: null,
    terminal_title: null,
    ...fields,
  };
}

const all = [
  session("w1", "working", 10),
  session("w2", "working", 20),
  session("e", "error", 1),
  session("p2", "permission", 30),
  session("p1", "permission", 5),
  session("q", "question", 2),
  session("x", "unknown", 3, { state: "exited" }),
  session("f", "unknown", 3, { state: "failed" }),
  session("t", "unknown", 3, { state: "trashed" }),
  session("going", "idle", 3, { pending: "trash" }),
];

describe("groups", () => {
  it("puts who needs you first: permission, question, error, who waits longest first", () => {
    const groups = group(all, "");
    expect(groups.map((g) => [g.name, g.ids])).toEqual([
      ["Needs you", ["p1", "p2", "q", "e"]],
      ["Working", ["w2", "w1"]],
      ["Failed", ["f"]],
      ["Ended", ["x"]],
    ]);
  });
  it("filters by words and by fields, all of which must fit", () => {
    expect(matcher("TITLE w1")(all[0] as SessionView)).toBe(true);
    expect(matcher("agent:claude tag:sprint")(all[0] as SessionView)).toBe(true);
    expect(matcher("agent:codex")(all[0] as SessionView)).toBe(false);
    expect(matcher("title:ledger")(all[0] as SessionView)).toBe(false);
    expect(group(all, "state:permission").map((g) => g.ids)).toEqual([["p1", "p2"]]);
  });
  it("puts what is pinned first in its group", () => {
    const pinned = session("w0", "working", 0, { pinned: true });
    expect(group([...all, pinned], "").find((g) => g.name === "Working")?.ids[0]).toBe("w0");
  });
});

describe("groups by choice", () => {
  const now = Date.UTC(2026, 7, 20, 12);
  const made = (id: string, fields: Partial<SessionView>, state: AttentionState = "idle") =>
    session(id, state, 1, fields);
  const names = (by: By, list: SessionView[], sort: Sort = "since") =>
    group(list, "", { by, sort }, now).map((g) => [g.name, g.ids]);
  it("keep who needs you first, in the order of need, whatever the groups and the order are", () => {
    for (const by of BYS)
      for (const sort of SORTS) {
        const [first] = group(all, "", { by, sort }, now);
        expect([first?.key, first?.name, first?.ids], `${by} ${sort}`).toEqual([
          "Needs you",
          "Needs you",
          ["p1", "p2", "q", "e"],
        ]);
      }
  });
  it("put each session into one group, with those that have none at the end", () => {
    const list = [
      made("a", { tags: ["web", "core"], branch: null, agent: "codex" }),
      made("b", { tags: [], branch: "b10" }),
      made("c", { tags: ["web"], branch: "b9" }),
    ];
    expect(names("tag", list)).toEqual([
      ["core", ["a"]],
      ["web", ["c"]],
      ["No tag", ["b"]],
    ]);
    expect(names("branch", list)).toEqual([
      ["b9", ["c"]],
      ["b10", ["b"]],
      ["No branch", ["a"]],
    ]);
    expect(names("agent", list)).toEqual([
      ["claude", ["b", "c"]],
      ["codex", ["a"]],
    ]);
    expect(names("none", list)).toEqual([["All", ["a", "b", "c"]]]);
  });
  it("tell repositories in folders of one name apart", () => {
    const list = [
      made("a", { repo: "/code/one/api" }),
      made("b", { repo: "/code/two/api" }),
      made("c", { repo: "/old/two/api" }),
      made("d", { repo: "/code/web" }),
    ];
    expect(names("repository", list)).toEqual([
      ["one/api", ["a"]],
      ["code/two/api", ["b"]],
      ["old/two/api", ["c"]],
      ["web", ["d"]],
    ]);
  });
  it("are in a fixed order by kind and by age", () => {
    const list = [
      made("a", { kind: "adopted", created_at: new Date(now - 60_000).toISOString() }),
      made("b", { kind: "in-place", created_at: new Date(now - 3 * 86_400_000).toISOString() }),
      made("c", { created_at: new Date(now - 30 * 86_400_000).toISOString() }),
    ];
    expect(names("kind", list).map(([name]) => name)).toEqual(["Own worktree", "In place", "Adopted"]);
    expect(names("age", list).map(([, ids]) => ids)).toEqual([["a"], ["b"], ["c"]]);
  });
  it("are not the groups of a state of the same name", () => {
    const [group1] = group([made("a", { agent: "Hibernated" })], "", { by: "agent", sort: "since" }, now);
    expect(group1).toMatchObject({ name: "Hibernated", key: "agent:Hibernated" });
  });
  it("are sorted by choice, with what is pinned first", () => {
    const seen = { source: "hook" as const, says: "x" };
    const list = [
      made("a", { title: "Task 10", created_at: at(3), changed_at: at(3) }),
      made("b", { title: "task 9", created_at: at(9), changed_at: at(9) }),
      made("c", { title: "Zebra", created_at: at(5), changed_at: at(5), pinned: true }),
    ];
    const late = list[0] as SessionView;
    list[0] = { ...late, attention: { ...late.attention, evidence: [{ ...seen, at: at(50) }] } };
    expect(names("none", list, "title")).toEqual([["All", ["c", "b", "a"]]]);
    expect(names("none", list, "created")).toEqual([["All", ["c", "b", "a"]]]);
    expect(names("none", list, "activity")).toEqual([["All", ["c", "a", "b"]]]);
  });
});

describe("rows", () => {
  const byId = new Map(all.map((s) => [s.id, s]));
  const groups = group(all, "");
  it("has heads, leaves out closed groups, and none for a single session", () => {
    const rows = rowsOf(groups, byId, { closed: ["Working"] });
    expect(rows.filter((r) => r.kind === "session")).toHaveLength(6);
    expect(rows.filter((r) => r.kind === "group").map((r) => r.closed)).toEqual([false, true, false, false]);
    expect(rowsOf(group(all.slice(0, 1), ""), byId)).toHaveLength(1);
  });
  it("finds the next and the previous session over the heads", () => {
    const rows = rowsOf(groups, byId);
    expect(neighbour(rows, "e", 1)).toBe("w2");
    expect(neighbour(rows, "w2", -1)).toBe("e");
    expect(neighbour(rows, null, 1)).toBe("p1");
    expect(neighbour(rows, "x", 1)).toBe("x");
    expect(neighbour([], null, 1)).toBeNull();
  });
  it("let the Tab key in, whatever is closed", () => {
    const rows = rowsOf(groups, byId);
    expect(stopOf(rows, "w1")).toMatchObject({ id: "w1" });
    expect(stopOf(rows, "elsewhere")).toMatchObject({ id: "p1" });
    const shut = rowsOf(groups, byId, { closed: groups.map((g) => g.name) });
    expect(stopOf(shut, "w1")).toMatchObject({ kind: "group", name: "Needs you" });
    expect(stopOf([], null)).toBeUndefined();
  });
  it("holds the order while it is pointed at", () => {
    const next = group(all.filter((s) => s.id !== "p1").concat(session("new", "permission", 1)), "");
    expect(hold(groups, next)[0]?.ids).toEqual(["p2", "q", "e"]);
  });
  it("draws only what is seen", () => {
    const rows = rowsOf(groups, byId);
    const offsets = offsetsOf(rows.map((r) => heightOf(r, false)));
    expect(offsets.at(-1)).toBe(28 + 4 * 66 + 33 + 2 * 42 + 33 + 66 + 33 + 24);
    const many = offsetsOf(Array.from({ length: 1000 }, () => 20));
    expect(seen(many, 10_000, 600, 0)).toEqual({ first: 500, end: 531 });
    expect(seen(many, 0, 600, 400)).toEqual({ first: 0, end: 51 });
    expect(seen([0], 0, 600)).toEqual({ first: 0, end: 0 });
  });
});

describe("a long group", () => {
  const idle = Array.from({ length: 25 }, (_, i) => session(`i${i}`, "idle", 59 - i));
  const list = [...idle, session("w", "working", 1), session("h", "idle", 1, { state: "hibernated" })];
  const byId = new Map(list.map((s) => [s.id, s]));
  const groups = group(list, "");
  const ids = (rows: Row[]) => idsOfRows(rows).filter((id) => id.startsWith("i"));
  const end = (rows: Row[]) => rows.find((row) => row.kind === "more");
  it("shows its first eight where there are many, and tells of the others", () => {
    const rows = rowsOf(groups, byId);
    expect(ids(rows)).toEqual(["i0", "i1", "i2", "i3", "i4", "i5", "i6", "i7"]);
    expect(end(rows)).toEqual({ kind: "more", group: "Idle", name: "Idle", hidden: 17, next: "i8" });
    const head = rows.find((row) => row.kind === "group" && row.key === "Idle");
    expect(head).toMatchObject({ count: 25 });
  });
  it("shows all by choice, and can be made short again", () => {
    const rows = rowsOf(groups, byId, { full: ["Idle"] });
    expect(ids(rows)).toHaveLength(25);
    expect(end(rows)).toMatchObject({ hidden: 0, next: null });
  });
  it("never leaves out the session that is open, nor what fits a filter", () => {
    expect(ids(rowsOf(groups, byId, { selected: "i20" }))).toHaveLength(9);
    expect(ids(rowsOf(groups, byId, { selected: "i20" })).at(-1)).toBe("i20");
    const found = rowsOf(group(list, "title:i"), byId, { filtered: true });
    expect(end(found)).toBeUndefined();
    expect(ids(found)).toHaveLength(25);
  });
  it("is not short where there are few, or one more would take its last row", () => {
    const few = list.filter((s) => !idle.slice(0, 10).includes(s));
    expect(end(rowsOf(group(few, ""), byId))).toBeUndefined();
    const nine = [
      ...idle.slice(0, 9),
      ...Array.from({ length: 20 }, (_, i) => session(`w${i}`, "working", 1)),
    ];
    expect(end(rowsOf(group(nine, ""), new Map(nine.map((s) => [s.id, s]))))).toBeUndefined();
  });
});

describe("the focus in a list of which a part is drawn", () => {
  const list = Array.from({ length: 500 }, (_, i) => session(`n${i}`, "done", 59 - (i % 60)));
  const rows = rowsOf(group(list, ""), new Map(list.map((s) => [s.id, s])));
  const offsets = offsetsOf(rows.map((row) => heightOf(row, false)));
  const to = (key: string, at: number) => rowByKey(key, at, rows, offsets, 600);
  it("goes by one, by a page, to the ends, and to the head of the group", () => {
    expect(["ArrowDown", "ArrowUp", "Home", "End", "ArrowLeft"].map((key) => to(key, 250))).toEqual([
      251, 249, 0, 500, 0,
    ]);
    expect(to("PageDown", 250)).toBe(264);
    expect(to("PageUp", 250)).toBe(236);
    expect([to("PageDown", 499), to("PageUp", 1), to("ArrowDown", 500), to("ArrowUp", 0)]).toEqual([
      500, 0, 500, 0,
    ]);
    expect([to("x", 250), to("ArrowLeft", 0)]).toEqual([null, null]);
  });
  it("keeps its row drawn, and the one that the Tab key comes to", () => {
    expect(drawnOf({ first: 10, end: 13 }, [2, 11, 400, 400])).toEqual([2, 10, 11, 12, 400]);
    expect(drawnOf({ first: 0, end: 2 }, [-1])).toEqual([0, 1]);
    expect(stopOf(rows, "n3", "n400")).toMatchObject({ id: "n400" });
    expect(stopOf(rows, "n3", "gone")).toMatchObject({ id: "n3" });
  });
  it("goes to the next session when its row goes, at the end to the one before", () => {
    const few = rowsOf(groups3, new Map(all.map((s) => [s.id, s])));
    const ids = few.map((row) => (row.kind === "session" ? row.id : row.kind));
    expect(ids).toEqual(["group", "p1", "p2", "group", "w2"]);
    expect(heir(few, 2)).toMatchObject({ id: "p2" });
    expect(heir(few, 3)).toMatchObject({ id: "w2" });
    expect(heir(few, 5)).toMatchObject({ id: "w2" });
    expect(heir(few.slice(0, 1), 1)).toMatchObject({ kind: "group" });
    expect(heir([], 0)).toBeUndefined();
  });
});

const groups3 = [
  { key: "Needs you", name: "Needs you", ids: ["p1", "p2"] },
  { key: "Working", name: "Working", ids: ["w2"] },
];

describe("ages", () => {
  it("have one unit in lists and full words for who listens", () => {
    expect([5e3, 65e3, 3.7e6, 9e7].map(age)).toEqual(["5s", "1m", "1h", "1d"]);
    expect(spokenAge(38e3)).toBe("38 seconds");
    expect(spokenAge(61e3)).toBe("1 minute");
    expect(longAge(134e3)).toBe("2m 14s");
    expect(age(Number.NaN)).toBe("");
    expect(age(-5)).toBe("0s");
  });
});

describe("hidden characters", () => {
  it("are drawn as code points, also controls and tags", () => {
    expect(pieces("a\u200bb")).toEqual([
      { text: "a" },
      { code: "U+200B", name: "zero-width space" },
      { text: "b" },
    ]);
    expect(hiddenCount("x\u202ey\u0007\u{e0041}\ufeff")).toBe(4);
  });
  it("are not what belongs to a text", () => {
    expect(hiddenCount("tab\there, ä, 日本, a\u0301")).toBe(0);
    expect(hiddenCount("👩‍💻 ❤️ ❤︎ 👍🏽 1️⃣ 👩🏽‍❤️‍👨🏿")).toBe(0);
  });
  it("are joiners and selectors too, outside emoji", () => {
    expect(hiddenCount("ad\u200dmin")).toBe(1);
    expect(hiddenCount("a\ufe00\ufe07\ufe0e\ufe0f")).toBe(4);
    // One belongs to an emoji; a row of them is something written.
    expect(hiddenCount("😀\ufe0f\ufe0f\ufe0e")).toBe(2);
  });
  it("are all that the pattern speaks of", () => {
    const kinds = {
      controls: "\u0000\u0008\u000a\u001f\u007f\u009f",
      formats: "\u00ad\u061c\u200b\u200f\u2028\u202e\u2060\u206f\ufeff\ufff9\u{1bca0}\u{1d173}",
      fillers: "\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0",
      selectors: "\u180b\u180f\ufe00\ufe0f\u{e0100}\u{e01ef}",
      tags: "\u{e0001}\u{e0020}\u{e007f}",
    };
    for (const [kind, text] of Object.entries(kinds)) expect(hiddenCount(text), kind).toBe([...text].length);
  });
  it("need not be typed", () => {
    expect(plain("ti\u200btle\u202e")).toBe("title");
  });
});

describe("addresses", () => {
  it("restore the place, the selection, the tab, the filter and the file", () => {
    expect(parse("/", "").place).toEqual({ name: "sessions", id: null, tab: "terminal" });
    expect(parse("/s/abc", "").place).toEqual({ name: "sessions", id: "abc", tab: "terminal" });
    expect(parse("/s/a%2Fb/diff", "?q=x+y&file=src%2Fa.rs")).toEqual({
      place: { name: "sessions", id: "a/b", tab: "diff" },
      filter: "x y",
      by: null,
      sort: null,
      file: "src/a.rs",
      panes: [],
    });
    expect(parse("/", "?by=tag&sort=title")).toMatchObject({ by: "tag", sort: "title" });
    expect(parse("/", "?by=moon&sort=")).toMatchObject({ by: null, sort: null });
    expect(parse("/trash", "").place.name).toBe("trash");
    expect(parse("/s/a/nothing", "").place.name).toBe("lost");
    expect(parse("/s/%E0%A4%A/diff", "").place.name).toBe("sessions");
    expect(sessionPath("a/b", "diff")).toBe("/s/a%2Fb/diff");
  });
});
