import type { ITerminalOptions } from "@xterm/xterm";
import { prefs, theme } from "../state/prefs";
import { safeLink } from "./queries";
import { terminalTheme } from "./theme";

const FONT =
  'ui-monospace, "SF Mono", "Cascadia Mono", "JetBrains Mono", "Fira Code", Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace';

/** How a terminal looks and acts, by the preferences in force. */
export function options(): ITerminalOptions {
  const { contrast } = prefs.get();
  const phone = matchMedia("(max-width: 767px)").matches;
  // One less on a phone: 12 px gives it about 50 columns.
  const fontSize = prefs.get().fontSize - (phone ? 1 : 0);
  return {
    allowProposedApi: true,
    // What a program prints is no error of the page.
    logLevel: "off",
    fontFamily: FONT,
    fontSize,
    scrollback: 5000,
    theme: terminalTheme(theme.get() === "dark"),
    minimumContrastRatio: contrast ? 4.5 : 1,
    cursorInactiveStyle: "outline",
    macOptionIsMeta: true,
    rightClickSelectsWord: false,
    screenReaderMode: prefs.get().reader,
  };
}

/** Opens a link of the output, when a browser may open it without harm. */
export function follow(uri: string) {
  const safe = safeLink(uri);
  if (safe) window.open(safe, "_blank", "noopener,noreferrer");
}
