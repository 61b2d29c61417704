import { BY_WORDS, SORT_WORDS } from "../list/arrange";
import { BYS, SORTS } from "../state/arrange";
import { FONT, prefs } from "../state/prefs";
import { arrange, arrangement, where } from "../state/router";
import { patch } from "../state/store";
import { action, type Context, NOT_HERE } from "./action";

const inSessions = ({ place }: Context) => place.name === "sessions";
const arranged = () => arrangement(where.get(), prefs.get());

/** Choices that have no key at first. */
export const OF_CHOICES = [
  ...BYS.map((by) =>
    action({
      id: `group-${by}` as const,
      words: by === "none" ? "no groups in the list" : `group the list by ${BY_WORDS[by].toLowerCase()}`,
      also: "arrange",
      group: "sessions",
      key: null,
      off: (c) => (!inSessions(c) ? NOT_HERE : arranged().by === by ? "It is so now" : null),
      run: () => arrange({ by }),
    }),
  ),
  ...SORTS.map((sort) =>
    action({
      id: `sort-${sort}` as const,
      words: `order the list by ${SORT_WORDS[sort].toLowerCase()}`,
      also: "arrange sort",
      group: "sessions",
      key: null,
      off: (c) => (!inSessions(c) ? NOT_HERE : arranged().sort === sort ? "It is so now" : null),
      run: () => arrange({ sort }),
    }),
  ),
  ...(["system", "dark", "light"] as const).map((theme) =>
    action({
      id: `theme-${theme}` as const,
      words: theme === "system" ? "theme as the system" : `${theme} theme`,
      also: "colours appearance",
      group: "everywhere",
      key: null,
      off: () => (prefs.get().theme === theme ? "It is so now" : null),
      run: () => patch(prefs, { theme }),
    }),
  ),
  action({
    id: "reader",
    words: "screen reader: the terminal as text, on or off",
    label: () => `Screen reader ${prefs.get().reader ? "off" : "on"}`,
    also: "accessibility",
    group: "everywhere",
    key: null,
    run: () => patch(prefs, { reader: !prefs.get().reader }),
  }),
  ...([1, -1] as const).map((step) =>
    action({
      id: step > 0 ? ("font-larger" as const) : ("font-smaller" as const),
      words: `terminal font ${step > 0 ? "larger" : "smaller"}`,
      also: "size",
      group: "everywhere",
      key: null,
      off: () => (inFont(prefs.get().fontSize + step) ? null : "It goes no further"),
      run: () => patch(prefs, { fontSize: prefs.get().fontSize + step }),
    }),
  ),
];

function inFont(size: number): boolean {
  return size >= FONT.least && size <= FONT.most;
}
