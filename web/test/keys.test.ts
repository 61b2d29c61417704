import { beforeEach, describe, expect, it } from "vitest";
import { ACTIONS } from "../src/keys/actions";
import { clashOf, isChosen, refusalOf, setKey, swapKeys } from "../src/keys/choose";
import { isOn, keyOf, startForce } from "../src/keys/force";
import { bytesOf, pressOf, wordOfKeys } from "../src/keys/press";
import { prefs } from "../src/state/prefs";
import { isLeave } from "../src/terminal/leave";

const press = (key: string, code: string, more: object = {}) =>
  isLeave({
    key,
    code,
    ctrlKey: true,
    altKey: false,
    shiftKey: false,
    metaKey: false,
    getModifierState: () => false,
    ...more,
  });

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

const event = (key: string, code = "", more: Partial<KeyboardEvent> = {}) => ({
  key,
  code,
  ctrlKey: false,
  altKey: false,
  shiftKey: false,
  metaKey: false,
  getModifierState: () => false,
  ...more,
});

describe("a press", () => {
  it("is one word, by what is meant", () => {
    expect(pressOf(event("c", "KeyC"))).toBe("c");
    expect(pressOf(event("F", "KeyF", { shiftKey: true }))).toBe("F");
    expect(pressOf(event("#", "Digit3", { shiftKey: true }))).toBe("#");
    expect(pressOf(event("K", "KeyK", { ctrlKey: true, shiftKey: true }))).toBe("Ctrl+Shift+k");
    expect(pressOf(event("]", "BracketRight", { ctrlKey: true }))).toBe("Ctrl+]");
    expect(pressOf(event("Enter", "Enter", { shiftKey: true }))).toBe("Shift+Enter");
    expect(pressOf(event("Shift", "ShiftLeft", { shiftKey: true }))).toBeNull();
  });
  it("is the letter of its place with Caps Lock on, and on keyboards of other scripts", () => {
    expect(pressOf(event("C", "KeyC"))).toBe("c");
    expect(pressOf(event("с", "KeyC"))).toBe("c");
  });
  it("is what is typed with AltGr, or with Option on a Mac", () => {
    const alt = { ctrlKey: true, altKey: true, getModifierState: (key: string) => key === "AltGraph" };
    expect(pressOf(event("[", "Digit8", alt))).toBe("[");
    expect(pressOf(event("[", "Digit5", { altKey: true }), true)).toBe("[");
    expect(pressOf(event("x", "KeyX", { altKey: true }), false)).toBe("Alt+x");
  });
  it("is drawn as its caps", () => {
    expect(wordOfKeys("g s")).toBe("G S");
    expect(wordOfKeys("F")).toBe("Shift F");
    expect(wordOfKeys("Ctrl++")).toBe("Ctrl +");
    expect(wordOfKeys("Meta+k", true)).toBe("⌘ K");
  });
  it("is what a program would get", () => {
    expect(bytesOf("Ctrl+]")).toBe("\x1d");
    expect(bytesOf("Alt+x")).toBe("\x1bx");
    expect(bytesOf("F8")).toBeNull();
    expect(bytesOf("Ctrl+Shift+x")).toBeNull();
  });
});

describe("keys that are chosen", () => {
  beforeEach(() => {
    prefs.set((old) => ({ ...old, keys: {}, letterKeys: true }));
    startForce(ACTIONS);
  });

  it("hold over those of the table until they are reset", () => {
    expect(keyOf("pause")).toBe("p");
    setKey("pause", "q");
    expect(keyOf("pause")).toBe("q");
    expect(isChosen("pause")).toBe(true);
    setKey("pause", null);
    expect(keyOf("pause")).toBeNull();
    setKey("pause", "p");
    expect(prefs.get().keys).toEqual({});
  });
  it("clash with the same key, and with one that begins or is begun by it", () => {
    expect(clashOf("pause", "h")).toMatchObject({ other: { id: "hibernate" }, canBoth: false });
    expect(clashOf("pause", "g")).toMatchObject({ canBoth: true });
    expect(clashOf("pause", "c x")).toMatchObject({ other: { id: "new" }, canBoth: true });
    expect(clashOf("pause", "q")).toBeNull();
    expect(clashOf("leave", "Ctrl+Shift+f")).toMatchObject({ other: { id: "find" } });
  });
  it("are refused where nobody could go on", () => {
    expect(refusalOf("pause", "Tab")).not.toBeNull();
    expect(refusalOf("type", "Enter")).toBeNull();
    expect(refusalOf("leave", "q")).not.toBeNull();
    expect(refusalOf("leave", "Ctrl+g x")).not.toBeNull();
    expect(refusalOf("leave", "Ctrl+Shift+l")).not.toBeNull();
    expect(refusalOf("leave", "Ctrl+g")).toBeNull();
    expect(refusalOf("pause", "Ctrl+]")).not.toBeNull();
  });
  it("are given to each other", () => {
    swapKeys("pause", "h", "hibernate");
    expect([keyOf("pause"), keyOf("hibernate")]).toEqual(["h", "p"]);
  });
  it("leave the terminal by the one that was chosen, and by one whatever was", () => {
    setKey("leave", "Ctrl+g");
    expect(isLeave(event("g", "KeyG", { ctrlKey: true }))).toBe(true);
    expect(isLeave(event("]", "BracketRight", { ctrlKey: true }))).toBe(false);
    expect(isLeave(event("L", "KeyL", { ctrlKey: true, shiftKey: true }))).toBe(true);
  });
  it("of one letter are off where they were turned off, the others hold", () => {
    prefs.set((old) => ({ ...old, letterKeys: false }));
    expect([isOn("c"), isOn("g s"), isOn("Ctrl+k"), isOn("Enter"), isOn("F8")]).toEqual([
      ...[false, false, true, true, true],
    ]);
  });
});

describe("the table of actions", () => {
  it("has each id once, and no two keys of a place that hide each other", () => {
    prefs.set((old) => ({ ...old, keys: {} }));
    startForce(ACTIONS);
    expect(new Set(ACTIONS.map(({ id }) => id)).size).toBe(ACTIONS.length);
    for (const { id, group, key } of ACTIONS) {
      const clash = key === null ? null : clashOf(id, key);
      expect(clash?.other.group === group ? `${id} and ${clash.other.id}` : null).toBeNull();
    }
  });
});
