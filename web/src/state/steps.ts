/** The steps in which a session is made, as its `pending` names them. */
export const STEPS = [
  ["fetch", "Fetch the base"],
  ["worktree", "Make the worktree"],
  ["start", "Start the program"],
] as const;

/** The step that runs, in words with its number. */
export function stepWords(pending: string | null | undefined): string {
  const at = STEPS.findIndex(([step]) => step === pending);
  return at < 0 ? "Asked for" : `${at + 1} of ${STEPS.length}: ${STEPS[at]?.[1]}`;
}
