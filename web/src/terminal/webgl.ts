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

/**
 * Puts the fast renderer into a terminal, unless it cannot be trusted here. Throws where there is
 * no WebGL. Calls `lost` when it is to be disposed of: the plain renderer takes its place then.
 */
export async function fastRenderer(
  term: Terminal,
  host: HTMLElement,
  wanted: () => boolean,
  lost: () => void,
): Promise<{ dispose(): void } | null> {
  if (miscounts) return null;
  const { WebglAddon } = await import("@xterm/addon-webgl");
  if (miscounts || !wanted()) return null;
  const addon = new WebglAddon();
  addon.onContextLoss(lost);
  const stop = onMiscount(host, lost);
  try {
    term.loadAddon(addon);
  } catch (error) {
    stop();
    throw error;
  }
  return {
    dispose() {
      stop();
      addon.dispose();
    },
  };
}
