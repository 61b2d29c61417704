import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { daemonNow, learnClock } from "../src/state/time";

const HERE = Date.parse("2030-01-01T00:00:00Z");

/** An answer of a daemon whose clock is `ahead` ms ahead, that took `took` ms. */
function answer(ahead: number, took = 20) {
  const asked = Date.now();
  vi.setSystemTime(asked + took);
  learnClock(new Date(asked + took / 2 + ahead).toUTCString(), asked, Date.now());
}

describe("the daemon's clock", () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: HERE });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("is followed where this one is wrong, and again after one was set", () => {
    for (const ahead of [-3_600_000, 300_000, 0]) {
      for (let i = 0; i < 5; i += 1) {
        vi.setSystemTime(Date.now() + 10_170);
        answer(ahead);
      }
      expect(Math.abs(daemonNow() - Date.now() - ahead)).toBeLessThan(ahead === 0 ? 1 : 500);
    }
  });

  it("is taken to be the same as long as the answers allow it, and no header says nothing", () => {
    answer(0);
    learnClock(null, Date.now(), Date.now());
    learnClock("yesterday", Date.now(), Date.now());
    learnClock(new Date(HERE + 9e6).toUTCString(), Date.now(), Date.now() - 1);
    expect(daemonNow()).toBe(Date.now());
  });
});
