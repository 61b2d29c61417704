import { beforeEach, describe, expect, it, vi } from "vitest";
import { getSession, listSessions, listTrash } from "../src/api/calls";
import { Failure } from "../src/api/client";
import type { EventRecord, SessionView } from "../src/api/types";
import { keep, refresh, sessions, sink, touch } from "../src/state/sessions";

vi.mock("../src/api/calls", () => ({ getSession: vi.fn(), listSessions: vi.fn(), listTrash: vi.fn() }));

const session = (id: string, version = 1) => ({ id, version }) as SessionView;
const purged = (id: string) => sink.log({ number: 1, kind: "purged", session: id } as EventRecord);
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
    vi.mocked(getSession).mockReset();
    vi.mocked(listTrash).mockResolvedValue([]);
  });

  it("that went or came during a reading are not undone by it", async () => {
    const open = later<SessionView[]>();
    vi.mocked(listSessions).mockReturnValueOnce(open.promise);
    keep(session("stays"));
    keep(session("goes"));
    keep(session("was purged long ago"));
    const reading = refresh();
    purged("goes");
    keep(session("comes"));
    open.answer([session("stays"), session("goes")]);
    await reading;
    expect(ids()).toEqual(["comes", "stays"]);
  });

  it("stay while the daemon that lets go of them stops", async () => {
    const no = (status: number) => Promise.reject(new Failure(status, { code: "x", title: "", hint: "" }));
    vi.mocked(getSession).mockImplementation((id) => no(id === "purged" ? 404 : 0));
    keep(session("stays"));
    keep(session("purged"));
    sink.gone("stays");
    sink.gone("purged");
    await vi.waitFor(() => expect(ids()).toEqual(["stays"]));
  });

  it("that went while one was read stay gone, and others come", async () => {
    const answers = new Map(["goes", "comes"].map((id) => [id, later<SessionView>()]));
    vi.mocked(getSession).mockImplementation((id) => answers.get(id)?.promise ?? Promise.reject());
    keep(session("goes"));
    touch("goes");
    touch("comes");
    await vi.waitFor(() => expect(getSession).toHaveBeenCalledTimes(2));
    purged("goes");
    for (const [id, { answer }] of answers) answer(session(id, 2));
    await vi.waitFor(() => expect(ids()).toEqual(["comes"]));
  });
});
