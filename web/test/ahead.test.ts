import { describe, expect, it } from "vitest";
import { keepTyped, MOST, takeTyped, typedBy } from "../src/terminal/ahead";
import { isTrue } from "../src/terminal/webgl";

const press = (key: string, more: object = {}) =>
  typedBy({
    key,
    ctrlKey: false,
    altKey: false,
    shiftKey: false,
    metaKey: false,
    getModifierState: () => false,
    ...more,
  });

describe("what is typed before there is a terminal", () => {
  it("is what the keys type there", () => {
    expect(press("a")).toBe("a");
    expect(press("#", { shiftKey: true })).toBe("#");
    expect(press("ß")).toBe("ß");
    expect(press("Enter")).toBe("\r");
    expect(press("Backspace")).toBe("\x7f");
    expect(press("c", { ctrlKey: true })).toBe("\x03");
    expect(press("@", { ctrlKey: true, altKey: true, getModifierState: () => true })).toBe("@");
  });
  it("is nothing for keys of the browser, and for those whose bytes depend on a mode", () => {
    for (const key of ["ArrowUp", "F5", "Shift", "Dead", "Process"]) expect(press(key)).toBe(null);
    expect(press("r", { metaKey: true })).toBe(null);
    expect(press("T", { ctrlKey: true, shiftKey: true })).toBe(null);
    expect(press("Tab", { shiftKey: true })).toBe(null);
  });
  it("is given once, to its own session, and is bounded", () => {
    keepTyped("a", "l");
    keepTyped("a", "s");
    expect(takeTyped("b")).toBe("");
    expect(takeTyped("a")).toBe("ls");
    expect(takeTyped("a")).toBe("");
    for (let i = 0; i < MOST + 5; i += 1) keepTyped("a", "x");
    expect(takeTyped("a")).toHaveLength(MOST);
  });
});

describe("the fast renderer", () => {
  it("is trusted where the browser counts the pixels that it says it draws", () => {
    expect(isTrue(1216, 608, 2)).toBe(true);
    expect(isTrue(761, 608.4, 1.25)).toBe(true);
    expect(isTrue(608, 608, 2)).toBe(false);
    expect(isTrue(367, 367, 3)).toBe(false);
  });
});
