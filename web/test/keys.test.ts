import { describe, expect, it } from "vitest";
import { isLeave } from "../src/terminal/leave";

const press = (key: string, code: string, more: object = {}) =>
  isLeave({ key, code, ctrlKey: true, altKey: false, shiftKey: false, ...more });

describe("the key that leaves the terminal", () => {
  it("is Ctrl ], by its name or its place", () => {
    expect(press("]", "BracketRight")).toBe(true);
    expect(press("]", "Digit9")).toBe(true);
    expect(press("ъ", "BracketRight")).toBe(true);
    expect(press("]", "BracketRight", { ctrlKey: false })).toBe(false);
  });
  it("is not the zoom of other keyboards, nor a ] that is typed", () => {
    expect(press("+", "BracketRight")).toBe(false);
    expect(press("=", "BracketRight")).toBe(false);
    expect(press("]", "Digit9", { altKey: true })).toBe(false);
  });
  it("is Ctrl Shift L everywhere", () => {
    expect(press("L", "KeyL", { shiftKey: true })).toBe(true);
    expect(press("}", "BracketRight", { shiftKey: true })).toBe(false);
    expect(press("l", "KeyL")).toBe(false);
  });
});
