import { objectIn } from './read-json.ts';

/** The most names of an upstream's counts that are kept. */
const mostNames = 100;

type Counts = Record<string, unknown>;

/**
 * Merges counts that only grow: the larger of each is kept, so a later usage with zeros, or with only some of the counts, says
 * nothing new. Counts within an object or a list are merged likewise. Of any other value, the later replaces the earlier.
 */
export function laterTotals<T extends Counts>(earlier: T | undefined, later: T): T {
  const totals: Counts = { ...earlier };
  let room = mostNames - Object.keys(totals).length;
  for (const name of Object.keys(later)) {
    const value = later[name];
    if (value === null || value === undefined) continue;
    const isKnown = Object.hasOwn(totals, name);
    if (!isKnown && room-- <= 0) continue;
    totals[name] = isKnown ? larger(totals[name], value) : value;
  }
  return totals as T;
}

function larger(earlier: unknown, later: unknown): unknown {
  if (typeof earlier === 'number') return typeof later === 'number' ? Math.max(earlier, later) : earlier;
  if (Array.isArray(earlier)) return Array.isArray(later) ? largerList(earlier, later) : earlier;
  const counts = objectIn(earlier);
  if (!counts) return later;
  const more = objectIn(later);
  return more ? laterTotals(counts, more) : counts;
}

/** Merges lists with an entry for each modality, as Google has them. Any other list replaces the earlier one unless it is empty. */
function largerList(earlier: readonly unknown[], later: readonly unknown[]): readonly unknown[] {
  if (later.length === 0) return earlier;
  const totals = new Map<unknown, Counts>();
  for (const list of [earlier, later]) {
    for (const entry of list) {
      const counts = objectIn(entry);
      if (typeof counts?.modality !== 'string') return later;
      if (totals.has(counts.modality) || totals.size < mostNames)
        totals.set(counts.modality, laterTotals(totals.get(counts.modality), counts));
    }
  }
  return [...totals.values()];
}
