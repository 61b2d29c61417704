import { createStore } from "../state/store";

const KEY = "qd.token";
const DEVICE = "qd.device";

/** `missing`: never logged in here. `refused`: the daemon does not know the token any more. */
export type Access = "ok" | "missing" | "refused";

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

let token = read(KEY);

export const access = createStore<Access>(token ? "ok" : "missing");

export function currentToken(): string | null {
  return token;
}

export function keepToken(next: string, device: string) {
  token = next;
  try {
    localStorage.setItem(KEY, next);
    localStorage.setItem(DEVICE, device);
  } catch {
    // Without storage the token lasts as long as the page.
  }
  access.set("ok");
}

export function dropToken(why: "missing" | "refused") {
  token = null;
  try {
    localStorage.removeItem(KEY);
    localStorage.removeItem(DEVICE);
  } catch {
    // Nothing was kept.
  }
  access.set(why);
}
