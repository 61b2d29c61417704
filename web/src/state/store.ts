import { useSyncExternalStore } from "react";

/** A value outside React that components can watch. */
export interface Store<T> {
  get(): T;
  set(next: T | ((old: T) => T)): void;
  subscribe(listener: () => void): () => void;
}

export function createStore<T>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      const to = typeof next === "function" ? (next as (old: T) => T)(value) : next;
      if (Object.is(to, value)) return;
      value = to;
      for (const listener of [...listeners]) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** A store that outlives a reload of its tab. */
export function createKeptStore<T extends object>(key: string, initial: T): Store<T> {
  const store = createStore(initial);
  try {
    const text = sessionStorage.getItem(key);
    if (text) store.set({ ...initial, ...(JSON.parse(text) as Partial<T>) });
  } catch {
    // Broken or no storage: it begins anew.
  }
  store.subscribe(() => {
    try {
      sessionStorage.setItem(key, JSON.stringify(store.get()));
    } catch {
      // It lasts as long as the page.
    }
  });
  return store;
}

/** Changes some fields of a store that holds an object. */
export function patch<T extends object>(store: Store<T>, fields: Partial<T>) {
  store.set((old) => {
    for (const key of Object.keys(fields) as (keyof T)[]) {
      if (!Object.is(old[key], fields[key])) return { ...old, ...fields };
    }
    return old;
  });
}

/** The selected part must be the same object as long as it has not changed. */
export function useStore<T, S = T>(store: Store<T>, select: (value: T) => S = (v) => v as unknown as S): S {
  const read = () => select(store.get());
  return useSyncExternalStore(store.subscribe, read, read);
}
