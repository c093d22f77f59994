/** The processes that have a metric. `front` of `npm start` is every ingress and realtime. */
export type MetricSource = 'every process' | 'ingress' | 'worker' | 'realtime' | 'control';

/** The unit of a metric's values; `1` for a state that is 0 or 1. */
type MetricUnit =
  | 'answers'
  | 'seconds'
  | 'bytes'
  | 'dollars'
  | 'tokens'
  | 'requests'
  | 'attempts'
  | 'calls'
  | 'chunks'
  | 'connections'
  | 'exceptions'
  | 'heartbeats'
  | 'records'
  | 'rests'
  | 'sessions'
  | 'spans'
  | 'waits'
  | 'workers'
  | '1';

/** A metric as Prometheus knows it. */
export interface Metric {
  type: 'counter' | 'gauge' | 'histogram';
  unit: MetricUnit;
  /** The names of its labels, whose values come from the catalog, from the code, or are `other`. */
  labels: readonly string[];
  help: string;
  sources: readonly MetricSource[];
  /** The upper bounds of a histogram's buckets, in its unit. */
  buckets?: readonly number[];
}

/** Buckets for times from 5 ms to 5 minutes, in seconds. */
export const secondsBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300] as const;
