/** The most names of an upstream's counts that are kept. */
const mostNames = 100;

/** Merges counts that are running totals: later ones replace earlier ones unless missing or null. */
export function laterTotals<T extends Record<string, unknown>>(earlier: T | undefined, later: T): T {
  const totals: Record<string, unknown> = { ...earlier };
  let room = mostNames - Object.keys(totals).length;
  for (const name of Object.keys(later)) {
    const count = later[name];
    if (count === null || count === undefined) continue;
    if (!Object.hasOwn(totals, name) && room-- <= 0) continue;
    totals[name] = count;
  }
  return totals as T;
}
