import type { Terminal } from "@xterm/xterm";

/**
 * Whether the browser counts the pixels of a box as it says that it draws them. In an emulated
 * device it does not, and a canvas made by that count shows one corner of the screen, enlarged.
 */
export function isTrue(counted: number, css: number, ratio: number): boolean {
  // Each edge is moved to a whole pixel.
  return Math.abs(counted - css * ratio) <= 2;
}

/** The browser was seen to miscount: it is not asked again as long as the page is there. */
let miscounts = false;

/** Calls back once the browser is seen to miscount the pixels of a box. */
function onMiscount(box: HTMLElement, found: () => void): () => void {
  const watch = new ResizeObserver((entries) => {
    for (const entry of entries) {
      const counted = entry.devicePixelContentBoxSize?.[0];
      const css = entry.contentBoxSize[0];
      if (!counted || !css) continue;
      if (isTrue(counted.inlineSize, css.inlineSize, devicePixelRatio)) continue;
      watch.disconnect();
      miscounts = true;
      found();
      return;
    }
  });
  try {
    watch.observe(box, { box: "device-pixel-content-box" });
  } catch {
    // Such a browser does not count, and neither does the renderer then.
  }
  return () => watch.disconnect();
}

/** The fast renderer of one terminal, while it is seen; the plain one is there whenever this is not. */
export class FastRenderer {
  private on: { dispose(): void } | null = null;
  private readonly term: Terminal;
  private readonly host: HTMLElement;
  /** Cells may have another size from now on. */
  private readonly changed: () => void;

  constructor(term: Terminal, host: HTMLElement, changed: () => void) {
    this.term = term;
    this.host = host;
    this.changed = changed;
  }

  /** Takes it into use, unless it cannot be had or trusted here, or is not wanted any more. */
  async load(wanted: () => boolean) {
    if (this.on || miscounts) return;
    try {
      const { WebglAddon } = await import("@xterm/addon-webgl");
      if (this.on || miscounts || !wanted()) return;
      // It cuts the width of a cell down to whole pixels: add one when that is nearer.
      const screen = this.host.querySelector<HTMLElement>(".xterm-screen");
      const width = ((screen?.clientWidth ?? 0) / this.term.cols) * devicePixelRatio;
      this.term.options.letterSpacing = width % 1 >= 0.5 ? 1 : 0;
      const addon = new WebglAddon();
      addon.onContextLoss(() => this.lost());
      this.term.loadAddon(addon);
      const stop = onMiscount(this.host, () => this.lost());
      this.on = {
        dispose() {
          stop();
          addon.dispose();
        },
      };
      this.changed();
    } catch {
      // No WebGL here.
      this.drop();
    }
  }

  drop() {
    const { on } = this;
    this.on = null;
    this.term.options.letterSpacing = 0;
    on?.dispose();
  }

  private lost() {
    this.drop();
    this.changed();
  }
}
