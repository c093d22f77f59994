/** A task over more bytes than these is done in steps, or apart from the event loop. */
export const stepBytes = 256 * 1024;
/** A task of less weight than this, in bytes, is done at once, unless many are. */
const lightBytes = 32 * 1024;
/** For how long tasks are done at once in one turn of the event loop, in milliseconds; those that come later in it wait. */
const lightMs = 10;

type Step = () => void;

/** The steps that wait, by whose they are, in the order in which they are served. */
const waiting = new Map<string, Step[]>();

/**
 * Separates the steps of a task, whose weight is in bytes: resolves when its next step may run. One step of all tasks runs
 * in a turn of the event loop, so that no task, and no number of them, keeps it from its streams. Owners take turns.
 */
export async function nextTurn(weight = Number.POSITIVE_INFINITY, owner = ''): Promise<void> {
  if (weight <= lightBytes && !isLong()) return;
  await new Promise<void>(resolve => {
    if (waiting.size === 0) setImmediate(runOne);
    const steps = waiting.get(owner);
    if (steps) steps.push(resolve);
    else waiting.set(owner, [resolve]);
  });
}

/** When the first light task of this turn came. */
let began: number | undefined;

/** Whether this turn lasts long already: many requests may come in one. */
function isLong(): boolean {
  if (began !== undefined) return performance.now() - began > lightMs;
  began = performance.now();
  setImmediate(() => {
    began = undefined;
  });
  return false;
}

/** Runs a step of the owner that has waited longest for one. */
function runOne(): void {
  for (const [owner, steps] of waiting) {
    const step = steps.shift();
    waiting.delete(owner);
    if (steps.length > 0) waiting.set(owner, steps);
    if (waiting.size > 0) setImmediate(runOne);
    return step?.();
  }
}
