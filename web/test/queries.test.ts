import { Terminal } from "@xterm/headless";
import { describe, expect, it } from "vitest";
import { clipboardText, isFocusReport, isMouseReport, safeLink, silence } from "../src/terminal/queries";

/** Every query that xterm.js or a terminal that programs expect would answer. */
const QUERIES: Record<string, string> = {
  DA1: "\x1b[c",
  "DA1 with 0": "\x1b[0c",
  DA2: "\x1b[>c",
  DA3: "\x1b[=c",
  DECID: "\x1bZ",
  "DSR status": "\x1b[5n",
  CPR: "\x1b[6n",
  DECXCPR: "\x1b[?6n",
  "DSR printer": "\x1b[?15n",
  "DSR keyboard": "\x1b[?26n",
  "colour scheme": "\x1b[?996n",
  "DECRQM ANSI": "\x1b[4$p",
  "DECRQM 2026": "\x1b[?2026$p",
  "DECRQM 2004": "\x1b[?2004$p",
  XTVERSION: "\x1b[>q",
  "kitty keyboard": "\x1b[?u",
  "window size in cells": "\x1b[18t",
  "window size in pixels": "\x1b[14t",
  "cell size": "\x1b[16t",
  "window title": "\x1b[21t",
  foreground: "\x1b]10;?\x07",
  background: "\x1b]11;?\x1b\\",
  "cursor colour": "\x1b]12;?\x07",
  palette: "\x1b]4;1;?\x07",
  "palette, several": "\x1b]4;1;?;2;?\x07",
  "foreground and background": "\x1b]10;?;?\x07",
  clipboard: "\x1b]52;c;?\x07",
  XTGETTCAP: "\x1bP+q544e\x1b\\",
  "DECRQSS SGR": "\x1bP$qm\x1b\\",
  "DECRQSS margins": "\x1bP$qr\x1b\\",
  "DECRQSS cursor": "\x1bP$q q\x1b\\",
  DECREQTPARM: "\x1b[x",
  DECRQPSR: "\x1b[1$w",
  checksum: "\x1b[1;1;1;1;1;1*y",
};

function answers(text: string, quiet: boolean): Promise<string> {
  const term = new Terminal({
    cols: 80,
    rows: 24,
    allowProposedApi: true,
    windowOptions: { getWinSizeChars: true },
  });
  if (quiet) silence(term.parser as never);
  let said = "";
  term.onData((data) => {
    said += data;
  });
  return new Promise((done) => term.write(text, () => done(said)));
}

describe("terminal queries", () => {
  for (const [name, query] of Object.entries(QUERIES)) {
    it(`does not answer ${name}`, async () => {
      expect(await answers(query, true)).toBe("");
    });
  }

  it("would be answered without it, so that the tests above can fail", async () => {
    expect(await answers("\x1b[c", false)).toContain("\x1b[?");
    expect(await answers("\x1b[6n", false)).toBe("\x1b[1;1R");
    expect(await answers("\x1b[?2026$p", false)).toContain("$y");
    expect(await answers("\x1bP$qm\x1b\\", false)).not.toBe("");
  });

  it("still draws, and takes the colours that are set", async () => {
    const term = new Terminal({ cols: 20, rows: 4, allowProposedApi: true });
    silence(term.parser as never);
    await new Promise<void>((done) => term.write("a\x1b[6nb\x1b]11;#112233\x07c\x1b[>q", done));
    expect(term.buffer.active.getLine(0)?.translateToString(true)).toBe("abc");
  });

  it("stays quiet after a full reset, which each snapshot begins with", async () => {
    expect(await answers("\x1bc\x1b[c\x1b[6n\x1b[?2004$p", true)).toBe("");
  });
});

describe("what a terminal says beside keys", () => {
  it("knows reports of focus and of the mouse", () => {
    expect(isFocusReport("\x1b[I")).toBe(true);
    expect(isFocusReport("\x1b[A")).toBe(false);
    expect(isMouseReport("\x1b[<0;3;4M")).toBe(true);
    expect(isMouseReport("\x1b[M !!")).toBe(true);
    expect(isMouseReport("x")).toBe(false);
  });
});

describe("clipboard", () => {
  it("reads the text that a program sets, also when it is not ASCII", () => {
    expect(clipboardText(`c;${btoa("hi")}`)).toBe("hi");
    expect(clipboardText(";w6Q=")).toBe("ä");
  });
  it("never answers a read, and drops what is broken", () => {
    expect(clipboardText("c;?")).toBeNull();
    expect(clipboardText("c;")).toBeNull();
    expect(clipboardText("c;***")).toBeNull();
    expect(clipboardText("nothing")).toBeNull();
    expect(clipboardText("c;/w==")).toBeNull();
  });
});

describe("links", () => {
  it("opens http and https only", () => {
    expect(safeLink("https://example.org/a?b#c")).toBe("https://example.org/a?b#c");
    for (const bad of [
      "javascript:alert(1)",
      "file:///etc/passwd",
      "data:text/html,x",
      "vscode://x",
      "no link",
    ])
      expect(safeLink(bad)).toBeNull();
  });
});
