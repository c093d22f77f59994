import type { Metric } from './metric.ts';

const sources = ['control'] as const;

/** The metrics of control. */
export const controlMetrics = {
  gateway_cost_dollars_total: {
    type: 'counter',
    unit: 'dollars',
    labels: ['project', 'model', 'provider'],
    help: 'Cost of charged attempts that this control added to the ledger',
    sources,
  },
  gateway_unpriced_attempts_total: {
    type: 'counter',
    unit: 'attempts',
    labels: ['model', 'provider'],
    help: 'Charged attempts in the ledger whose cost is unknown',
    sources,
  },
  gateway_project_tokens_total: {
    type: 'counter',
    unit: 'tokens',
    labels: ['project', 'type'],
    help: 'Tokens of charged attempts that this control added to the ledger',
    sources,
  },
  gateway_ledger_lag_seconds: {
    type: 'gauge',
    unit: 'seconds',
    labels: [],
    help: 'Age of the oldest usage record that NATS has and the ledger has not',
    sources,
  },
  gateway_ledger_adjusted_total: {
    type: 'counter',
    unit: 'records',
    labels: [],
    help: 'Usage records with a field that was changed to fit into the ledger',
    sources,
  },
  gateway_ledger_rejected_total: {
    type: 'counter',
    unit: 'records',
    labels: [],
    help: 'Usage records that do not fit into the ledger, or without a proof of their call, which were stored as rejected',
    sources,
  },
  gateway_logged_requests_rejected_total: {
    type: 'counter',
    unit: 'requests',
    labels: [],
    help: 'Logged requests that the database refused',
    sources,
  },
  gateway_pool_workers: {
    type: 'gauge',
    unit: 'workers',
    labels: ['pool'],
    help: 'Live workers of a pool, including draining ones; 0 if a target has a pool without any',
    sources,
  },
  gateway_pool_calls_in_flight: {
    type: 'gauge',
    unit: 'calls',
    labels: ['pool'],
    help: 'Calls in flight on the workers of a pool',
    sources,
  },
  gateway_pool_capacity: {
    type: 'gauge',
    unit: 'calls',
    labels: ['pool'],
    help: 'Calls that the workers of a pool can serve at once; a draining worker counts as 0',
    sources,
  },
  gateway_target_resting: {
    type: 'gauge',
    unit: '1',
    labels: ['provider', 'model', 'reason'],
    help: '1 while a target rests or waits for its probe',
    sources,
  },
  gateway_key_resting: {
    type: 'gauge',
    unit: '1',
    labels: ['provider', 'key', 'reason'],
    help: '1 while an API key rests or waits for its probe',
    sources,
  },
} as const satisfies Record<string, Metric>;
