import { useEffect, useRef, useState } from "react";
import type { SessionView, ShipView } from "../api/types";
import { KeyOf } from "../keys/cap";
import { useStore } from "../state/store";
import { drafts, type ShipModel } from "./state";

/** A commit of what is not committed. */
export function CommitForm({
  session,
  view,
  model,
  off,
}: {
  session: SessionView;
  view: ShipView;
  model: ShipModel;
  off: boolean;
}) {
  const { id, title } = session;
  const message = useStore(drafts, (all) => all[id]) ?? title;
  const [staged, setStaged] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const files = view.uncommitted;
  const words = (
    [
      [files.staged, "staged"],
      [files.unstaged, "changed"],
      [files.untracked, "untracked"],
      [files.conflicted, "in conflict"],
    ] as const
  ).flatMap(([n, word]) => (n > 0 ? [`${n} ${word}`] : []));
  const only = staged && files.staged > 0;

  useEffect(() => {
    const focus = () => {
      field.current?.focus();
      field.current?.select();
    };
    addEventListener("qd:ship-commit", focus);
    return () => removeEventListener("qd:ship-commit", focus);
  }, []);

  const commit = async () => {
    if (off || message.trim() === "") return;
    if (await model.commit({ message, staged: only })) drafts.set(({ [id]: _, ...others }) => others);
  };
  return (
    <section aria-labelledby="ship-open">
      <header>
        <h2 id="ship-open">Not committed</h2>
        {words.length > 0 && <span className="dim num small">{words.join(", ")}</span>}
      </header>
      {words.length === 0 ? (
        <p className="mid">All is committed.</p>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void commit();
          }}
        >
          <div className="field area">
            <textarea
              ref={field}
              aria-label="Message of the commit"
              rows={3}
              value={message}
              onChange={(event) => drafts.set((old) => ({ ...old, [id]: event.target.value }))}
              onKeyDown={(event) => {
                if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
                  event.preventDefault();
                  void commit();
                } else if (event.key === "Escape") event.currentTarget.blur();
              }}
            />
          </div>
          <div className="acts">
            {files.staged > 0 && (
              <fieldset className="seg">
                <legend className="sr">What to commit</legend>
                <label>
                  <input type="radio" name="what" checked={!only} onChange={() => setStaged(false)} />
                  All
                </label>
                <label>
                  <input type="radio" name="what" checked={only} onChange={() => setStaged(true)} />
                  Staged
                </label>
              </fieldset>
            )}
            <span className="dim small">Hooks run, and it is signed as you have it set up.</span>
            <button
              type="submit"
              className="btn right"
              disabled={off || message.trim() === "" || files.conflicted > 0}
            >
              Commit <KeyOf id="ship-commit" />
            </button>
          </div>
        </form>
      )}
    </section>
  );
}
