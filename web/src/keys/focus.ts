import { where } from "../state/router";
import { awaited } from "../terminal/ahead";

/** What had the focus last, and whether it was in the list or the details. */
let last: Element | null = null;
let within: string | null = null;
let pressed = false;

/** Where the focus goes when nothing has it: near where it was, else into the place. */
function home(): HTMLElement | null {
  const open = [...document.querySelectorAll<HTMLElement>("dialog[open]")].at(-1);
  if (open) return open.querySelector<HTMLElement>("[data-first], button, input, a[href]") ?? open;
  const row = within === ".sessions" && awaited.get() === null ? '.sessions [data-row][tabindex="0"]' : "";
  return (row && document.querySelector<HTMLElement>(row)) || document.getElementById("main");
}

function mend() {
  // Whoever moves the focus does so once it has been drawn; it goes first.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      const at = document.activeElement;
      if (at === null || at === document.body) home()?.focus({ preventScroll: true });
    }),
  );
}

/**
 * The focus is never lost for who works with keys: when what had it is gone, or lets go of it at a key,
 * or another place is shown, something near takes it.
 */
export function startFocus() {
  document.addEventListener("focusin", ({ target }) => {
    if (!(target instanceof Element)) return;
    last = target;
    within = [".sessions", "#details"].find((part) => target.closest(part)) ?? null;
  });
  document.addEventListener("focusout", ({ relatedTarget }) => {
    if (relatedTarget === null && pressed) mend();
  });
  for (const name of ["pointerdown", "keydown"] as const)
    addEventListener(
      name,
      () => {
        pressed = name === "keydown";
      },
      true,
    );
  // What is taken out of the page tells nobody that it had the focus.
  new MutationObserver(() => {
    if (last !== null && !last.isConnected) {
      last = null;
      mend();
    }
  }).observe(document.body, { childList: true, subtree: true });
  let place = where.get().place.name;
  where.subscribe(() => {
    const { name } = where.get().place;
    if (name === place) return;
    place = name;
    within = null;
    mend();
  });
}
