import { useEffect, useRef } from "react";
import { AWAY } from "../api/client";
import { live } from "../api/stream";
import { Icon } from "../parts/icons";
import { number } from "../parts/number";
import { Keys, Shown, Words } from "../parts/text";
import { sessions } from "../state/sessions";
import { stepWords } from "../state/steps";
import { useStore } from "../state/store";
import { type Asked, type Stage, stageOf, tryAgain } from "./batch";

/** How far each of several sessions is. */
export function Progress({
  all,
  onMade,
  onChange,
  onClose,
}: {
  all: Asked[];
  /** All of them are made. */
  onMade(): void;
  /** Those that failed are to be changed first. */
  onChange(): void;
  onClose(): void;
}) {
  const byId = useStore(sessions, (s) => s.byId);
  const offline = useStore(live, (l) => l.state === "offline");
  const stages = all.map((one) => stageOf(one, byId));
  const count = (at: Stage["at"]) => stages.filter((stage) => stage.at === at).length;
  const failed = count("failed");
  const made = count("made");
  const busy = count("waits") + count("makes") > 0;
  const done = made === all.length;
  const list = useRef<HTMLOListElement>(null);
  // What had the focus is gone; the keys work from here.
  useEffect(() => list.current?.focus(), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the last one is made
  useEffect(() => {
    if (done) onMade();
  }, [done]);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with keys */}
      <ol className="asked" ref={list} aria-label="Sessions that are made" tabIndex={0}>
        {all.map((one, i) => (
          <One key={one.key} one={one} stage={stages[i] ?? { at: "waits" }} />
        ))}
      </ol>
      <footer>
        <div className="go wrap">
          <span className="dim" role="status">
            {offline
              ? `${AWAY}. What was asked for is kept.`
              : `${made} of ${number(all.length, "session")} made${failed > 0 ? `, ${failed} failed` : ""}`}
          </span>
          <button type="button" className="btn bare tall right" onClick={onClose}>
            Close <kbd aria-hidden="true">Esc</kbd>
          </button>
          {failed > 0 && !busy && (
            <>
              <button type="button" className="btn tall" onClick={onChange}>
                Change
              </button>
              <button
                type="button"
                id="try-again"
                className="btn ink tall"
                disabled={offline}
                onClick={() => void tryAgain()}
              >
                Try again
                <Keys keys={["Ctrl", "Enter"]} />
              </button>
            </>
          )}
        </div>
      </footer>
    </>
  );
}

const ICONS = { waits: "minus", makes: "fwd", made: "check", failed: "warn" } as const;

function One({ one, stage }: { one: Asked; stage: Stage }) {
  const words =
    stage.at === "waits"
      ? "Waits"
      : stage.at === "makes"
        ? stepWords(stage.step)
        : stage.at === "failed"
          ? "Failed"
          : stage.ended
            ? "Ended"
            : "Runs";
  return (
    <li className={stage.at}>
      <Icon name={ICONS[stage.at]} size="s" />
      <span className="title">
        <Shown text={one.title} />
      </span>
      <span className="stage">{words}</span>
      {stage.at === "failed" && (
        <div className="why" role="alert">
          <p className="hint bad">
            <Shown text={stage.problem.title} />
          </p>
          <p className="hint">
            <Words text={stage.problem.hint} />
          </p>
        </div>
      )}
    </li>
  );
}
