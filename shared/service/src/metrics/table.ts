import { controlMetrics } from './control-metrics.ts';
import { ingressMetrics } from './ingress-metrics.ts';
import { processMetrics } from './process-metrics.ts';
import { workerMetrics } from './worker-metrics.ts';

/** Every metric of the gateway's own, by name. The metrics of a process and `docs/metrics.md` are made from it. */
export const metricTable = { ...ingressMetrics, ...workerMetrics, ...controlMetrics, ...processMetrics };

type Table = typeof metricTable;
export type MetricName = keyof Table;
/** The names of the metrics of one type. */
export type NameOf<Type extends Table[MetricName]['type']> = {
  [Name in MetricName]: Table[Name]['type'] extends Type ? Name : never;
}[MetricName];
/** The names of a metric's labels. */
export type LabelOf<Name extends MetricName> = Table[Name]['labels'][number];
