import { Dialog } from "../parts/dialog";
import { Keys } from "../parts/text";
import { prefs } from "../state/prefs";
import { go, where } from "../state/router";
import { useStore } from "../state/store";
import { dialog, focusSoon } from "../state/ui";
import { ACTIONS, GROUPS } from "./actions";
import { isOn, useKeys } from "./force";
import { capsOf, wordOfKeys } from "./press";

/** The keys that do something here, as they are in force. */
export function KeySheet() {
  const { place } = useStore(where);
  const keys = useKeys();
  const letters = useStore(prefs, (p) => p.letterKeys);
  const inSessions = place.name === "sessions";
  const tab = inSessions ? place.tab : null;
  const here = GROUPS.filter(
    ({ group }) =>
      group === "everywhere" || (group === "diff" || group === "ship" ? group === tab : inSessions),
  );
  return (
    <Dialog title="Keys" onClose={() => dialog.set(null)}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with keys */}
      <div className="inner keysheet" tabIndex={0}>
        {!letters && <p>Keys of one letter are off. The others hold.</p>}
        {here.map(({ group, title }) => {
          const rows = ACTIONS.flatMap((one) => {
            const key = keys[one.id];
            return one.group === group && key && isOn(key) ? [{ ...one, key }] : [];
          });
          if (rows.length === 0) return null;
          return [
            <h2 key={group}>{title}</h2>,
            ...rows.map(({ id, words, key }) => (
              <div key={id}>
                <span>{words}</span>
                <span className="sr">{wordOfKeys(key)}</span>
                <Keys keys={capsOf(key)} />
              </div>
            )),
          ];
        })}
      </div>
      <footer className="go">
        <button
          type="button"
          className="btn"
          onClick={() => {
            dialog.set(null);
            go("/settings");
            focusSoon("#keys");
          }}
        >
          Change the keys
        </button>
      </footer>
    </Dialog>
  );
}
