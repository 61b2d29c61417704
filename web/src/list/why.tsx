import { type PointerEvent, useEffect, useLayoutEffect, useRef } from "react";
import { Icon } from "../parts/icons";
import { Shown } from "../parts/text";
import { isSeen, Reasons, StateLine, sourceWord } from "../session/why";
import { isOpen, sinceOf } from "../state/groups";
import { sessions } from "../state/sessions";
import { createStore, useStore } from "../state/store";
import { clock } from "../state/time";

/** By a pointer that rests it comes and goes by itself; else it has the focus until it is closed. */
type By = "hover" | "key" | "touch";

const shown = createStore<{ id: string; by: By } | null>(null);

const REST_MS = 400;
/** So long a pointer may be on its way into the card. */
const LEAVE_MS = 200;

const STOP = '.sessions [data-row][tabindex="0"], #main';

let over: string | null = null;
let coming: ReturnType<typeof setTimeout> | undefined;
let going: ReturnType<typeof setTimeout> | undefined;

/** Shows why the session of a row is in its state. */
export function showWhy(id: string, by: By) {
  clearTimeout(coming);
  clearTimeout(going);
  shown.set({ id, by });
}

/** Closes the card. A focus that was in it goes back to the row, unless it went elsewhere. */
export function hideWhy() {
  clearTimeout(coming);
  const now = shown.get();
  if (!now) return;
  shown.set(null);
  if (now.by === "hover") return;
  requestAnimationFrame(() => {
    if (document.activeElement !== document.body) return;
    const row = document.getElementById(`row-${now.id}`);
    (row ?? document.querySelector<HTMLElement>(STOP))?.focus();
  });
}

function hideSoon() {
  clearTimeout(going);
  if (shown.get()?.by === "hover") going = setTimeout(hideWhy, LEAVE_MS);
}

/** What the list tells of a pointer. A list that moves below one that is still is not pointed at. */
export const hover = {
  onPointerMove(event: PointerEvent) {
    if (event.pointerType !== "mouse" || event.buttons !== 0) return;
    const row = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-id]") : null;
    const id = row?.dataset.id ?? null;
    if (id === over) return;
    over = id;
    clearTimeout(coming);
    if (id !== null && id === shown.get()?.id) return clearTimeout(going);
    hideSoon();
    if (id !== null && (shown.get()?.by ?? "hover") === "hover")
      coming = setTimeout(() => showWhy(id, "hover"), REST_MS);
  },
  onPointerLeave() {
    over = null;
    clearTimeout(coming);
    hideSoon();
  },
  /** What was pressed is opened: who opens it does not ask. */
  onPointerDown() {
    clearTimeout(coming);
    if (shown.get()?.by === "hover") hideWhy();
  },
};

/** The card beside a row: the state, since when, from which source, how sure. */
export function WhyCard() {
  const now = useStore(shown);
  const session = useStore(sessions, (s) => (now ? s.byId.get(now.id) : undefined));
  const card = useRef<HTMLDivElement>(null);
  const { id, by } = now ?? { id: null, by: null };
  const gone = !session || !isOpen(session);

  useLayoutEffect(() => {
    const row = id === null || gone ? null : document.getElementById(`row-${id}`);
    if (!card.current || !row) return hideWhy();
    place(card.current, row);
    if (by !== "hover") card.current.focus({ preventScroll: true });
  }, [id, by, gone]);

  useEffect(() => {
    if (by === null) return;
    const away = (event: Event) => {
      if (event.target instanceof Node && !card.current?.contains(event.target)) hideWhy();
    };
    const onKey = (event: KeyboardEvent) => {
      const typed = event.key.length === 1 && !event.ctrlKey && !event.metaKey;
      if (event.key !== "Escape" && !(by === "hover" && typed)) return;
      // In a terminal the key is the program's as well.
      if (event.key === "Escape" && !document.activeElement?.closest(".term")) event.preventDefault();
      hideWhy();
    };
    document.addEventListener("pointerdown", away);
    document.addEventListener("keydown", onKey, true);
    addEventListener("resize", hideWhy);
    return () => {
      document.removeEventListener("pointerdown", away);
      document.removeEventListener("keydown", onKey, true);
      removeEventListener("resize", hideWhy);
    };
  }, [by]);

  if (!now || gone) return null;
  const { attention } = session;
  return (
    <div
      ref={card}
      className="why"
      role="dialog"
      aria-label={`Why: ${session.title}`}
      tabIndex={-1}
      onPointerEnter={() => clearTimeout(going)}
      onPointerLeave={hideSoon}
      onKeyDown={(event) => {
        if (event.key !== "i") return;
        event.preventDefault();
        hideWhy();
      }}
      onBlur={(event) => {
        if (by === "hover" || event.currentTarget.contains(event.relatedTarget)) return;
        if (document.activeElement !== event.target) hideWhy();
      }}
    >
      <p className="cut small dim">
        <Shown text={session.title} />
      </p>
      <header>
        <StateLine session={session} title="strong" />
      </header>
      <Reasons session={session} />
      <p className="small dim num">
        {isSeen(session) && `${sourceWord(attention.source)}, ${attention.confidence.toFixed(2)} of 1 sure. `}
        Since {clock(sinceOf(session))}.
      </p>
      {by !== "hover" && (
        <button type="button" className="btn bare icon" aria-label="Close" onClick={hideWhy}>
          <Icon name="x" />
        </button>
      )}
    </div>
  );
}

const EDGE_PX = 8;

/** Beside the list where there is room, else below the row, else above it. */
function place(card: HTMLElement, row: HTMLElement) {
  const at = row.getBoundingClientRect();
  const right = (row.closest(".sessions") ?? row).getBoundingClientRect().right;
  const { offsetWidth: width, offsetHeight: height } = card;
  const beside = right + width + 2 * EDGE_PX <= innerWidth;
  const below = at.bottom + height + EDGE_PX <= innerHeight;
  const left = beside ? right + EDGE_PX : Math.min(at.left + EDGE_PX, innerWidth - width - EDGE_PX);
  const top = beside ? Math.min(at.top, innerHeight - height - EDGE_PX) : below ? at.bottom : at.top - height;
  card.style.left = `${Math.max(EDGE_PX, left)}px`;
  card.style.top = `${Math.max(EDGE_PX, top)}px`;
}
