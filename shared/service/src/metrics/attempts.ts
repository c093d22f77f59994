import type { Usage, UsageRecord } from '@model-gateway/canonical';
import { Children } from './labels.ts';
import { counter, histogram, type Registry } from './registry.ts';

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
export function measureAttempts(metrics: Registry, names: AttemptNames): (record: UsageRecord) => void {
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
