import { Dialog } from "../parts/dialog";
import { patch, useStore } from "../state/store";
import type { TerminalLink } from "./link";
import { SENT_KEYS, type SentKey } from "./sendkeys";

/** Keys that a browser or a desktop takes for itself, as buttons. */
export function SendKeys({ link }: { link: TerminalLink }) {
  const open = useStore(link.pane, (p) => p.keys);
  const may = useStore(link.connection.state, () => link.connection.mayType);
  if (!open) return null;
  const close = () => patch(link.pane, { keys: false });
  const send = ({ bytes }: SentKey) => {
    close();
    link.press(bytes);
    // Once the sheet is gone, which gives the focus back to what had it.
    requestAnimationFrame(() => link.focus());
  };
  return (
    <Dialog title="Send a key" onClose={close}>
      <div className="inner sendkeys">
        {!may && <p role="alert">The terminal takes no keys now.</p>}
        {SENT_KEYS.map(({ name, keys }, part) => (
          <section key={name} aria-label={name}>
            <h2>{name}</h2>
            <div>
              {keys.map((key, i) => (
                <button
                  key={key.name}
                  type="button"
                  className="btn"
                  data-first={part === 0 && i === 0 ? "" : undefined}
                  disabled={!may}
                  onClick={() => send(key)}
                >
                  {key.name}
                </button>
              ))}
            </div>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
