import type { ActionId } from "./actions";
import { useKeyWord } from "./force";

/** The key of an action, as it is in force, on its button; nothing where it has none. */
export function KeyOf({ id, loud }: { id: ActionId; loud?: boolean }) {
  const word = useKeyWord(id);
  return word === null ? null : <kbd aria-hidden={loud ? undefined : true}>{word}</kbd>;
}
