import { beforeEach, describe, expect, it, vi } from "vitest";
import { getSession, listSessions, listTrash } from "../src/api/calls";
import type { SessionView } from "../src/api/types";
import { keep, refresh, sessions, sink, touch } from "../src/state/sessions";

vi.mock("../src/api/calls", () => ({ getSession: vi.fn(), listSessions: vi.fn(), listTrash: vi.fn() }));

const session = (id: string, version = 1) => ({ id, version }) as SessionView;
const ids = () => [...sessions.get().byId.keys()].sort();

function later<T>() {
  let answer: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => {
    answer = done;
  });
  return { promise, answer };
}

describe("sessions", () => {
  beforeEach(() => {
    sessions.set((old) => ({ ...old, byId: new Map() }));
    vi.mocked(listTrash).mockResolvedValue([]);
  });

  it("that went or came during a reading are not undone by it", async () => {
    const open = later<SessionView[]>();
    vi.mocked(listSessions).mockReturnValueOnce(open.promise);
    keep(session("stays"));
    keep(session("goes"));
    keep(session("was purged long ago"));
    const reading = refresh();
    sink.gone("goes");
    keep(session("comes"));
    open.answer([session("stays"), session("goes")]);
    await reading;
    expect(ids()).toEqual(["comes", "stays"]);
  });

  it("that went while one was read stay gone, and others come", async () => {
    const answers = new Map(["goes", "comes"].map((id) => [id, later<SessionView>()]));
    vi.mocked(getSession).mockImplementation((id) => answers.get(id)?.promise ?? Promise.reject());
    keep(session("goes"));
    touch("goes");
    touch("comes");
    await vi.waitFor(() => expect(getSession).toHaveBeenCalledTimes(2));
    sink.gone("goes");
    for (const [id, { answer }] of answers) answer(session(id, 2));
    await vi.waitFor(() => expect(ids()).toEqual(["comes"]));
  });

  it("that are made now are waited for, and those made before are read", async () => {
    vi.mocked(getSession)
      .mockReset()
      .mockImplementation((id) => Promise.resolve(session(id)));
    const made = (id: string) => ({ number: 1, at: "", session: id, kind: "created", data: {} });
    sink.log(made("now"), false);
    sink.log(made("before"), true);
    await vi.waitFor(() => expect(ids()).toEqual(["before"]));
    expect(getSession).toHaveBeenCalledTimes(1);
  });

  it("that change at once are drawn at once, in their last version, and a purged one stays gone", async () => {
    vi.useFakeTimers();
    try {
      vi.advanceTimersByTime(1000);
      const seen = vi.fn();
      const stop = sessions.subscribe(seen);
      for (let version = 1; version <= 5; version += 1)
        for (let n = 0; n < 20; n += 1) sink.session(session(`s${n}`, version));
      sink.session(session("s0", 3));
      sink.session(session("purged"));
      sink.gone("purged");
      seen.mockClear();
      vi.advanceTimersByTime(0);
      expect(seen).toHaveBeenCalledTimes(1);
      expect(ids()).toHaveLength(20);
      expect(sessions.get().byId.get("s0")?.version).toBe(5);
      // What follows waits for its turn.
      sink.session(session("s1", 6));
      vi.advanceTimersByTime(50);
      expect(sessions.get().byId.get("s1")?.version).toBe(5);
      vi.advanceTimersByTime(50);
      expect(sessions.get().byId.get("s1")?.version).toBe(6);
      stop();
    } finally {
      vi.useRealTimers();
    }
  });
});
