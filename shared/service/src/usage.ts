import { type Bus, UsageWriter } from '@model-gateway/bus';
import { type AttemptNames, countedElsewhere, gauge, measureAttempts } from './metrics/index.ts';
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
