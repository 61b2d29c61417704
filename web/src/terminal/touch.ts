import type { Terminal } from "@xterm/xterm";

/** One finger scrolls: as wheel turns, so that programs that follow the wheel scroll too. */
export function touchScroll(host: HTMLElement, term: Terminal) {
  let y: number | null = null;
  host.addEventListener(
    "touchstart",
    (e) => {
      y = e.touches.length === 1 ? (e.touches[0]?.clientY ?? null) : null;
    },
    { passive: true },
  );
  host.addEventListener(
    "touchmove",
    (e) => {
      const touch = e.touches[0];
      if (y === null || !touch || e.touches.length !== 1) return;
      const deltaY = y - touch.clientY;
      y = touch.clientY;
      const at = { deltaY, clientX: touch.clientX, clientY: touch.clientY };
      term.element
        ?.querySelector(".xterm-screen")
        ?.dispatchEvent(new WheelEvent("wheel", { ...at, bubbles: true, cancelable: true }));
      e.preventDefault();
    },
    { passive: false },
  );
}
