import { describe, expect, it, vi } from "vitest";
import { getDiff, getPatch } from "../src/api/calls";
import type { DiffFile, DiffReply, FilePatch } from "../src/api/types";
import { parsePatch, widest } from "../src/diff/parse";
import { DiffModel } from "../src/diff/state";
import { bytes, fileWord, treeRows } from "../src/diff/tree";
import { partners, wordDiff } from "../src/diff/words";

vi.mock("../src/api/calls", () => ({ getDiff: vi.fn(), getPatch: vi.fn() }));

const PATCH = `diff --git a/x b/x
--- a/x
+++ b/x
@@ -3,4 +3,5 @@ fn main
 same
-old line
+new line
+@@ not a head
 
\\ No newline at end of file
@@ -20 +21 @@
-a
+b
`;

describe("patches", () => {
  it("numbers lines on both sides", () => {
    const hunks = parsePatch(PATCH);
    expect(hunks).toHaveLength(2);
    expect(hunks[0]).toMatchObject({ context: "fn main", oldStart: 3, newStart: 3, skipped: 2 });
    expect(hunks[0]?.lines.map((l) => [l.kind, l.old, l.now, l.text])).toEqual([
      ["same", 3, 3, "same"],
      ["del", 4, null, "old line"],
      ["add", null, 4, "new line"],
      ["add", null, 5, "@@ not a head"],
      ["same", 5, 6, ""],
      ["note", null, null, "No newline at end of file"],
    ]);
    expect(hunks[1]).toMatchObject({ oldStart: 20, newStart: 21, skipped: 13 });
  });
  it("takes an empty patch, and keeps carriage returns", () => {
    expect(parsePatch("")).toEqual([]);
    expect(parsePatch("@@ -1 +1 @@\n-a\r\n+b\n")[0]?.lines[0]?.text).toBe("a\r");
  });
});

describe("a long patch", () => {
  it("has more lines than a call takes arguments", () => {
    const hunks = parsePatch(`@@ -0,0 +1,160001 @@\n+\ttab\n${"+x\n".repeat(160_000)}`);
    expect(widest(hunks)).toBe(7);
    expect(widest([])).toBe(0);
  });
});

describe("what was read of a diff", () => {
  const file = (path: string) => ({ path, old_path: null }) as DiffFile;
  const files = ["a", "b", "c", "d", "e"].map(file);
  const patch = (path: string, text: string) => ({ path, patch: text, truncated: false }) as FilePatch;
  const text = (model: DiffModel, path: string) => model.patches.get().get(path)?.patch?.patch;

  it("stays for the file that is open, and is read anew", async () => {
    vi.mocked(getDiff).mockResolvedValue({ files } as DiffReply);
    vi.mocked(getPatch).mockImplementation(async (_id, { path }) => patch(path, "old"));
    const model = new DiffModel("s");
    await model.refresh();
    for (const one of files) {
      model.use(one.path);
      await model.read(one);
    }
    model.use("a");
    vi.mocked(getPatch).mockImplementation(async (_id, { path }) => patch(path, "new"));
    await model.refresh();
    expect([...model.patches.get().keys()].sort()).toEqual(["a", "d", "e"]);
    expect(text(model, "a")).toBe("new");
  });

  it("is the answer to the last question", async () => {
    const answers: ((text: string) => void)[] = [];
    vi.mocked(getDiff).mockResolvedValue({ files } as DiffReply);
    vi.mocked(getPatch).mockImplementation(
      (_id, { path }) => new Promise((done) => answers.push((words) => done(patch(path, words)))),
    );
    const model = new DiffModel("s");
    model.use("a");
    const first = model.read(file("a"));
    const again = model.refresh();
    await vi.waitFor(() => expect(answers).toHaveLength(2));
    answers[1]?.("late");
    await again;
    answers[0]?.("early");
    await first;
    expect(text(model, "a")).toBe("late");
  });
});

describe("words", () => {
  const changed = (spans: { text: string; changed: boolean }[] | undefined) =>
    spans?.filter((s) => s.changed).map((s) => s.text);
  it("marks what differs within a line", () => {
    const words = wordDiff("    tries: 1,", "    tries: 5,");
    expect(changed(words?.before)).toEqual(["1"]);
    expect(changed(words?.after)).toEqual(["5"]);
    const call = wordDiff("let a = get(url, part)?;", "let a = put(url, part.clone())?;");
    expect(changed(call?.before)).toEqual(["get"]);
    expect(changed(call?.after)?.join("|")).toContain("put");
  });
  it("gives the whole text back", () => {
    const words = wordDiff("ab cd  ef", "ab xx  ef gh");
    expect(words?.before.map((s) => s.text).join("")).toBe("ab cd  ef");
    expect(words?.after.map((s) => s.text).join("")).toBe("ab xx  ef gh");
  });
  it("leaves lines alone that have nothing in common", () => {
    expect(wordDiff("completely", "different")).toBeNull();
    expect(wordDiff("", "")).toBeNull();
  });
  it("does not take long for long lines", () => {
    const long = (word: string) => Array.from({ length: 5000 }, (_, i) => `${word}${i}`).join(" ");
    expect(wordDiff(`same ${long("a")}`, `same ${long("b")}`)).toBeNull();
  });
  it("pairs removed lines with added ones", () => {
    const [hunk] = parsePatch("@@ -1,3 +1,3 @@\n-a\n-b\n+A\n c\n");
    const lines = hunk?.lines ?? [];
    const pairs = partners(lines);
    expect(pairs.get(lines[0] as never)?.text).toBe("A");
    expect(pairs.has(lines[1] as never)).toBe(false);
    expect(pairs.size).toBe(2);
  });
});

const file = (path: string, fields: Partial<DiffFile> = {}): DiffFile => ({
  path,
  old_path: null,
  status: "modified",
  old_mode: "100644",
  new_mode: "100644",
  additions: 1,
  deletions: 0,
  binary: false,
  size: null,
  large: false,
  ...fields,
});

describe("file tree", () => {
  const files = [file("a/b/c.rs"), file("a/b/d.rs"), file("e.rs"), file("x/y/z.rs")];
  it("joins folders with one folder in them, and puts folders first", () => {
    const rows = treeRows(files, new Set());
    expect(rows.map((r) => `${"  ".repeat(r.depth)}${r.name}`)).toEqual([
      "a/b",
      "  c.rs",
      "  d.rs",
      "x/y",
      "  z.rs",
      "e.rs",
    ]);
  });
  it("hides what is in a closed folder", () => {
    expect(treeRows(files, new Set(["a/b"])).map((r) => r.name)).toEqual(["a/b", "x/y", "z.rs", "e.rs"]);
  });
  it("makes 5,000 files quickly enough to be tested at all", () => {
    const many = Array.from({ length: 5000 }, (_, i) => file(`d${i % 50}/f${i}`));
    expect(treeRows(many, new Set())).toHaveLength(5050);
  });
  it("says what a file is", () => {
    expect(fileWord(file("a", { binary: true, size: 64_000_000 }))).toBe("binary, 64 MB");
    expect(fileWord(file("a", { status: "untracked" }))).toBe("untracked");
    expect(fileWord(file("a", { new_mode: "100755" }))).toBe("mode");
    expect(fileWord(file("a"))).toBeNull();
    expect(bytes(999)).toBe("999 bytes");
    expect(bytes(1500)).toBe("1.5 KB");
  });
});
