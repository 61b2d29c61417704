/** One event of a stream. */
export interface StreamEvent {
  id: string | null;
  event: string;
  data: string;
}

/**
 * Cuts text of a `text/event-stream` into events. Feed it as the text comes; a line may be cut
 * anywhere, also between CR and LF.
 */
export class EventParser {
  private rest = "";
  private id: string | null = null;
  private event = "";
  private data: string[] = [];

  feed(text: string): StreamEvent[] {
    const out: StreamEvent[] = [];
    this.rest += text;
    for (;;) {
      const end = this.rest.search(/[\r\n]/);
      if (end < 0) return out;
      // A CR at the very end may be the first half of CR LF: wait for what follows.
      if (this.rest[end] === "\r" && end === this.rest.length - 1) return out;
      const line = this.rest.slice(0, end);
      const skip = this.rest[end] === "\r" && this.rest[end + 1] === "\n" ? 2 : 1;
      this.rest = this.rest.slice(end + skip);
      const done = this.line(line);
      if (done) out.push(done);
    }
  }

  private line(line: string): StreamEvent | null {
    if (line === "") {
      const event = { id: this.id, event: this.event || "message", data: this.data.join("\n") };
      const empty = this.data.length === 0;
      this.event = "";
      this.data = [];
      return empty ? null : event;
    }
    const colon = line.indexOf(":");
    if (colon === 0) return null;
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "id" && !value.includes("\0")) this.id = value;
    else if (name === "event") this.event = value;
    else if (name === "data") this.data.push(value);
    return null;
  }
}
