/** What a template may leave open, as it is filled in when a session is made. */
export const OPEN = ["title", "branch", "repo", "base", "agent"] as const;

export type Open = (typeof OPEN)[number];

const PLACE = /\{(title|branch|repo|base|agent)\}/g;

/** The places in a text that can be filled in, each once. */
export function placesIn(text: string): Open[] {
  return [...new Set([...text.matchAll(PLACE)].map((match) => match[1] as Open))];
}

/** The text with its places filled in. One that nothing is known for goes away. */
export function fillIn(text: string, known: Partial<Record<Open, string>>): string {
  return text.replace(PLACE, (_, name: Open) => known[name] ?? "");
}
