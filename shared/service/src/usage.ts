import { type Bus, UsageWriter } from '@model-gateway/bus';
import type { Usage, UsageRecord } from '@model-gateway/canonical';
import { Children, countedElsewhere, counter, gauge, histogram, type Registry } from './metrics/registry.ts';
import type { ServiceContext } from './service.ts';

/** Time that usage records may wait before operators are notified, in milliseconds. */
export const usageLateMs = 60_000;

/** Opens a process's writer of usage records, which measures their attempts, with its metrics and its log lines. `pool`: that of a worker. */
export function openUsageWriter(
  bus: Bus,
  { log, metrics }: Pick<ServiceContext, 'log' | 'metrics'>,
  names: AttemptNames,
  pool?: string,
): UsageWriter {
  const measure = measureAttempts(metrics, names);
  const writer = new UsageWriter(bus, {
    pool,
    onAdded: measure,
    onDropped: dropped => log.error(dropped, 'usage records were dropped'),
    onWaiting: error => log.warn({ err: error }, 'usage records wait for NATS'),
  });
  gauge(metrics, 'gateway_usage_waiting', () => writer.waiting);
  gauge(metrics, 'gateway_usage_waiting_bytes', () => writer.waitingBytes);
  gauge(metrics, 'gateway_usage_waiting_seconds', () => writer.waitingMs / 1_000);
  countedElsewhere(metrics, 'gateway_usage_dropped_total', () => writer.dropped);
  countedElsewhere(metrics, 'gateway_usage_shortened_total', () => writer.shortened);
  return writer;
}

/** Returns a notice for operators once a record has waited in this process for more than a minute. */
export function usageNotices({ waiting, waitingMs }: Pick<UsageWriter, 'waiting' | 'waitingMs'>): string[] {
  if (waitingMs <= usageLateMs) return [];
  return [
    `NATS has not taken usage records for ${Math.round(waitingMs / 1_000)} s; ${waiting} wait in this process`,
  ];
}

/** Returns the names that label an attempt: those of the catalog, else `other`. */
export type AttemptNames = (record: Pick<UsageRecord, 'model' | 'fallback' | 'provider'>) => {
  model: string;
  provider: string;
};

/** Parts of a usage that are counted, by their label. */
const counts: [type: string, read: (usage: Usage) => number][] = [
  ['input', usage => usage.input],
  ['output', usage => usage.output],
  ['cached', usage => usage.cachedInput],
  ['cache_write', usage => usage.cacheWrite5m + usage.cacheWrite1h],
  ['reasoning', usage => usage.reasoning],
];

/** Measures attempts by their usage records. */
function measureAttempts(metrics: Registry, names: AttemptNames): (record: UsageRecord) => void {
  const ended = counter(metrics, 'gateway_attempts_total');
  const time = histogram(metrics, 'gateway_attempt_seconds');
  const firstToken = histogram(metrics, 'gateway_attempt_first_token_seconds');
  const tokens = counter(metrics, 'gateway_tokens_total');
  const targets = new Children((provider, model) => ({
    ended: new Children((outcome, error) => ended.labels(provider, model, outcome, error)),
    time: time.labels(provider, model),
    firstToken: firstToken.labels(provider, model),
    tokens: new Children(type => tokens.labels(provider, model, type)),
  }));
  return record => {
    const { provider, model } = names(record);
    const target = targets.of(provider, model);
    target.ended.of(record.outcome, record.error).inc();
    target.time.observe(record.ms / 1_000);
    if (record.stream && record.firstMs !== undefined) target.firstToken.observe(record.firstMs / 1_000);
    if (!record.usage) return;
    for (const [type, read] of counts) {
      const count = read(record.usage);
      // An upstream may report anything.
      if (count > 0 && Number.isFinite(count)) target.tokens.of(type).inc(count);
    }
  };
}
