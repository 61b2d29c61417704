import { useCallback, useEffect, useState } from "react";
import { listDevices, login } from "../api/calls";
import { asProblem, isAnswered } from "../api/client";
import { access, currentToken, keepToken } from "../api/token";
import type { ProblemBody } from "../api/types";
import { Copy } from "../parts/copy";
import { Mark } from "../parts/icons";
import { Loading, Problem } from "../parts/problem";
import { go } from "../state/router";
import { useStore } from "../state/store";

/** The codes that were posted: one is good once, and StrictMode runs effects twice. */
const posted = new Set<string>();

function deviceName(): string {
  const agent = navigator.userAgent;
  const browser = /Firefox|Edg|Chrome|Safari/.exec(agent)?.[0] ?? "Browser";
  const system = /Android|iPhone|iPad|Windows|Mac|Linux/.exec(agent)?.[0] ?? "";
  return `${browser === "Edg" ? "Edge" : browser}${system ? ` on ${system}` : ""}`;
}

/** Trades the code of a login link for a token, unless the one that is here is good still. */
async function enter(code: string): Promise<void> {
  if (await hasAccess()) return;
  const reply = await login(code, deviceName());
  keepToken(reply.token);
}

/** Whether the daemon takes the token that is here. Throws when it does not answer. */
async function hasAccess(): Promise<boolean> {
  if (currentToken() === null) return false;
  try {
    await listDevices();
    return true;
  } catch (error) {
    if (isAnswered(error)) return false;
    throw error;
  }
}

const codeHere = () => location.hash.slice(1);

/** Logs in with the code in the address, and takes it out of there. */
export function Login() {
  const [problem, setProblem] = useState<ProblemBody | null>(null);
  const [code, setCode] = useState(codeHere);
  const run = useCallback((next: string) => {
    if (next === "" || posted.has(next)) return;
    posted.add(next);
    history.replaceState(null, "", "/login");
    setCode(next);
    setProblem(null);
    enter(next)
      .then(() => go("/", "replace"))
      .catch((error: unknown) => {
        // With no answer the code may be good still.
        if (!isAnswered(error)) posted.delete(next);
        setProblem(asProblem(error));
      });
  }, []);
  useEffect(() => {
    const now = () => run(codeHere());
    now();
    addEventListener("hashchange", now);
    return () => removeEventListener("hashchange", now);
  }, [run]);
  if (code === "") return <NoAccess />;
  return (
    <main className="gate">
      <span className="mark">
        <Mark />
      </span>
      {problem ? (
        <>
          <h1>The login did not work</h1>
          <Problem problem={problem}>
            {!posted.has(code) && (
              <button type="button" className="btn" onClick={() => run(code)}>
                Try again
              </button>
            )}
          </Problem>
          <HowTo />
        </>
      ) : (
        <Loading what="Logging in" ghosts={false} />
      )}
    </main>
  );
}

export function NoAccess() {
  const why = useStore(access);
  return (
    <main className="gate">
      <span className="mark">
        <Mark />
      </span>
      <h1>{why === "refused" ? "The login is not valid any more" : "No login here yet"}</h1>
      <p>Sessions go on without this page.</p>
      <HowTo />
    </main>
  );
}

function HowTo() {
  return (
    <>
      <p>
        Run this on the machine of the daemon. It prints a link that logs this browser in, once, within ten
        minutes.
      </p>
      <pre>
        <code>qd</code>
      </pre>
      <Copy text="qd" label="Copy" />
    </>
  );
}
