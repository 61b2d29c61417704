import type { Action, Group } from "./action";
import { OF_CHOICES } from "./of-choices";
import { OF_LIST } from "./of-list";
import { OF_PAGE } from "./of-page";
import { OF_PANES } from "./of-panes";
import { OF_DIFF, OF_TERMINAL } from "./of-place";
import { OF_SESSION } from "./of-session";
import { OF_SHIP } from "./of-ship";

const ON_SESSION = [...OF_SESSION, ...OF_PANES].map((one) => ({ ...one, onSession: true as const }));
const TABLE = [...OF_DIFF, ...OF_SHIP, ...OF_LIST, ...ON_SESSION, ...OF_TERMINAL, ...OF_PAGE, ...OF_CHOICES];

export type ActionId = (typeof TABLE)[number]["id"];

/** All that can be done in the page. */
export const ACTIONS: readonly Action<ActionId>[] = TABLE;

export const GROUPS: readonly { group: Group; title: string }[] = [
  { group: "diff", title: "In the diff" },
  { group: "ship", title: "In Ship" },
  { group: "sessions", title: "In Sessions" },
  { group: "terminal", title: "In the terminal, every key goes to the program but" },
  { group: "everywhere", title: "Everywhere" },
];

export function groupTitle(of: Group): string {
  return of === "terminal" ? "In the terminal" : (GROUPS.find(({ group }) => group === of)?.title ?? "");
}

const BY_ID = new Map(ACTIONS.map((one) => [one.id, one]));

export function actionOf(id: ActionId): Action<ActionId> {
  const found = BY_ID.get(id);
  if (!found) throw new Error(`no action is called ${id}`);
  return found;
}
