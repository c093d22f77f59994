import type { Metric } from './metric.ts';

const sources = ['every process'] as const;

/** The metrics of every process, beside those of Node. */
export const processMetrics = {
  gateway_ready: {
    type: 'gauge',
    unit: '1',
    labels: [],
    help: '1 while the process can do its work: the answer of /readyz',
    sources,
  },
  gateway_degraded: {
    type: 'gauge',
    unit: '1',
    labels: [],
    help: '1 while /readyz reports something that an operator should know',
    sources,
  },
  gateway_faults_total: {
    type: 'counter',
    unit: 'exceptions',
    labels: ['place'],
    help: 'Exceptions in callbacks, each of which ended one call at most, by the place that caught them; the log has their stacks',
    sources,
  },
  gateway_trace_spans_total: {
    type: 'counter',
    unit: 'spans',
    labels: ['outcome'],
    help: 'Spans of traces by outcome: sent, failed to be sent, or dropped since too many waited; absent without tracing',
    sources,
  },
  gateway_connections: {
    type: 'gauge',
    unit: 'connections',
    labels: [],
    help: 'Open connections of clients, of a process with a port for them',
    sources,
  },
  gateway_connections_refused_total: {
    type: 'counter',
    unit: 'connections',
    labels: ['limit'],
    help: 'Connections refused, by the limit they were over',
    sources,
  },
  gateway_bus_connected: {
    type: 'gauge',
    unit: '1',
    labels: [],
    help: '1 while all connections to NATS are open, of a process that uses NATS',
    sources,
  },
  gateway_bus_round_trip_seconds: {
    type: 'gauge',
    unit: 'seconds',
    labels: ['connection'],
    help: 'Time to NATS and back, measured at each scrape; absent if it takes longer than a second',
    sources,
  },
  gateway_bus_reconnects_total: {
    type: 'counter',
    unit: 'connections',
    labels: ['connection'],
    help: 'Times that a connection to NATS was opened again after it was lost',
    sources,
  },
} as const satisfies Record<string, Metric>;
