import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { needsYou, said, say } from "../src/state/ui";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("the same words said twice are two messages", () => {
  const heard: string[] = [];
  const stop = said.subscribe(() => {
    if (said.get() !== "") heard.push(said.get());
  });
  say(needsYou("One", 1));
  say(needsYou("One", 1));
  vi.advanceTimersByTime(20_000);
  stop();
  expect(heard).toEqual(["“One” needs you", "“One” needs you"]);
  expect(needsYou("Two", 3)).toBe("“Two” needs you, 3 in all");
});
