import type { ITerminalOptions } from "@xterm/xterm";
import { isPhone } from "../parts/layout";
import { highContrast, prefs, theme } from "../state/prefs";
import { safeLink } from "./queries";
import { terminalTheme } from "./theme";

const FONT =
  'ui-monospace, "SF Mono", "Cascadia Mono", "JetBrains Mono", "Fira Code", Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace';

/** The contrast that text has at least (WCAG 1.4.3 and 1.4.6), where that is wanted. */
const READABLE = 4.5;
const HIGH = 7;

/** One less on a phone, px: 12 px gives it about 50 columns. */
export function smaller(): number {
  return isPhone() ? 1 : 0;
}

/** How a terminal looks and acts, by the preferences in force. */
export function options(): ITerminalOptions {
  const { contrast } = prefs.get();
  return {
    allowProposedApi: true,
    // What a program prints is no error of the page.
    logLevel: "off",
    fontFamily: FONT,
    fontSize: prefs.get().fontSize - smaller(),
    scrollback: 5000,
    theme: terminalTheme(theme.get() === "dark"),
    minimumContrastRatio: highContrast.get() ? HIGH : contrast ? READABLE : 1,
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
