/** Rounds a sum of US dollars to 12 digits: in sums of floating-point numbers, later ones mean nothing. */
export function dollars(sum: number): number {
  return Number(sum.toPrecision(12));
}
