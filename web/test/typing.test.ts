import { describe, expect, it } from "vitest";
import { latched, spent, tapped } from "../src/terminal/latch";
import { asksFirst, linesOf, preview, typedAs } from "../src/terminal/paste";
import { SENT_KEYS } from "../src/terminal/sendkeys";

const off = { ctrl: "off", alt: "off" } as const;

describe("the latches of the key bar", () => {
  it("hold for one key, then until they are tapped again", () => {
    expect(tapped("off")).toBe("once");
    expect(tapped("once")).toBe("locked");
    expect(tapped("locked")).toBe("off");
    expect(spent({ ctrl: "once", alt: "locked" })).toEqual({ ctrl: "off", alt: "locked" });
  });
  it("change letters, signs, arrows and page keys as xterm does", () => {
    expect(latched("a", off)).toBeNull();
    expect(latched("a", { ctrl: "once", alt: "off" })).toBe("\x01");
    expect(latched(" ", { ctrl: "once", alt: "off" })).toBe("\0");
    expect(latched("b", { ctrl: "off", alt: "once" })).toBe("\x1bb");
    expect(latched("c", { ctrl: "locked", alt: "locked" })).toBe("\x1b\x03");
    expect(latched("\x1b[D", { ctrl: "once", alt: "off" })).toBe("\x1b[1;5D");
    expect(latched("\x1bOD", { ctrl: "off", alt: "once" })).toBe("\x1b[1;3D");
    expect(latched("\x1b[5~", { ctrl: "once", alt: "once" })).toBe("\x1b[5;7~");
    expect(latched("a whole word", { ctrl: "once", alt: "off" })).toBeNull();
  });
});

describe("a paste", () => {
  it("is shown first where lines would run, where there are many, or where some of it is not seen", () => {
    expect(asksFirst("one", false)).toBe(false);
    expect(asksFirst("one\ntwo", false)).toBe(true);
    expect(asksFirst("one\r\ntwo\tthree\n", true)).toBe(false);
    expect(asksFirst("x\n".repeat(10), true)).toBe(false);
    expect(asksFirst("x\n".repeat(11), true)).toBe(true);
    expect(asksFirst("a\x1b[31m", true)).toBe(true);
    expect(asksFirst("a\u202eb", true)).toBe(true);
  });
  it("is shown as the program gets it", () => {
    expect(typedAs("a\r\nb\rc", false)).toBe("a\nb\nc");
    expect(typedAs("x\x1b[201~rm\r", true)).toBe("xrm\n");
    expect(typedAs("x\x1b[20\x1b[201~1~y", true)).toBe("xy");
    expect(linesOf("a\nb\n")).toBe(2);
    expect(linesOf("a")).toBe(1);
    expect(preview("x".repeat(20_005)).more).toBe(5);
  });
});

describe("the keys that browsers take", () => {
  const bytes = new Map(SENT_KEYS.flatMap(({ keys }) => keys.map((key) => [key.name, key.bytes])));
  it("are sent as xterm sends them, each under a name of its own", () => {
    expect(bytes.get("Ctrl W")).toBe("\x17");
    expect(bytes.get("F4")).toBe("\x1bOS");
    expect(bytes.get("F5")).toBe("\x1b[15~");
    expect(bytes.get("F12")).toBe("\x1b[24~");
    expect(bytes.get("Alt ←")).toBe("\x1b[1;3D");
    expect(bytes.size).toBe(SENT_KEYS.reduce((sum, { keys }) => sum + keys.length, 0));
  });
});
