import { beforeEach, expect, it, describe as suite, vi } from "vitest";
import type { Change, SessionView } from "../src/api/types";

vi.mock("../src/api/calls", () => ({ changeSession: vi.fn() }));

const { changeSession } = await import("../src/api/calls");
const { Failure } = await import("../src/api/client");
const { addTags, describe, describeAll, fieldProblems, notesDrafts, pinIt, removeTag, saveNotes, tagsOf } =
  await import("../src/state/describe");
const { refusedMany } = await import("../src/state/many");
const { keep, sessions } = await import("../src/state/sessions");

const PROBLEM = { code: "tag_invalid", title: "A text cannot be a tag.", hint: "Use 1 to 50 characters." };

/** What the daemon has; it refuses the tag `bad`. */
let daemon: SessionView;
let sent: Change[];

const now = () => {
  const session = sessions.get().byId.get("a");
  if (!session) throw new Error("it is gone");
  return session;
};

beforeEach(() => {
  daemon = {
    id: "a",
    version: 1,
    title: "A",
    state: "running",
    pending: null,
    tags: ["one", "two"],
    pinned: false,
    notes: "",
  } as unknown as SessionView;
  sent = [];
  sessions.set((old) => ({ ...old, byId: new Map() }));
  keep(daemon);
  notesDrafts.set({});
  fieldProblems.set({});
  vi.mocked(changeSession).mockImplementation(async (id, change) => {
    await Promise.resolve();
    sent.push(change);
    if (id !== "a" || change.tags?.includes("bad")) throw new Failure(400, PROBLEM);
    daemon = { ...daemon, ...(change as Partial<SessionView>), version: daemon.version + 1 };
    return daemon;
  });
});

suite("what a person says of a session", () => {
  it("is shown at once, before the daemon answers", async () => {
    const done = describe("a", addTags(now(), ["three", "one"]));
    expect(now().tags).toEqual(["one", "two", "three"]);
    expect(sent).toEqual([]);
    await done;
    expect(daemon.tags).toEqual(["one", "two", "three"]);
    await describe("a", pinIt(true));
    expect(daemon.pinned).toBe(true);
  });

  it("goes back to what it was when it is refused, and says why", async () => {
    const done = describe("a", addTags(now(), ["bad"]));
    expect(now().tags).toContain("bad");
    expect(await done).toEqual(PROBLEM);
    expect(now().tags).toEqual(["one", "two"]);
    expect(fieldProblems.get()["a tags"]).toEqual(PROBLEM);
    await describe("a", removeTag(now(), "one"));
    expect(fieldProblems.get()["a tags"]).toBeUndefined();
  });

  it("is sent one after the other, so that a refused tag takes no other one with it", async () => {
    const bad = describe("a", addTags(now(), ["bad"]));
    const good = describe("a", addTags(now(), ["good"]));
    const gone = describe("a", removeTag(now(), "one"));
    expect(now().tags).toEqual(["two", "bad", "good"]);
    expect(await Promise.all([bad, good, gone])).toEqual([PROBLEM, null, null]);
    expect(daemon.tags).toEqual(["two", "good"]);
    expect(now().tags).toEqual(["two", "good"]);
  });

  it("keeps notes that could not be saved", async () => {
    notesDrafts.set({ a: "Remember" });
    vi.mocked(changeSession).mockRejectedValueOnce(new Failure(503, PROBLEM));
    await saveNotes("a");
    expect(now().notes).toBe("");
    expect(notesDrafts.get().a).toBe("Remember");
    expect(fieldProblems.get()["a notes"]).toEqual(PROBLEM);
    await saveNotes("a");
    expect(daemon.notes).toBe("Remember");
    expect(notesDrafts.get().a).toBeUndefined();
    const count = sent.length;
    notesDrafts.set({ a: "Remember" });
    await saveNotes("a");
    expect(sent.length).toBe(count);
  });

  it("is said of several, and tells who was refused", async () => {
    keep({ ...daemon, id: "b", title: "B" });
    await describeAll([...sessions.get().byId.values()], "Pin", () => pinIt(true));
    expect(now().pinned).toBe(true);
    expect(sessions.get().byId.get("b")?.pinned).toBe(false);
    expect(refusedMany.get()?.words).toBe("Pin: 1 of 2 refused");
    expect(refusedMany.get()?.refused.map(({ id }) => id)).toEqual(["b"]);
  });

  it("takes several tags at once, parted by white space or commas", () => {
    expect(tagsOf(" web, core  api ,")).toEqual(["web", "core", "api"]);
  });
});
