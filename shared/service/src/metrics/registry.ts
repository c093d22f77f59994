import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { controlMetrics } from './control-metrics.ts';
import { ingressMetrics } from './ingress-metrics.ts';
import type { Metric } from './metric.ts';
import { processMetrics } from './process-metrics.ts';
import { workerMetrics } from './worker-metrics.ts';

export type { Counter, Gauge, Histogram };
export { Registry };

/** Interval at which the lag of the event loop is sampled, in milliseconds. Each sample wakes the process. */
const lagSampleMs = 100;

/** Creates a process's registry, with the metrics of the runtime. */
export function createMetrics(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: lagSampleMs });
  return registry;
}

/** Adds a counter of the table to a process. */
export function counter<Name extends NameOf<'counter'>>(
  metrics: Registry,
  name: Name,
): Counter<LabelOf<Name>> {
  return new Counter(options(metrics, name));
}

/** Adds a counter that something else counts. `read` returns the count since the start of the process. */
export function countedElsewhere<Name extends NameOf<'counter'>>(
  metrics: Registry,
  name: Name,
  read: () => number,
): void {
  new Counter({
    ...options(metrics, name),
    collect() {
      this.reset();
      this.inc(read());
    },
  });
}

/** Adds a gauge without labels, which is read at each scrape. */
export function gauge<Name extends NameOf<'gauge'>>(metrics: Registry, name: Name, read: () => number): void {
  new Gauge({
    ...options(metrics, name),
    collect() {
      this.set(read());
    },
  });
}

/** Adds a gauge whose series are read at each scrape, each with its labels. */
export function gauges<Name extends NameOf<'gauge'>>(
  metrics: Registry,
  name: Name,
  read: () => Reading<Name>[] | Promise<Reading<Name>[]>,
): void {
  new Gauge({
    ...options(metrics, name),
    async collect() {
      const readings = await read();
      this.reset();
      for (const [labels, value] of readings) this.set(labels, value);
    },
  });
}

/** A value of a gauge, with the labels of its series. */
export type Reading<Name extends NameOf<'gauge'>> = [labels: Record<LabelOf<Name>, string>, value: number];

/** Adds a histogram of the table to a process. */
export function histogram<Name extends NameOf<'histogram'>>(
  metrics: Registry,
  name: Name,
): Histogram<LabelOf<Name>> {
  const { buckets }: Metric = metricTable[name];
  return new Histogram({ ...options(metrics, name), buckets: [...(buckets ?? [])] });
}

function options<Name extends NameOf<'counter' | 'gauge' | 'histogram'>>(metrics: Registry, name: Name) {
  const { help, labels } = metricTable[name];
  return { name, help, labelNames: labels as readonly LabelOf<Name>[], registers: [metrics] };
}

/** Creates one object for each set of label values, once: to look up a series in the registry costs more than to count. */
export class Children<Child> {
  readonly #make: (first: string, second: string, third: string) => Child;
  readonly #made = new Map<string, Child>();

  constructor(make: (first: string, second: string, third: string) => Child) {
    this.#make = make;
  }

  of(first: string, second = '', third = ''): Child {
    const key = `${first}\n${second}\n${third}`;
    let child = this.#made.get(key);
    if (!child) {
      child = this.#make(first, second, third);
      this.#made.set(key, child);
    }
    return child;
  }
}

/** The label value for everything that is not named. */
export const otherName = 'other';

/** The most names of one kind that a process shows in its metrics. */
export const mostNames = 1_000;

/** Bounds the values of a label: the first names are shown, all further ones are `other`. */
export class BoundedNames {
  readonly #names = new Set<string>();
  readonly #most: number;

  constructor(most = mostNames) {
    this.#most = most;
  }

  of(name: string): string {
    if (this.#names.has(name)) return name;
    if (this.#names.size >= this.#most) return otherName;
    this.#names.add(name);
    return name;
  }
}

/** Every metric of the gateway's own, by name. The metrics of a process and `docs/metrics.md` are made from it. */
export const metricTable = { ...ingressMetrics, ...workerMetrics, ...controlMetrics, ...processMetrics };

type Table = typeof metricTable;
type MetricName = keyof Table;
/** The names of the metrics of one type. */
type NameOf<Type extends Table[MetricName]['type']> = {
  [Name in MetricName]: Table[Name]['type'] extends Type ? Name : never;
}[MetricName];
/** The names of a metric's labels. */
type LabelOf<Name extends MetricName> = Table[Name]['labels'][number];
