import type { KeyboardEvent } from "react";
import { Icon } from "../parts/icons";
import { Shown } from "../parts/text";
import { type Prefs, prefs } from "../state/prefs";
import { patch } from "../state/store";
import { keyOf, type Row } from "./rows";

type Of<K extends Row["kind"]> = { row: Extract<Row, { kind: K }>; index: number; stop: boolean };

/** Puts a group into a list of the preferences, or takes it out. */
function toggle(name: "closed" | "full", key: string) {
  const old = prefs.get()[name];
  const next = old.includes(key) ? old.filter((one) => one !== key) : [...old, key];
  patch<Prefs>(prefs, { [name]: next });
}

/** The head of a group, which opens and closes it. */
export function Head({ row, index, stop }: Of<"group">) {
  const turn = () => toggle("closed", row.key);
  const classes = ["group", row.key === "Needs you" ? "hot" : "", row.again ? "again" : ""];
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the grid
    <div
      role="row"
      aria-level={1}
      aria-rowindex={index}
      aria-expanded={!row.closed}
      tabIndex={stop ? 0 : -1}
      data-row=""
      data-key={keyOf(row)}
      className={classes.join(" ")}
      onClick={turn}
      onKeyDown={(event) => {
        if (isPress(event)) turn();
        else if (event.key === "ArrowRight" && row.closed) turn();
        else if (event.key === "ArrowLeft" && !row.closed) turn();
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: see the grid */}
      <span role="gridcell" style={{ display: "flex", gap: 6, alignItems: "center" }}>
        <Icon name={row.closed ? "fwd" : "down"} size="xs" />
        <span className="cut">
          <Shown text={row.name} />
        </span>{" "}
        <b>{row.count}</b>
      </span>
    </div>
  );
}

/** The end of a long group: shows the sessions that are left out, or leaves them out again. */
export function More({ row, index, stop }: Of<"more">) {
  const turn = () => toggle("full", row.group);
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the grid
    <div
      role="row"
      aria-level={2}
      aria-rowindex={index}
      tabIndex={stop ? 0 : -1}
      data-row=""
      data-key={keyOf(row)}
      className="more"
      onClick={turn}
      onKeyDown={(event) => {
        if (!isPress(event)) return;
        turn();
        event.preventDefault();
        event.stopPropagation();
        const self = event.currentTarget;
        // Those that came stand before it; when they went it is elsewhere.
        requestAnimationFrame(() => {
          const came = row.next === null ? null : document.getElementById(`row-${row.next}`);
          (came ?? self).focus();
        });
      }}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: see the grid */}
      <span role="gridcell">
        {row.hidden > 0 ? `Show ${row.hidden} more` : "Show fewer"}
        <span className="sr"> of {row.name}</span>
      </span>
    </div>
  );
}

function isPress(event: KeyboardEvent): boolean {
  return event.key === "Enter" || event.key === " ";
}
