import { Icon } from "../parts/icons";
import { Shown } from "../parts/text";
import { go, sessionPath } from "../state/router";
import { useStore } from "../state/store";
import { hideStrip, holdStrip, undo, undoStrip } from "../state/trash";

export async function undoAndSelect() {
  const id = await undo();
  if (id) go(sessionPath(id));
}

/** Stands above the list's foot for 20 s, and longer while it is pointed at or focused. */
export function UndoStrip() {
  const { done, shown, problem } = useStore(undoStrip);
  const last = done.at(-1);
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
  if (shown === 0 || !last) return null;
  return (
    <section
      className="strip"
      aria-label="Undo"
      onPointerEnter={() => holdStrip(true)}
      onPointerLeave={() => holdStrip(false)}
      onFocus={() => holdStrip(true)}
      onBlur={() => holdStrip(false)}
    >
      <Icon name="trash" size="s" />
      <span className="cut">
        {shown === 1 ? (
          <>
            “<Shown text={last.title} />” is in the trash
          </>
        ) : (
          `${shown} sessions are in the trash`
        )}
      </span>
      <button type="button" className="btn bare right" onClick={() => void undoAndSelect()}>
        Undo <kbd aria-hidden="true">U</kbd>
      </button>
    </section>
  );
}
