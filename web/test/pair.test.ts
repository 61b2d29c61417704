import { expect, test } from "vitest";
import { grouped } from "../src/places/config";
import { darkPath } from "../src/places/pair";

test("the dark of a code is drawn run by run, inside its margin", () => {
  expect(darkPath(["110", "001"])).toBe("M4 4h2v1h-2zM6 5h1v1h-1z");
});

test("values of a group stand together, in the order in which they came", () => {
  const value = (group: string, name: string) => ({
    group,
    name,
    about: "",
    value: null,
    source: "flag",
    change: "",
  });
  const groups = grouped([value("A", "1"), value("B", "2"), value("A", "3")]);
  expect(groups.map(([group, members]) => [group, ...members.map((member) => member.name)])).toEqual([
    ["A", "1", "3"],
    ["B", "2"],
  ]);
});
