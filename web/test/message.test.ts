import { beforeEach, describe, expect, it, vi } from "vitest";
import { sendInput } from "../src/api/calls";
import { Failure } from "../src/api/client";
import { drafts, sendDraft, setDraft } from "../src/session/send";

vi.mock("../src/api/calls", () => ({ sendInput: vi.fn() }));

const sent = () => vi.mocked(sendInput).mock.calls;
const problem = (code: string) =>
  new Failure(code === "no_daemon" ? 0 : 409, { code, title: "T", hint: "H" });
const draft = () => drafts.get().s;

describe("a message", () => {
  beforeEach(() => {
    vi.mocked(sendInput).mockReset();
  });

  it("is one request, and is cleared once the program has it", async () => {
    let taken: () => void = () => undefined;
    vi.mocked(sendInput).mockReturnValue(new Promise<void>((done) => (taken = done)));
    setDraft("s", "do it");
    const sending = sendDraft("s");
    expect(await sendDraft("s")).toBeNull();
    expect(sent()).toHaveLength(1);
    expect(sent()[0]?.[1]).toEqual({ text: "do it", paste: true, enter: true });
    expect(draft()).toBe("do it");
    taken();
    expect(await sending).toBeNull();
    expect(draft()).toBe("");
  });

  it("stays when it is refused, and is another action when it is sent again", async () => {
    vi.mocked(sendInput).mockRejectedValue(problem("input_full"));
    setDraft("s", "do it");
    expect(await sendDraft("s")).toMatchObject({ code: "input_full" });
    await sendDraft("s");
    expect(draft()).toBe("do it");
    expect(sent()[0]?.[2]).not.toBe(sent()[1]?.[2]);
  });

  it("that nobody answered for is the same action when it is sent again", async () => {
    vi.mocked(sendInput).mockRejectedValue(problem("no_daemon"));
    setDraft("s", "do it");
    await sendDraft("s");
    await sendDraft("s");
    setDraft("s", "do more");
    await sendDraft("s");
    const keys = sent().map((call) => call[2]);
    expect(keys[1]).toBe(keys[0]);
    expect(keys[2]).not.toBe(keys[0]);
  });

  it("that is too long is not sent, and stays", async () => {
    const log = "x".repeat(1_200_000);
    setDraft("s", log);
    expect(await sendDraft("s")).toMatchObject({ code: "too_large" });
    expect(sent()).toHaveLength(0);
    expect(draft()).toBe(log);
  });

  it("that was changed on its way is not cleared", async () => {
    vi.mocked(sendInput).mockImplementation(async () => setDraft("s", "do it, and more"));
    setDraft("s", "do it");
    await sendDraft("s");
    expect(draft()).toBe("do it, and more");
  });
});
