import { useEffect, useState } from "react";
import { login } from "../api/calls";
import { asProblem } from "../api/client";
import { access, keepToken } from "../api/token";
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

/** Trades the code of a login link for a token, and takes it out of the address. */
export function Login() {
  const [problem, setProblem] = useState<ProblemBody | null>(null);
  const [code] = useState(() => location.hash.slice(1));
  useEffect(() => {
    if (code === "" || posted.has(code)) return;
    posted.add(code);
    history.replaceState(null, "", "/login");
    login(code, deviceName())
      .then((reply) => {
        keepToken(reply.token, reply.device);
        go("/", "replace");
      })
      .catch((error: unknown) => setProblem(asProblem(error)));
  }, [code]);
  if (code === "") return <NoAccess />;
  return (
    <main className="gate">
      <span className="mark">
        <Mark />
      </span>
      {problem ? (
        <>
          <h1>The login did not work</h1>
          <Problem problem={problem} />
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
