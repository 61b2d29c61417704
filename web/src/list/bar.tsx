import { useState } from "react";
import { AWAY } from "../api/client";
import { live } from "../api/stream";
import type { Action, SessionView } from "../api/types";
import { Icon } from "../parts/icons";
import { number } from "../parts/number";
import { Shown, Words } from "../parts/text";
import { WORDS } from "../state/acts";
import { addTags, describeAll, pinIt, tagsOf } from "../state/describe";
import { actsOfAll, endPicking, pickAll, picked, pickedOf, refusedMany } from "../state/many";
import { sessionPath } from "../state/router";
import { sessions } from "../state/sessions";
import { useStore } from "../state/store";
import { focusSoon } from "../state/ui";
import { shownRows } from "./list";
import { actOnPicked } from "./pick";
import { idsOfRows } from "./rows";

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
  const button = (action: Action) => (
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
  );
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
          {acts.filter((action) => action !== "trash").map(button)}
          <DescribeAll all={all} offline={offline} />
          {acts.filter((action) => action === "trash").map(button)}
          {acts.length === 1 && all.length > 1 && (
            <span className="dim small">No other change of state fits all of them.</span>
          )}
        </span>
      )}
    </section>
  );
}

/** Pin, and a tag, for all of them; they stay selected. */
function DescribeAll({ all, offline }: { all: readonly SessionView[]; offline: boolean }) {
  const [tag, setTag] = useState<string | null>(null);
  const pinned = all.every((one) => one.pinned);
  const verb = pinned ? "Unpin" : "Pin";
  const title = offline ? AWAY : undefined;
  const add = () => {
    const tags = tagsOf(tag ?? "");
    setTag(null);
    focusSoon("#tag-all");
    if (tags.length > 0) void describeAll(all, `Tag ${tags.join(" ")}`, (one) => addTags(one, tags));
  };
  return (
    <>
      <button
        type="button"
        className="btn"
        disabled={offline}
        title={title}
        onClick={() => void describeAll(all, verb, () => pinIt(!pinned))}
      >
        {verb}
      </button>
      {tag === null ? (
        <button
          id="tag-all"
          type="button"
          className="btn"
          disabled={offline}
          title={title}
          onClick={() => setTag("")}
        >
          Add tag
        </button>
      ) : (
        <form
          className="field tag-all"
          onSubmit={(event) => {
            event.preventDefault();
            add();
          }}
        >
          <input
            type="text"
            aria-label={`Tag for ${number(all.length, "session")}`}
            placeholder="Tag, then Enter"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            // biome-ignore lint/a11y/noAutofocus: it was opened to be typed in
            autoFocus
            value={tag}
            onChange={(event) => setTag(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== "Escape") return;
              setTag(null);
              focusSoon("#tag-all");
            }}
          />
          <button type="submit" className="btn bare icon" aria-label="Add the tag to all">
            <Icon name="plus" size="s" />
          </button>
        </form>
      )}
    </>
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
