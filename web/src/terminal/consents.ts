import { createStore } from "../state/store";

/** What was answered about the clipboard, by session; without an answer it is asked. */
export const consents = createStore<Readonly<Record<string, "ask" | "allow" | "deny">>>({});
