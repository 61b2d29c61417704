import type { ITheme } from "@xterm/xterm";

/** The terminal's colours, from the tokens of the theme in force. */
export function terminalTheme(dark: boolean): ITheme {
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const ansi = {
    red: token("a-red"),
    green: token("a-green"),
    yellow: token("a-yellow"),
    blue: token("a-blue"),
    magenta: token("a-magenta"),
    cyan: token("a-cyan"),
  };
  const system = systemColours();
  const background = system?.background ?? token("bg-0");
  const foreground = system?.foreground ?? token("fg-1");
  return {
    background,
    foreground,
    cursor: foreground,
    cursorAccent: background,
    selectionBackground: dark ? "#63a9ff55" : "#0b63ce3d",
    scrollbarSliderBackground: dark ? "#8995a040" : "#5b676740",
    scrollbarSliderHoverBackground: dark ? "#8995a070" : "#5b676770",
    scrollbarSliderActiveBackground: dark ? "#8995a090" : "#5b676790",
    black: dark ? token("bg-3") : token("fg-1"),
    ...ansi,
    white: token("fg-2"),
    brightBlack: token("a-dim"),
    brightRed: ansi.red,
    brightGreen: ansi.green,
    brightYellow: ansi.yellow,
    brightBlue: ansi.blue,
    brightMagenta: ansi.magenta,
    brightCyan: ansi.cyan,
    brightWhite: token("fg-1"),
  };
}

/** The colours that the system forces on pages, where it does. */
function systemColours(): { background: string; foreground: string } | null {
  if (!matchMedia("(forced-colors: active)").matches) return null;
  const probe = document.createElement("i");
  probe.style.background = "Canvas";
  probe.style.color = "CanvasText";
  document.body.append(probe);
  const { backgroundColor, color } = getComputedStyle(probe);
  probe.remove();
  return { background: backgroundColor, foreground: color };
}
