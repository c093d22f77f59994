import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export { Counter, Gauge, Histogram, Registry };

/** Interval at which the lag of the event loop is sampled, in milliseconds. Each sample wakes the process. */
const lagSampleMs = 100;

/** Creates a process's registry, with the metrics of the runtime. */
export function createMetrics(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: lagSampleMs });
  return registry;
}
