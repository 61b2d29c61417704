export interface LinkState {
  status: "off" | "connecting" | "live" | "waiting" | "stopped";
  tries: number;
  /** When the next try begins, epoch ms. */
  nextAt: number | null;
  /** When bytes came last, epoch ms by the daemon's clock. */
  lastByteAt: number | null;
  /** `you`, another device's name, or null when it is free. */
  lease: string | null;
  size: { cols: number; rows: number; by: string } | null;
  exit: { code: number | null; signal: number | null } | null;
  /** What the daemon refused, until something is typed that it took. */
  refused: { code: string; message: string } | null;
  /** Why the connection is not tried again. */
  stopped: { title: string; hint: string; takeBack?: boolean } | null;
  /** Output that was not sent because this page was slow. */
  skipped: boolean;
  /** Median time from a key to the next byte. */
  latencyMs: number | null;
}

export const START: LinkState = {
  status: "off",
  tries: 0,
  nextAt: null,
  lastByteAt: null,
  lease: null,
  size: null,
  exit: null,
  refused: null,
  stopped: null,
  skipped: false,
  latencyMs: null,
};

/** Where the bytes go. `done` is called when they were drawn. */
export interface Sink {
  snapshot(cols: number, rows: number, data: Uint8Array, done: () => void): void;
  output(bytes: Uint8Array, done: () => void): void;
  size(cols: number, rows: number): void;
  /** The bytes that follow go on from those before; some may be from the time between. */
  resumed(cols: number, rows: number): void;
  /** The size that this viewer would have. */
  fit(): { cols: number; rows: number };
  tokenRefused(token: string): void;
}

/** The part of a WebSocket that is used. */
export interface Socket {
  binaryType: BinaryType;
  readyState: number;
  onopen: (() => void) | null;
  onclose: ((event: { code: number }) => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  send(data: string | Uint8Array<ArrayBuffer>): void;
  close(code?: number): void;
}

export interface Options {
  url: string;
  token(): string | null;
  open?(url: string, protocols: string[]): Socket;
}
