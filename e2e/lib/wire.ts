import { type AddressInfo, type Server, type Socket, connect, createServer } from "node:net";

/** A wire between a browser and a daemon, which can be cut. */
export class Wire {
  url = "";
  private server: Server | null = null;
  private cutNow = false;
  private readonly open = new Set<Socket>();
  private readonly dead = new Set<Socket>();

  /** Listens on a port of its own, before that of a URL. */
  async lay(to: string): Promise<void> {
    const server = createServer((near) => {
      if (this.cutNow) {
        near.destroy();
        return;
      }
      const far = connect(Number(new URL(to).port), "127.0.0.1");
      for (const [one, other] of [[near, far], [far, near]] as const) {
        this.open.add(one);
        one.on("error", () => other.destroy());
        one.on("close", () => {
          this.open.delete(one);
          other.destroy();
        });
        one.on("data", (bytes) => {
          if (!this.dead.has(one)) other.write(bytes);
        });
      }
    });
    this.server = server;
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Ends what goes through it, and takes nothing until it is mended. */
  cut() {
    this.cutNow = true;
    for (const socket of this.open) socket.destroy();
  }

  /** What is open now leads nowhere, and neither end is told; what is opened later works. */
  deafen() {
    for (const socket of this.open) this.dead.add(socket);
  }

  mend() {
    this.cutNow = false;
  }

  take() {
    this.cut();
    this.server?.close();
  }
}
