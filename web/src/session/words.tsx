import { useEffect, useState } from "react";
import { AWAY } from "../api/client";
import { live } from "../api/stream";
import type { ProblemBody, SessionView } from "../api/types";
import { Icon } from "../parts/icons";
import { useLayout } from "../parts/layout";
import { Shown, Words } from "../parts/text";
import {
  addTags,
  describe,
  fieldProblems,
  notesDrafts,
  pinIt,
  removeTag,
  saveNotes,
  tagsOf,
} from "../state/describe";
import { isOpen } from "../state/groups";
import { prefs } from "../state/prefs";
import { go, setQuery } from "../state/router";
import { patch, useStore } from "../state/store";
import { asideOver, say } from "../state/ui";

/** What a person says of a session: pinned or not, tags, notes. */
export function OwnWords({ session }: { session: SessionView }) {
  const offline = useStore(live, (l) => l.state === "offline");
  const off = offline || !isOpen(session);
  const refused = useStore(fieldProblems, (all) => all[`${session.id} pinned`]);
  return (
    <section className="sect own" aria-label="Tags and notes">
      <header>
        <h3>Tags and notes</h3>
        <button
          type="button"
          className="btn bare right pin"
          aria-pressed={session.pinned}
          disabled={off}
          title={offline ? AWAY : "Pinned comes first in its group"}
          onClick={() => void describe(session.id, pinIt(!session.pinned))}
        >
          <Icon name="pin" size="s" />
          {session.pinned ? "Pinned" : "Pin"}
        </button>
      </header>
      <Refusal problem={refused} />
      <Tags session={session} off={off} />
      <Notes session={session} off={off} />
    </section>
  );
}

function Refusal({ problem }: { problem: ProblemBody | undefined }) {
  if (!problem) return null;
  return (
    <p className="small refusal" role="alert">
      <Words text={problem.title} />{" "}
      <span className="mid">
        <Words text={problem.hint} />
      </span>
    </p>
  );
}

function Tags({ session, off }: { session: SessionView; off: boolean }) {
  const { id, tags } = session;
  const [text, setText] = useState("");
  const phone = useLayout() === "phone";
  const refused = useStore(fieldProblems, (all) => all[`${id} tags`]);
  const add = async () => {
    const typed = tagsOf(text);
    if (typed.length === 0) return;
    setText("");
    const problem = await describe(id, addTags(session, typed));
    // What was refused can be mended, unless the next one is being typed.
    if (problem) setText((now) => now || typed.join(" "));
    else say(`Tagged ${typed.join(", ")}`);
  };
  const remove = (tag: string, at: number) => {
    void describe(id, removeTag(session, tag));
    requestAnimationFrame(() => {
      const others = document.querySelectorAll<HTMLElement>("#details .tagged > button:last-child");
      const next = others[Math.min(at, others.length - 1)] ?? document.getElementById("add-tag");
      next?.focus();
    });
  };
  const find = (tag: string) => {
    asideOver.set(false);
    if (phone) go("/");
    else patch(prefs, { list: true });
    setQuery("q", `tag:${tag}`);
  };
  return (
    <>
      {tags.length > 0 && (
        <ul className="tags" aria-label="Tags">
          {tags.map((tag, at) => (
            <li className="tagged" key={tag}>
              <button type="button" title={`Only sessions with tag:${tag}`} onClick={() => find(tag)}>
                <span className="cut">
                  <Shown text={tag} />
                </span>
              </button>
              <button
                type="button"
                aria-label={`Remove the tag ${tag}`}
                disabled={off}
                onClick={() => remove(tag, at)}
              >
                <Icon name="x" size="xs" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <div className="field quiet">
          <input
            id="add-tag"
            type="text"
            aria-label="Add a tag"
            placeholder="Add a tag"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            disabled={off}
            aria-invalid={refused !== undefined}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== "Escape") return;
              setText("");
              event.currentTarget.blur();
            }}
          />
          {text.trim() !== "" && (
            <button type="submit" className="btn bare icon" aria-label="Add the tag">
              <Icon name="plus" size="s" />
            </button>
          )}
        </div>
      </form>
      <Refusal problem={refused} />
    </>
  );
}

function Notes({ session, off }: { session: SessionView; off: boolean }) {
  const { id } = session;
  const draft = useStore(notesDrafts, (all) => all[id]);
  const refused = useStore(fieldProblems, (all) => all[`${id} notes`]);
  // Another session takes its place, or the page is left, without the field losing the focus.
  useEffect(() => {
    const save = () => void saveNotes(id);
    document.addEventListener("visibilitychange", save);
    return () => {
      document.removeEventListener("visibilitychange", save);
      save();
    };
  }, [id]);
  return (
    <>
      <div className="field quiet area">
        <textarea
          aria-label="Notes"
          placeholder="Notes"
          rows={2}
          disabled={off}
          aria-invalid={refused !== undefined}
          value={draft ?? session.notes}
          onChange={(event) => notesDrafts.set((old) => ({ ...old, [id]: event.target.value }))}
          onBlur={() => void saveNotes(id)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
              event.preventDefault();
              void saveNotes(id);
            }
          }}
        />
      </div>
      {draft !== undefined && draft !== session.notes && (
        <p className="small dim">Not saved yet: Ctrl Enter, or leave the field.</p>
      )}
      <Refusal problem={refused} />
    </>
  );
}
