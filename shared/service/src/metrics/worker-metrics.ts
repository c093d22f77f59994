import { type Metric, secondsBuckets } from './metric.ts';

const sources = ['worker'] as const;
/** An ingress records the attempts of lost workers. */
const writers = ['worker', 'ingress'] as const;

/** The metrics of workers, and of attempts and usage records at every process that writes them. */
export const workerMetrics = {
  gateway_calls_running: {
    type: 'gauge',
    unit: 'calls',
    labels: [],
    help: 'Calls being served',
    sources,
  },
  gateway_calls_refused_total: {
    type: 'counter',
    unit: 'calls',
    labels: ['reason'],
    help: 'Calls that a worker refused, which then went to another worker or waited',
    sources,
  },
  gateway_credit_waits_total: {
    type: 'counter',
    unit: 'waits',
    labels: [],
    help: 'Times that an answer stopped since its client read more slowly than the upstream sent',
    sources,
  },
  gateway_credit_wait_seconds_total: {
    type: 'counter',
    unit: 'seconds',
    labels: [],
    help: 'Time for which answers stopped until their clients had read on',
    sources,
  },
  gateway_attempts_total: {
    type: 'counter',
    unit: 'attempts',
    labels: ['provider', 'model', 'outcome', 'error'],
    help: 'Attempts at upstreams by outcome and, if they failed, kind of error',
    sources: writers,
  },
  gateway_attempt_seconds: {
    type: 'histogram',
    unit: 'seconds',
    labels: ['provider', 'model'],
    help: 'Time from an attempt to its end',
    buckets: secondsBuckets,
    sources: writers,
  },
  gateway_attempt_first_token_seconds: {
    type: 'histogram',
    unit: 'seconds',
    labels: ['provider', 'model'],
    help: "Time from an attempt to the first part of its upstream's stream",
    buckets: secondsBuckets,
    sources: writers,
  },
  gateway_tokens_total: {
    type: 'counter',
    unit: 'tokens',
    labels: ['provider', 'model', 'type'],
    help: 'Tokens of attempts, as far as they are known; cached and cache_write are parts of input, and reasoning of output',
    sources: writers,
  },
  gateway_stream_chunks_total: {
    type: 'counter',
    unit: 'chunks',
    labels: ['provider'],
    help: "Chunks read from upstreams' streams, from the second chunk of each",
    sources,
  },
  gateway_stream_gap_seconds_total: {
    type: 'counter',
    unit: 'seconds',
    labels: ['provider'],
    help: 'Time between these chunks and the chunks before them, without waits for credit',
    sources,
  },
  gateway_stream_longest_gap_seconds: {
    type: 'histogram',
    unit: 'seconds',
    labels: ['provider'],
    help: 'Longest time between two chunks of a stream, without waits for credit',
    buckets: secondsBuckets,
    sources,
  },
  gateway_unknown_finish_reasons_total: {
    type: 'counter',
    unit: 'answers',
    labels: ['provider'],
    help: 'Answers that ended for a reason the gateway does not know, which clients are told as a cut; the log names it',
    sources,
  },
  gateway_usage_waiting: {
    type: 'gauge',
    unit: 'records',
    labels: [],
    help: 'Usage records that NATS does not have yet',
    sources: writers,
  },
  gateway_usage_waiting_bytes: {
    type: 'gauge',
    unit: 'bytes',
    labels: [],
    help: 'Size of the waiting usage records as JSON',
    sources: writers,
  },
  gateway_usage_waiting_seconds: {
    type: 'gauge',
    unit: 'seconds',
    labels: [],
    help: 'Age of the oldest waiting usage record',
    sources: writers,
  },
  gateway_usage_dropped_total: {
    type: 'counter',
    unit: 'records',
    labels: [],
    help: 'Usage records dropped',
    sources: writers,
  },
  gateway_usage_shortened_total: {
    type: 'counter',
    unit: 'records',
    labels: [],
    help: 'Usage records sent without some of their text',
    sources: writers,
  },
} as const satisfies Record<string, Metric>;
