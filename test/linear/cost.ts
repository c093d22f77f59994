import { GatewayError } from '@model-gateway/canonical';

/** Returns the work on `n` items, whose time is measured; that of making the items is not. */
export type Growing = (n: number) => () => unknown;

/** Items of the first measurement. A search per item takes longer than `noticed` for so many. */
const usualItems = 2_000;
/** CPU time below which nothing is compared, in milliseconds. */
const noticed = 8;
/** Twice the items may take so many times the CPU time. */
const mostGrowth = 2.6;
/** For few comparisons of work that is light: a search per item that compares numbers alone is noticed, too. */
export const many = { items: 6_000, shown: 48_000 };
/** The longest that a process may be busy at a stretch, in CPU milliseconds. */
export const longest = 100;
/** The runs of which the quickest counts: others hold collections of garbage, and compile. */
const runs = 5;

/** The bound of what grows, and whether it is worked on without a turn of others. */
interface Bound {
  bound?: number;
  /** Items of the first measurement. */
  items?: number;
  /** Items up to which a suspicion is followed. */
  shown?: number;
  atAStretch?: boolean;
}

/** Returns how work grows faster than its items, or takes too long at their bound; undefined if it does not. */
export function faultOf(
  growing: Growing,
  { bound = 9_900, items = usualItems, shown = bound, atAStretch = true }: Bound = {},
): string | undefined {
  let n = Math.min(items, bound);
  if (cost(growing(n), 1) < noticed) return undefined;
  let [half, whole] = compared(growing, n);
  // What is suspected of little is shown by more.
  while (isFaster(half, whole) && whole < longest && n < shown) {
    n = Math.min(2 * n, shown);
    [half, whole] = compared(growing, n);
  }
  if (isFaster(half, whole))
    return `${n / 2} items take ${Math.round(half)} ms, ${n} take ${Math.round(whole)} ms`;
  if (!atAStretch || (whole * bound) / n < longest) return undefined;
  // Other shapes than before may make V8 compile code again, which takes it some runs.
  const atBound = cost(growing(bound), 3 * runs, longest);
  return atBound > longest ? `${bound} items take ${Math.round(atBound)} ms at a stretch` : undefined;
}

function isFaster(half: number, whole: number): boolean {
  return whole >= noticed && whole > half * mostGrowth;
}

/** Returns the CPU times for half of the items and for all of them, measured in turns. */
function compared(growing: Growing, n: number): [half: number, whole: number] {
  const works = [growing(n / 2), growing(n)] as const;
  let [half, whole] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let run = 0; run < runs && !(Number.isFinite(whole) && whole > 2 * longest); run++) {
    half = Math.min(half, cost(works[0], 1));
    whole = Math.min(whole, cost(works[1], 1));
    // What grows too fast does so in every run.
    if (run > 0 && !isFaster(half, whole)) break;
  }
  return [half, whole];
}

/** Returns the CPU time of this thread for some work, in milliseconds: that of the quickest run, or of the first that takes `enough`. */
export function cost(work: () => unknown, times = runs, enough = 0): number {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < times && least > enough; run++) {
    const before = process.threadCpuUsage();
    refusedOrDone(work);
    const { user, system } = process.threadCpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}

/** Does some work, or lets it be refused. Any other error would be a 500, and fails. */
export function refusedOrDone<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof GatewayError && error.kind !== 'internal') return undefined;
    throw error;
  }
}

/** Returns a function that makes what it returns for a number once. */
export function onceFor<T>(make: (n: number) => T): (n: number) => T {
  const made = new Map<number, { value: T }>();
  return n => {
    const known = made.get(n) ?? { value: make(n) };
    made.set(n, known);
    return known.value;
  };
}

/** Returns a list of what `of` makes of each number below `n`. */
export function list<T>(n: number, of: (i: number) => T): T[] {
  return Array.from({ length: n }, (_, i) => of(i));
}
