import { faultPlaces, type OnFault } from '@model-gateway/bus';
import type { Log } from './log.ts';
import { counter, type Registry } from './metrics/index.ts';

/** Returns a function that counts and logs what callbacks throw. */
export function faultReport(metrics: Registry, log: Log): OnFault {
  const faults = counter(metrics, 'gateway_faults_total');
  for (const place of faultPlaces) faults.labels(place).inc(0);
  return (place, thrown) => {
    faults.labels(place).inc();
    log.error({ err: thrown, place }, 'exception in a callback');
  };
}

/**
 * Reports what no border has caught, and lets the process go on: it serves thousands of calls, and the one that failed ends by its
 * timeouts.
 */
export function surviveFaults(onFault: OnFault): void {
  process.on('uncaughtException', thrown => {
    // Nobody reads the log any more.
    if ((thrown as NodeJS.ErrnoException).code !== 'EPIPE') onFault('process', thrown);
  });
}
