/** A task of at most this weight, in bytes, runs at once, unless many do. */
const lightBytes = 32 * 1024;
/** Time in one turn of the event loop for light tasks to run at once, in milliseconds; later ones wait. */
const lightMs = 10;

type Step = () => void;

/** The waiting steps of one owner, each kind in order. */
interface Steps {
  /** First steps of tasks. */
  first: Step[];
  /** Later steps of tasks. They run before first steps, so that what a started task holds is freed sooner. */
  further: Step[];
}

/** Shared by all steps that need not wait: a small request has several. */
const atOnce = Promise.resolve();

/** The waiting steps by owner, in the order in which owners are served. */
const waiting = new Map<string, Steps>();

/**
 * Separates the steps of a task: resolves when its next step may run. One step of all tasks runs in a turn of
 * the event loop, so that tasks do not block streams, however many there are. Owners take turns, and the
 * tasks of one owner run one after another. `weight` is the size of the task, in bytes; `step` is `first` if
 * the task holds nothing yet.
 */
export function nextTurn(
  weight = Number.POSITIVE_INFINITY,
  owner = '',
  step: keyof Steps = 'further',
): Promise<void> {
  if (weight <= lightBytes && !isLong()) return atOnce;
  return new Promise<void>(resolve => {
    if (waiting.size === 0) setImmediate(runOne);
    const steps = waiting.get(owner) ?? { first: [], further: [] };
    steps[step].push(resolve);
    waiting.set(owner, steps);
  });
}

/** Time of the first light task in this turn. */
let began: number | undefined;

/** True if this turn already takes long: many requests may arrive in one. */
function isLong(): boolean {
  if (began !== undefined) return performance.now() - began > lightMs;
  began = performance.now();
  setImmediate(() => {
    began = undefined;
  });
  return false;
}

/** Runs a step of the owner that has waited longest. */
function runOne(): void {
  for (const [owner, steps] of waiting) {
    const step = steps.further.shift() ?? steps.first.shift();
    waiting.delete(owner);
    if (steps.further.length + steps.first.length > 0) waiting.set(owner, steps);
    if (waiting.size > 0) setImmediate(runOne);
    return step?.();
  }
}
