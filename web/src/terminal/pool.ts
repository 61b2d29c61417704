import { onDoubt } from "../state/doubt";
import { TerminalLink } from "./link";

/** So many terminals keep their screen, the last seen ones. */
const KEPT = 6;
/** A terminal that is not seen leaves after so long, so that going through the list does not connect and leave all the time. */
const LEAVE_MS = 3000;

const links = new Map<string, TerminalLink>();
const leaving = new Map<string, ReturnType<typeof setTimeout>>();

function urlOf(id: string): string {
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  return `${scheme}//${location.host}/api/v1/sessions/${encodeURIComponent(id)}/terminal`;
}

/** The terminal of a session: the one that was there, or a new one. */
export function linkOf(id: string): TerminalLink {
  const old = links.get(id);
  const link = old ?? new TerminalLink(id, urlOf(id));
  links.delete(id);
  links.set(id, link);
  for (const [name, stale] of links) {
    if (links.size <= KEPT) break;
    if (name === id || stale.shown) continue;
    links.delete(name);
    stale.dispose();
  }
  return link;
}

export function show(link: TerminalLink, box: HTMLElement) {
  const timer = leaving.get(link.id);
  if (timer) clearTimeout(timer);
  leaving.delete(link.id);
  void link.mount(box).then(() => {
    if (!leaving.has(link.id) && links.has(link.id)) link.connection.start();
  });
}

export function hide(link: TerminalLink) {
  link.unmount();
  leaving.set(
    link.id,
    setTimeout(() => {
      leaving.delete(link.id);
      link.connection.stop();
    }, LEAVE_MS),
  );
}

// The daemon was away, or is: whoever waits for it tries at once, and nobody trusts an old connection.
onDoubt.add(() => {
  for (const link of links.values()) link.connection.renew();
});
