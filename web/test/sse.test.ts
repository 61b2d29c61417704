import { describe, expect, it } from "vitest";
import { backoffMs } from "../src/api/backoff";
import { EventParser } from "../src/api/sse";

const STREAM =
  ': hello\n\nevent: head\ndata: {"latest":4}\n\nid: 5\r\nevent: started\r\ndata: one\r\ndata: two\r\n\r\nid: 6\rdata\r\rdata:x\n\n';

describe("event stream", () => {
  it("reads events, comments, several data lines and all line ends", () => {
    expect(new EventParser().feed(STREAM)).toEqual([
      { id: null, event: "head", data: '{"latest":4}' },
      { id: "5", event: "started", data: "one\ntwo" },
      { id: "6", event: "message", data: "" },
      { id: "6", event: "message", data: "x" },
    ]);
  });

  it("gives the same wherever the text is cut", () => {
    const whole = new EventParser().feed(STREAM);
    for (let at = 1; at < STREAM.length; at += 1) {
      const parser = new EventParser();
      expect([...parser.feed(STREAM.slice(0, at)), ...parser.feed(STREAM.slice(at))]).toEqual(whole);
    }
    const parser = new EventParser();
    expect([...STREAM].flatMap((c) => parser.feed(c))).toEqual(whole);
  });

  it("keeps what is not whole for later", () => {
    const parser = new EventParser();
    expect(parser.feed("data: a")).toEqual([]);
    expect(parser.feed("\n")).toEqual([]);
    expect(parser.feed("\n")).toEqual([{ id: null, event: "message", data: "a" }]);
  });
});

describe("backoff", () => {
  it("grows and has an end", () => {
    const still = () => 0.5;
    expect([1, 2, 3, 4].map((n) => backoffMs(n, still))).toEqual([250, 500, 1000, 2000]);
    expect(backoffMs(50, still)).toBe(10_000);
    expect(backoffMs(1, () => 0)).toBeLessThan(backoffMs(1, () => 1));
  });
});
