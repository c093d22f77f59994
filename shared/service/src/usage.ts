import { type Bus, UsageWriter } from '@model-gateway/bus';
import { Gauge } from './metrics.ts';
import type { ServiceContext } from './service.ts';

/** Time that usage records may wait before operators are notified, in milliseconds. */
export const usageLateMs = 60_000;

/** Opens a process's writer of usage records, with its metrics and its log lines. */
export function openUsageWriter(bus: Bus, { log, metrics }: Pick<ServiceContext, 'log' | 'metrics'>) {
  const writer = new UsageWriter(bus, {
    onDropped: dropped => log.error(dropped, 'usage records were dropped'),
    onWaiting: error => log.warn({ err: error }, 'usage records wait for NATS'),
  });
  const gauges: [string, string, () => number][] = [
    ['gateway_usage_waiting', 'Usage records that NATS does not have yet', () => writer.waiting],
    [
      'gateway_usage_waiting_bytes',
      'Size of the waiting usage records as JSON, in bytes',
      () => writer.waitingBytes,
    ],
    [
      'gateway_usage_waiting_seconds',
      'Age of the oldest waiting usage record, in seconds',
      () => writer.waitingMs / 1_000,
    ],
    ['gateway_usage_dropped', 'Usage records dropped', () => writer.dropped],
    ['gateway_usage_shortened', 'Usage records sent without some of their text', () => writer.shortened],
  ];
  for (const [name, help, read] of gauges) {
    new Gauge({
      name,
      help,
      registers: [metrics],
      collect() {
        this.set(read());
      },
    });
  }
  return writer;
}

/** Returns a notice for operators once a record has waited in this process for more than a minute. */
export function usageNotices({ waiting, waitingMs }: Pick<UsageWriter, 'waiting' | 'waitingMs'>): string[] {
  if (waitingMs <= usageLateMs) return [];
  return [
    `NATS has not taken usage records for ${Math.round(waitingMs / 1_000)} s; ${waiting} wait in this process`,
  ];
}
