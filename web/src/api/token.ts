import { createStore } from "../state/store";

const KEY = "qd.token";

/** `missing`: not logged in here. `refused`: the daemon does not know the token any more. */
export type Access = "ok" | "missing" | "refused";

function read(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

let token = read();

export const access = createStore<Access>(token ? "ok" : "missing");

export function currentToken(): string | null {
  return token;
}

export function keepToken(next: string) {
  token = next;
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // Without storage the token lasts as long as the page.
  }
  access.set("ok");
}

/** Forgets the token. */
export function dropToken(why: "missing" | "refused" = "missing") {
  const old = token;
  token = null;
  try {
    // Another tab may have a newer one by now.
    if (localStorage.getItem(KEY) === old) localStorage.removeItem(KEY);
  } catch {
    // Nothing was kept.
  }
  access.set(why);
}

/** The daemon does not know a token. It is forgotten if it is still the one in use. */
export function tokenRefused(which: string) {
  if (which === token) dropToken("refused");
}

/** Follows logins and logouts of other tabs. */
export function followTabs() {
  addEventListener("storage", (event) => {
    if (event.key !== KEY) return;
    token = read();
    access.set(token ? "ok" : "missing");
  });
}
