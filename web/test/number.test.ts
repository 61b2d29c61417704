import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { number } from "../src/parts/number";

const src = join(import.meta.dirname, "../src");

describe("a count", () => {
  it("has its thing in the singular where it is one", () => {
    expect(number(0, "file")).toBe("0 files");
    expect(number(1, "file")).toBe("1 file");
    expect(number(2, "file")).toBe("2 files");
  });
  it("is written so wherever the page counts", () => {
    const things = "files|sessions|shells|lines|characters|columns|rows|commits|changes|devices|programs";
    const plain = new RegExp(`\\}\\s*(\\{" "\\}\\s*)?(${things})\\b(?!=)`, "g");
    const found = readdirSync(src, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.tsx?$/.test(name) && !name.endsWith(".d.ts"))
      .flatMap((name) =>
        [...readFileSync(join(src, name), "utf8").matchAll(plain)].map((at) => `${name}: ${at[0]}`),
      );
    expect(found).toEqual([]);
  });
});
