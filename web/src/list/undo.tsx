import type { Action } from "../api/types";
import { KeyOf } from "../keys/cap";
import { Icon, type IconName } from "../parts/icons";
import { Shown } from "../parts/text";
import { heldOf, hideStrip, holdStrip, nextUndo, stripWords, undo, undoStrip, WORDS } from "../state/acts";
import { losses } from "../state/loss";
import { refusedOf } from "../state/many";
import { go, sessionPath } from "../state/router";
import { sessions } from "../state/sessions";
import { useStore } from "../state/store";

const STRIP_ICONS: Partial<Record<Action, IconName>> = { pause: "pause", hibernate: "moon" };

export async function undoAndSelect() {
  const all = nextUndo();
  const [only] = all;
  if (!only) return;
  if (all.length === 1) go(sessionPath(only.id));
  const ended = await undo();
  if (all.length > 1)
    refusedOf(
      WORDS[only.act].undo ?? only.act,
      ended.map(({ one, problem }) => ({ ...one, problem })),
    );
}

/** Stands above the list's foot for 20 s, and longer while it is pointed at or focused. */
export function UndoStrip() {
  const strip = useStore(undoStrip);
  const words = useStore(sessions, ({ byId }) => stripWords(strip, byId));
  const held = useStore(losses, (known) => heldOf(strip, known));
  const { done, problem } = strip;
  if (problem)
    return (
      <div className="strip" role="alert">
        <Icon name="warn" size="s" />
        <span className="cut" title={problem.hint}>
          <Shown text={problem.title} />
        </span>
        <button type="button" className="btn bare icon right" aria-label="Close" onClick={hideStrip}>
          <Icon name="x" />
        </button>
      </div>
    );
  if (words === "") return null;
  return (
    <section
      className="strip"
      aria-label="Undo"
      onPointerEnter={() => holdStrip(true)}
      onPointerLeave={() => holdStrip(false)}
      onFocus={() => holdStrip(true)}
      onBlur={() => holdStrip(false)}
    >
      <Icon name={STRIP_ICONS[done.at(-1)?.act ?? "trash"] ?? "trash"} size="s" />
      <span className="words">
        <span className="cut">
          <Shown text={words} />
        </span>
        {held !== "" && (
          <span className="about">
            <Shown text={held} />
          </span>
        )}
      </span>
      <button type="button" className="btn bare right" onClick={() => void undoAndSelect()}>
        Undo <KeyOf id="undo" />
      </button>
    </section>
  );
}
