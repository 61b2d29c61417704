import { type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { Icon } from "./icons";

/** A dialog of the browser's own: it keeps the focus inside and gives it back. Esc closes it. */
export function Dialog({
  title,
  slim,
  onClose,
  children,
}: {
  title: string;
  slim?: boolean;
  onClose(): void;
  children: ReactNode;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Closed before it is taken out of the page: else the browser gives the focus to nobody.
  useLayoutEffect(() => {
    const box = ref.current;
    if (!box || box.open) return;
    box.showModal();
    // A closed dialog takes no focus, and an opened one gives it to its first button.
    box.querySelector<HTMLElement>("[data-first]")?.focus();
    return () => box.close();
  }, []);
  return (
    <dialog
      ref={ref}
      className={slim ? "dialog slim" : "dialog"}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      // A browser that was asked twice closes it unasked.
      onClose={() => {
        if (!ref.current?.open) onClose();
      }}
    >
      <header>
        <h1 id={id}>{title}</h1>
        <button type="button" className="btn bare icon right" aria-label="Close" onClick={onClose}>
          <Icon name="x" />
        </button>
      </header>
      {children}
    </dialog>
  );
}
