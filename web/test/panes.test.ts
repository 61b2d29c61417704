import { describe, expect, it } from "vitest";
import { nextOf, opened, panesOf, splitBy, without } from "../src/state/panes";

describe("the panes beside each other", () => {
  it("are those of the address, with the one that is typed to among them", () => {
    expect(panesOf("a", "a,b")).toEqual(["a", "b"]);
    expect(panesOf("b", "a,b")).toEqual(["a", "b"]);
    expect(panesOf("c", "a,b")).toEqual(["c", "a", "b"]);
    expect(panesOf("a", "a")).toEqual([]);
    expect(panesOf("a", null)).toEqual([]);
    expect(panesOf(null, "a,b")).toEqual([]);
  });
  it("are four at most, each once", () => {
    expect(panesOf("a", "a,b,,b,c,d,e")).toEqual(["a", "b", "c", "d"]);
    expect(panesOf("e", "a,b,c,d,e")).toEqual(["a", "b", "c", "e"]);
    expect(panesOf("e", "a,b,c,d")).toEqual(["e", "a", "b", "c"]);
  });
  it("change only where one is typed to when another session is opened", () => {
    expect(opened(["a", "b"], "b", "c")).toEqual(["a", "c"]);
    expect(opened(["a", "b"], "b", "a")).toEqual(["a", "b"]);
    expect(opened([], "b", "c")).toEqual([]);
  });
  it("get one more right of the one that is typed to, while there is room", () => {
    expect(splitBy([], "a", "b")).toEqual(["a", "b"]);
    expect(splitBy(["a", "b"], "a", "c")).toEqual(["a", "c", "b"]);
    expect(splitBy(["a", "b"], "a", "b")).toEqual(["a", "b"]);
    expect(splitBy(["a", "b", "c", "d"], "a", "e")).toEqual(["a", "b", "c", "d"]);
  });
  it("close, and the next one is typed to", () => {
    expect(without(["a", "b", "c"], "b", "b")).toEqual({ panes: ["a", "c"], next: "c" });
    expect(without(["a", "b"], "b", "b")).toEqual({ panes: [], next: "a" });
    expect(without(["a", "b", "c"], "b", "a")).toEqual({ panes: ["b", "c"], next: "b" });
  });
  it("are gone through in a ring", () => {
    expect(nextOf(["a", "b"], "b")).toBe("a");
    expect(nextOf(["a", "b"], "a")).toBe("b");
    expect(nextOf([], "a")).toBe("a");
  });
});
