import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "./styles/index.css";
import { doubt, follow, live, measure } from "./api/stream";
import { access, followTabs } from "./api/token";
import { App } from "./app";
import { startKeys } from "./keys";
import { startFocus } from "./keys/focus";
import { startUse } from "./palette/use";
import { Boundary } from "./parts/boundary";
import { isPhone, startLayout } from "./parts/layout";
import { preloadTerminal } from "./session/session";
import { onDoubt } from "./state/doubt";
import { groupOf, isOpen } from "./state/groups";
import { applyTheme, followPrefs } from "./state/prefs";
import { startRouter } from "./state/router";
import { refresh, sessions, sink } from "./state/sessions";
import { startClock } from "./state/time";
import { keysUp, needsYou, say } from "./state/ui";
import { startAhead } from "./terminal/ahead";

applyTheme();
followPrefs();
startLayout();
startRouter();
startClock(() => live.get().state === "offline");
startKeys();
startFocus();
startUse();
startAhead();
followKeyboard();
announce();
followTabs();

let stop: AbortController | null = null;

/** Reads and follows as long as there is a token. */
function connect() {
  stop?.abort();
  stop = null;
  if (access.get() !== "ok") return;
  stop = new AbortController();
  void refresh();
  void follow({ ...sink, silent: renewTerminals }, stop.signal);
  measure(stop.signal);
}

access.subscribe(connect);
connect();

// Another network: what was connected over the one before may be dead, and nothing tells.
addEventListener("online", () => doubt(0));
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) doubt();
});

// Terminals wait for the daemon too, or do not know that they lost it.
let was = live.get().state;
live.subscribe(() => {
  const { state } = live.get();
  if (state === "live" && was === "offline") {
    void refresh();
    renewTerminals();
  }
  was = state;
});

// At once, before the next key: to read code for it could take a network that is not there.
function renewTerminals() {
  for (const renew of onDoubt) renew();
}

/** The page is as high as what the on-screen keyboard leaves, so that nothing is hidden below it. */
function followKeyboard() {
  const view = window.visualViewport;
  if (!view) return;
  const fit = () => {
    const up = window.innerHeight - view.height > 120 || (screen.height - view.height > 320 && isField());
    keysUp.set(up && isPhone());
    document.documentElement.style.height = window.innerHeight - view.height > 1 ? `${view.height}px` : "";
    if (view.offsetTop > 0) scrollTo(0, 0);
  };
  view.addEventListener("resize", fit);
  view.addEventListener("scroll", fit);
  document.addEventListener("focusout", () => setTimeout(fit, 50));
}

function isField(): boolean {
  return (
    document.activeElement instanceof HTMLTextAreaElement ||
    document.activeElement instanceof HTMLInputElement
  );
}

/** Tells people who listen when another session needs them. */
function announce() {
  let before = new Set<string>();
  sessions.subscribe(() => {
    const hot = new Set<string>();
    for (const session of sessions.get().byId.values())
      if (isOpen(session) && groupOf(session) === "Needs you") hot.add(session.id);
    const fresh = [...hot].find((id) => !before.has(id));
    if (fresh) say(needsYou(sessions.get().byId.get(fresh)?.title ?? "", hot.size));
    before = hot;
  });
}

// Only where browsers allow it: at localhost, or over TLS that they trust.
if (import.meta.env.PROD) void navigator.serviceWorker?.register("/sw.js").catch(() => {});

// The terminal's code is there before it is needed: it may be needed when the daemon is away.
setTimeout(preloadTerminal, 1000);

const root = document.getElementById("root");
if (root)
  createRoot(root).render(
    <StrictMode>
      <Boundary>
        <App />
      </Boundary>
    </StrictMode>,
  );
