import { live } from "../api/stream";
import { Icon } from "../parts/icons";
import { Shown, Words } from "../parts/text";
import { WORDS } from "../state/acts";
import { actsOfAll, endPicking, pickAll, picked, pickedOf, refusedMany } from "../state/many";
import { sessionPath } from "../state/router";
import { sessions } from "../state/sessions";
import { useStore } from "../state/store";
import { shownRows } from "./list";
import { actOnPicked } from "./pick";
import { idsOfRows } from "./rows";

const AWAY = "The daemon does not answer";

/** How many are selected, and what can be done to all of them. */
export function PickBar() {
  const state = useStore(picked);
  const byId = useStore(sessions, (s) => s.byId);
  const rows = useStore(shownRows);
  const offline = useStore(live, (l) => l.state === "offline");
  if (!state.on) return null;
  const all = pickedOf(state, byId);
  const acts = actsOfAll(all);
  const shown = idsOfRows(rows);
  return (
    <section className="strip picks" aria-label="Selected sessions">
      <span className="count num">{all.length === 0 ? "None selected" : `${all.length} selected`}</span>
      {shown.some((id) => !state.ids.has(id)) && (
        <button type="button" className="btn bare" onClick={() => pickAll(shown)}>
          All {shown.length}
        </button>
      )}
      <button
        type="button"
        className="btn bare icon right"
        aria-label="End the selection"
        title="Esc"
        onClick={endPicking}
      >
        <Icon name="x" />
      </button>
      {all.length > 0 && (
        <span className="acts">
          {acts.map((action) => (
            <button
              key={action}
              type="button"
              className="btn"
              disabled={offline}
              title={offline ? AWAY : WORDS[action].about}
              onClick={() => actOnPicked(action)}
            >
              {WORDS[action].verb}
            </button>
          ))}
          {acts.length === 1 && all.length > 1 && (
            <span className="dim small">Nothing else fits all of them.</span>
          )}
        </span>
      )}
    </section>
  );
}

/** Who of several was refused, and why. */
export function RefusedMany() {
  const told = useStore(refusedMany);
  if (!told) return null;
  return (
    <section className="strip refused" role="alert">
      <Icon name="warn" size="s" />
      <div>
        <p className="strong">{told.words}</p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with keys */}
        <ul tabIndex={0} aria-label="What was refused">
          {told.refused.map(({ id, title, problem }) => (
            <li key={id}>
              <a className="link" href={sessionPath(id)}>
                <Shown text={title} />
              </a>
              : <Words text={problem.title} />{" "}
              <span className="mid">
                <Words text={problem.hint} />
              </span>
            </li>
          ))}
        </ul>
      </div>
      <button
        type="button"
        className="btn bare icon right"
        aria-label="Close"
        onClick={() => refusedMany.set(null)}
      >
        <Icon name="x" />
      </button>
    </section>
  );
}
