/** A count with its thing, in the singular where it is one. */
export function number(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
