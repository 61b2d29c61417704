/** A latch of the key bar: off, for one key, or until it is pressed again. */
export type Latch = "off" | "once" | "locked";

/** What stands around a terminal. */
export interface PaneState {
  focused: boolean;
  /** A paste that waits for a yes. */
  paste: string | null;
  /** A text that the program wants in the clipboard. */
  clipboard: string | null;
  /** A link that was pressed and whose target its text does not tell. */
  link: string | null;
  find: boolean;
  /** The sheet with keys that a browser takes is open. */
  keys: boolean;
  ctrl: Latch;
  alt: Latch;
  /** Some of the screen is selected. */
  selected: boolean;
  /** Whether the screen is as large as this viewer would have it. */
  own: boolean;
}

export const PLAIN_PANE: PaneState = {
  focused: false,
  paste: null,
  clipboard: null,
  link: null,
  find: false,
  keys: false,
  ctrl: "off",
  alt: "off",
  selected: false,
  own: true,
};
