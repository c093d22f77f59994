/** Removes the error of a multiplication: 0.15 for 0.15000000000000002. */
export function exact(amount: number): number {
  return Number(amount.toPrecision(12));
}
