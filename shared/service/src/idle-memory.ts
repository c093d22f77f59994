import { AsyncResource } from 'node:async_hooks';
import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Interval of the checks, in milliseconds. */
const checkMs = 10_000;
/** The most that the event loop of an idle process is busy, as a share of an interval. */
const idleUtilization = 0.02;
/** The least that it is busy under a load. */
const loadUtilization = 0.1;
/**
 * The idle intervals after which memory is given back. A collection also discards optimized code, which takes seconds of load to come back: a pause
 * between two loads does not count as idle.
 */
const idleIntervals = 3;

/**
 * An object with the first two properties of those that `process.nextTick` creates. A collection that finds no such object discards its
 * hidden class, and V8 never optimizes the creation of another: a tick then takes 0.9 µs in place of 0.15. It is created before
 * the first collection, and kept as an argument of the timer below.
 */
export const tickLike = createTickLike();

function createTickLike(): object {
  const resource = new AsyncResource('tick');
  const values = { async_id_symbol: resource.asyncId(), trigger_async_id_symbol: resource.triggerAsyncId() };
  const symbols = Object.getOwnPropertySymbols(resource);
  const like: Record<symbol, number> = {};
  for (const [name, value] of Object.entries(values)) {
    const symbol = symbols.find(({ description }) => description === name);
    if (symbol) like[symbol] = value;
  }
  return like;
}

/**
 * Gives memory back to the operating system: now, and whenever this process becomes idle after a load. V8 would keep the
 * room for garbage until the next load.
 */
export function releaseMemory(): void {
  const collect = garbageCollector();
  collect();
  let before = performance.eventLoopUtilization();
  let isReleased = true;
  let idle = 0;
  const check = (_kept: object) => {
    const { utilization } = performance.eventLoopUtilization(before);
    idle = utilization < idleUtilization ? idle + 1 : 0;
    if (utilization > loadUtilization) isReleased = false;
    else if (idle >= idleIntervals && !isReleased) {
      collect();
      isReleased = true;
    }
    // After the collection, which is no load.
    before = performance.eventLoopUtilization();
  };
  setInterval(check, checkMs, tickLike).unref();
}

/** Returns V8's most thorough collection, the only one that shrinks the heap at once. It takes about 100 ms. */
function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const gc: NodeJS.GCFunction = runInNewContext('gc');
  return () => void gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
