import { prefs } from "../state/prefs";
import { createStore, useStore } from "../state/store";
import type { ActionId } from "./actions";
import { isCharacter, wordOfKeys } from "./press";

type Keys = Readonly<Partial<Record<string, string | null>>>;

/** The key of each action by its id, as it is in force; null for one that has none. */
const keys = createStore<Keys>({});

/** Puts the keys that the person chose over those of the table, now and on each change. */
export function startForce(table: readonly { id: string; key: string | null; fixed?: true }[]) {
  const read = () => {
    const own = prefs.get().keys;
    const next: Record<string, string | null> = {};
    for (const { id, key, fixed } of table) next[id] = fixed || own[id] === undefined ? key : own[id];
    keys.set(next);
  };
  let last = prefs.get().keys;
  prefs.subscribe(() => {
    if (prefs.get().keys === last) return;
    last = prefs.get().keys;
    read();
  });
  read();
}

/** The key of an action, one press or more, as it is in force. */
export function keyOf(id: ActionId): string | null {
  return keys.get()[id] ?? null;
}

/** The keys of all actions, for what draws them. */
export function useKeys(): Keys {
  return useStore(keys);
}

/** Whether a key does something now: those of one letter can be turned off. */
export function isOn(key: string): boolean {
  return prefs.get().letterKeys || !isCharacter(key.split(" ")[0] ?? "");
}

/** The key of an action in words, as it can be pressed now; null when it cannot. */
export function useKeyWord(id: ActionId): string | null {
  const key = useStore(keys, (all) => all[id] ?? null);
  const letters = useStore(prefs, (p) => p.letterKeys);
  if (key === null || (!letters && !isOn(key))) return null;
  return wordOfKeys(key);
}
