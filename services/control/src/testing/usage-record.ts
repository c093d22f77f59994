import { noUsage, type UsageRecord } from '@model-gateway/canonical';

/** Returns the id of an attempt. Ids sort by number, as those of attempts sort by time. */
export const attemptId = (n: number) => `019a0000-0000-7000-8000-${String(n).padStart(12, '0')}`;

/** Returns the record of an attempt that was answered. A test may give its fields any values. */
export function usageRecord(n: number, more: object = {}): UsageRecord {
  return {
    ...{ id: attemptId(n), requestId: `req_${n}`, at: Date.UTC(2026, 0, n), ms: 12, operation: 'generate' },
    ...{ format: 'chat', stream: true, model: 'fast', provider: 'p', upstreamModel: 'u', tokenId: 'token' },
    ...{ project: 'default', outcome: 'answered', charged: true },
    usage: { ...noUsage, input: 10, output: n },
    ...more,
  };
}
