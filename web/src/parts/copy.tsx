import { useEffect, useState } from "react";
import { Icon } from "./icons";

/** Puts text in the clipboard, on pages without a secure origin too. Whether it worked. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "sr";
    (document.querySelector("dialog[open]") ?? document.body).append(area);
    const before = document.activeElement;
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    if (before instanceof HTMLElement) before.focus();
    return done;
  }
}

/** A button that copies; its words say that it did. */
export function Copy({ text, label, icon }: { text: string; label: string; icon?: boolean }) {
  const [done, setDone] = useState<boolean | null>(null);
  useEffect(() => {
    if (done === null) return;
    const timer = setTimeout(() => setDone(null), 2000);
    return () => clearTimeout(timer);
  }, [done]);
  const words = done === null ? label : done ? "Copied" : "The browser refused";
  const press = async () => setDone(await copyText(text));
  if (icon) {
    return (
      <button type="button" className="copy" aria-label={words} title={words} onClick={press}>
        <Icon name={done ? "check" : "copy"} size="s" />
      </button>
    );
  }
  return (
    <button type="button" className="btn bare" onClick={press}>
      <Icon name={done ? "check" : "copy"} size="s" />
      {words}
    </button>
  );
}
