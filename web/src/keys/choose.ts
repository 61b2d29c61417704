import { prefs } from "../state/prefs";
import { patch } from "../state/store";
import type { Action } from "./action";
import { ACTIONS, type ActionId, actionOf } from "./actions";
import { keyOf } from "./force";
import { ALWAYS_LEAVES } from "./of-place";
import { isCharacter, isTaken, wordOfKeys } from "./press";

/** Another action that a key is taken by. */
export interface Clash {
  other: Action<ActionId>;
  /** Both can be kept: where both hold, the one of the narrower place wins. */
  canBoth: boolean;
}

const isSame = (a: string, b: string) => a === b || a.startsWith(`${b} `) || b.startsWith(`${a} `);

/** Who has a key already, or one that begins with it. */
export function clashOf(id: ActionId, keys: string): Clash | null {
  const { group } = actionOf(id);
  const taken = ACTIONS.filter((one) => one.id !== id && isSame(keyOf(one.id) ?? "\0", keys)).filter(
    // The terminal has no keys in common with the rest of the page.
    (one) => (one.group === "terminal") === (group === "terminal"),
  );
  const other = taken.find((one) => one.group === group) ?? taken[0];
  return other ? { other, canBoth: other.group !== group } : null;
}

/** Why a key cannot be had for an action at all; null when it can. */
export function refusalOf(id: ActionId, keys: string): string | null {
  const word = wordOfKeys(keys);
  if (keys !== actionOf(id).key && keys.split(" ").some(isTaken))
    return `${word} moves and chooses everywhere.`;
  const fixed = ACTIONS.find((one) => one.fixed && one.key === keys && one.group === "terminal");
  if (fixed && (id === "leave" || keys === ALWAYS_LEAVES)) return `${word} is kept: ${fixed.words}.`;
  if (actionOf(id).group !== "terminal")
    return keys === keyOf("leave") ? `${word} leaves the terminal.` : null;
  if (keys.includes(" ")) return "What leaves the terminal is one press.";
  return isCharacter(keys) || /^Shift\+/.test(keys)
    ? `${word} is for the program. Choose one with Ctrl or Alt, or a key such as F8.`
    : null;
}

/** Gives an action a key, or none. */
export function setKey(id: ActionId, keys: string | null) {
  const own = { ...prefs.get().keys };
  if (keys === actionOf(id).key) delete own[id];
  else own[id] = keys;
  patch(prefs, { keys: own });
}

/** Gives a key to an action, and to the one that had it the key that the action had. */
export function swapKeys(id: ActionId, keys: string, other: ActionId) {
  const old = keyOf(id);
  setKey(other, old);
  setKey(id, keys);
}

/** Whether its key was chosen. */
export function isChosen(id: ActionId, own = prefs.get().keys): boolean {
  return own[id] !== undefined && own[id] !== actionOf(id).key;
}

export function resetAll() {
  patch(prefs, { keys: {} });
}
