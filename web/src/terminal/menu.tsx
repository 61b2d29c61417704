import type { SessionView } from "../api/types";
import { shownRows } from "../list/list";
import { idsOfRows } from "../list/rows";
import { Icon } from "../parts/icons";
import { useLayout } from "../parts/layout";
import { type Entry, Menu } from "../parts/menu";
import { hasTerminal } from "../state/groups";
import { prefs } from "../state/prefs";
import { where } from "../state/router";
import { sessions } from "../state/sessions";
import { closePane, hasRoom, splittable, splitWith } from "../state/split";
import { patch, useStore } from "../state/store";
import type { TerminalLink } from "./link";

const FULL = "Four stand beside each other already";
const ALONE = "There is no other session";
const OFF = "The terminal takes no keys now";

/** What can be done with a terminal. */
export function TerminalMenu({ link, phone }: { link: TerminalLink; phone: boolean }) {
  const may = useStore(link.connection.state, () => link.connection.mayType);
  const live = useStore(link.connection.state, (s) => s.status === "live" && s.exit === null);
  const { own, selected } = useStore(link.pane);
  const contrast = useStore(prefs, (p) => p.contrast);
  const fit = own ? "It fits already" : live ? undefined : OFF;
  const entries: Entry[] = [
    { label: "Search the output", key: "Ctrl Shift F", run: () => patch(link.pane, { find: true }) },
    {
      label: "Copy",
      key: "Ctrl Shift C",
      off: selected ? undefined : "Nothing is selected",
      run: () => link.copySelection(),
    },
    {
      label: "Send a key",
      about: "Those that the browser takes, such as Ctrl W",
      key: "E",
      off: may ? undefined : OFF,
      run: () => patch(link.pane, { keys: true }),
    },
    {
      label: "Fit to me",
      about: fit ?? "Takes the keys. The one who types sets the size; looking does not",
      key: "Z",
      off: fit,
      run: () => link.fitToMe(),
    },
    {
      label: "Contrast of at least 4.5",
      about: "Of all text, whatever colours the program chose",
      checked: contrast,
      run: () => patch(prefs, { contrast: !contrast }),
    },
  ];
  return (
    <Menu name="Terminal" className={phone ? "ptap" : "btn bare icon low"} entries={entries}>
      <Icon name="term" size={phone ? undefined : "s"} />
    </Menu>
  );
}

/** Shows others beside it: the next in the list, or one that is chosen. */
export function SplitMenu({ session }: { session: SessionView }) {
  const panes = useStore(where, (w) => w.panes);
  const rows = useStore(shownRows);
  const order = idsOfRows(rows);
  useStore(sessions, (s) => s.byId);
  if (useLayout() === "phone") return null;
  const others = splittable(order).filter(hasTerminal);
  const off = !hasRoom() ? FULL : others.length === 0 ? ALONE : undefined;
  const entries: Entry[] = [
    { label: "Split right", about: others[0]?.title, key: "V", off, run: () => splitWith(others[0]?.id) },
    ...(panes.length > 1
      ? [{ label: "Close this pane", key: "Shift V", run: () => closePane(session.id) }]
      : []),
    ...(off === undefined ? others.slice(0, 30) : []).map((other, i) => ({
      id: other.id,
      label: other.title,
      about: other.agent,
      head: i === 0 ? "Beside it" : undefined,
      run: () => splitWith(other.id),
    })),
  ];
  return (
    <Menu name="Split" className="btn bare icon low" entries={entries}>
      <Icon name="split" size="s" />
    </Menu>
  );
}
