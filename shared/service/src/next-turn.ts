/** A task over more bytes than these is done in steps, or apart from the event loop. */
export const stepBytes = 256 * 1024;
/** A task of less weight than this, in bytes, is done at once, unless many are. */
const lightBytes = 32 * 1024;
/** For how long tasks are done at once in one turn of the event loop, in milliseconds; those that come later in it wait. */
const lightMs = 10;

type Step = () => void;

/** An owner's steps that wait, each kind in its order. */
interface Steps {
  /** The first steps of tasks. */
  first: Step[];
  /** Steps of tasks that have begun. They come before the first ones: what a begun task holds is free sooner. */
  further: Step[];
}

/** The steps that wait, by owner, in the order in which owners are served. */
const waiting = new Map<string, Steps>();

/**
 * Separates the steps of a task: resolves when its next step may run. One step of all tasks runs in a turn of the event
 * loop, so no task, and no number of them, keeps the loop from its streams. Owners take turns, and an owner's tasks run
 * one after another. `weight` is the task's, in bytes; `step` is `first` where the task holds nothing yet.
 */
export async function nextTurn(
  weight = Number.POSITIVE_INFINITY,
  owner = '',
  step: keyof Steps = 'further',
): Promise<void> {
  if (weight <= lightBytes && !isLong()) return;
  await new Promise<void>(resolve => {
    if (waiting.size === 0) setImmediate(runOne);
    const steps = waiting.get(owner) ?? { first: [], further: [] };
    steps[step].push(resolve);
    waiting.set(owner, steps);
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
    const step = steps.further.shift() ?? steps.first.shift();
    waiting.delete(owner);
    if (steps.further.length + steps.first.length > 0) waiting.set(owner, steps);
    if (waiting.size > 0) setImmediate(runOne);
    return step?.();
  }
}
