import { type ReactNode, useEffect, useState } from "react";
import type { ProblemBody } from "../api/types";
import { Icon } from "./icons";
import { Shown, Words } from "./text";

/** An error in the place it concerns: what happened, then what to do. */
export function Problem({ problem, children }: { problem: ProblemBody; children?: ReactNode }) {
  return (
    <div className="problem" role="alert">
      <Icon name="warn" />
      <p className="strong">
        <Shown text={problem.title} />
      </p>
      {problem.hint && (
        <p className="mid">
          <Words text={problem.hint} />
        </p>
      )}
      {children && <div className="acts">{children}</div>}
    </div>
  );
}

const LATE_MS = 300;

/** Nothing for 300 ms, then words: most waits end before anyone needs to be told. */
export function Loading({ what, ghosts = true }: { what: string; ghosts?: boolean }) {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), LATE_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!late) return null;
  return (
    <div className="ghost" role="status">
      <span>{what}</span>
      {ghosts && (
        <>
          <i style={{ width: "74%" }} />
          <i style={{ width: "56%" }} />
          <i style={{ width: "65%" }} />
        </>
      )}
    </div>
  );
}
