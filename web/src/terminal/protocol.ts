import type { ClientFrame, ServerFrame } from "../api/types";

export const PROTOCOL = "qd.terminal.v1";
const BEARER = "qd.bearer.";

export function subprotocols(token: string): string[] {
  return [PROTOCOL, BEARER + token];
}

/** Bytes of the program, with the number of the first. */
export interface Output {
  seq: number;
  bytes: Uint8Array;
}

const HEAD = 8;

/** Null when the frame is too short, or its number is above what a double holds exactly. */
export function readOutput(frame: ArrayBuffer): Output | null {
  if (frame.byteLength < HEAD) return null;
  const view = new DataView(frame);
  const seq = view.getUint32(0) * 2 ** 32 + view.getUint32(4);
  if (!Number.isSafeInteger(seq)) return null;
  return { seq, bytes: new Uint8Array(frame, HEAD) };
}

export function readFrame(text: string): ServerFrame | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && "type" in value) return value as ServerFrame;
  } catch {
    // Not ours.
  }
  return null;
}

export function writeFrame(frame: ClientFrame): string {
  return JSON.stringify(frame);
}

/** Bytes of text in one message: 1 MiB, less what stands around it. */
const TEXT_MOST = 2 ** 20 - 200;

/** Whether a text can be sent as one message, as JSON in UTF-8. */
export function fits(text: string): boolean {
  return text.length <= TEXT_MOST && new TextEncoder().encode(JSON.stringify(text)).length <= TEXT_MOST;
}

export function fromBase64(text: string): Uint8Array {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i += 1) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

/** Each character is one byte: how xterm gives reports that are not UTF-8. */
export function latin1(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i) & 0xff;
  return bytes;
}

/** What becomes of a connection that closed with a code. */
export type Closed =
  | { again: "soon" | "later" }
  | { again: "never"; title: string; hint: string; takeBack?: boolean; token?: boolean };

/** `said` is what the last error frame told. */
export function onClose(code: number, said?: string): Closed {
  switch (code) {
    case 4401:
      return {
        again: "never",
        title: "The login is not valid any more.",
        hint: "Run `qd` for a new link.",
        token: true,
      };
    case 4403:
      return {
        again: "never",
        title: "The daemon refuses this address.",
        hint: "Start it with `--public-url` and the address that you use.",
      };
    case 4404:
      return { again: "never", title: "This session has no terminal.", hint: "It may be in the trash." };
    case 4409:
      return {
        again: "never",
        title: "Another window of yours took this terminal over.",
        hint: "Nothing was lost.",
        takeBack: true,
      };
    case 1008:
      return { again: "never", title: said ?? "The daemon did not take this viewer.", hint: "" };
    case 1009:
      return { again: "never", title: "That was more than 1 MiB at once.", hint: "It was not sent." };
    case 4408:
    case 1001:
      return { again: "soon" };
    default:
      return { again: "later" };
  }
}
