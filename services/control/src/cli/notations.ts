import type { ModelInfo, ProviderInfo, RunningInfo, UsagePage } from '@model-gateway/admin-api';
import { duration } from '@model-gateway/canonical';
import { textOf } from './cells.ts';
import { UsageError } from './exit-codes.ts';

export function secondsOf(grace: string): number {
  const parsed = duration.safeParse(grace);
  if (!parsed.success) throw new UsageError('--grace must be a time such as 90s, 15m, 12h or 7d');
  return Math.ceil(parsed.data / 1_000);
}

/** Reads the names of variables with API keys. One key takes the place of several, and the other way around. */
export function keysOf(text: string): object {
  const names = text.split(',').map(name => name.trim());
  if (names.length > 1) return { apiKey: null, apiKeys: names.map(env => ({ key: { env } })) };
  return { apiKey: text === '' ? null : { env: names[0] }, apiKeys: null };
}

export function targetOf(given: string): object {
  const slash = given.indexOf('/');
  if (slash < 1 || slash === given.length - 1)
    throw new UsageError(`--target must be such as openai/gpt-5-mini, but is '${given}'`);
  return { provider: given.slice(0, slash), model: given.slice(slash + 1) };
}

export function apiKeyText(apiKey: ProviderInfo['apiKey']): string {
  return textOf(apiKey).replace('=', ' ');
}

/** Names the owner of a record: `gateway.yaml line 12`, or `api`. */
export function managerOf({ managedBy, place }: Pick<ModelInfo, 'managedBy' | 'place'>): string {
  if (!place) return managedBy;
  return [place.file.replace(/.*\//, ''), ...(place.line === null ? [] : [`line ${place.line}`])].join(' ');
}

/** Writes the price of a model, and those that its targets state. */
export function pricesText({ price, targets }: ModelInfo): string {
  const own = targets.flatMap(target => {
    const named = targets.length > 1 ? `${target.provider}/${target.model}: ` : '';
    return target.price ? `${named}${textOf(target.price)}` : [];
  });
  return [...(price || own.length === 0 ? [textOf(price)] : []), ...own].join('; ');
}

type Attempt = UsagePage['data'][number];

/** Writes what the provider said of an attempt that failed, in one line. */
export function upstreamOf({ upstreamStatus, upstreamMessage }: Attempt): string {
  const words = (upstreamMessage ?? '').replace(/\s+/g, ' ').trim();
  return [upstreamStatus ?? '', words].filter(part => part !== '').join(' ') || '-';
}

/** Writes the outcome of an attempt with the administrator who ended it, else with the kind of its error. */
export function outcomeOf({ outcome, error, endedBy }: Attempt): string {
  if (endedBy !== null) return `${outcome} by ${endedBy}`;
  return error === null || error === outcome ? outcome : `${outcome}: ${error}`;
}

export function titleOf(name: string, { bytes, cut }: { bytes: number; cut: boolean }): string {
  return `${name}, ${bytes} bytes${cut ? ', of which this is the beginning' : ''}:`;
}

export function runningTarget({ provider, upstreamModel }: RunningInfo): string {
  return provider === null ? '-' : `${provider}/${upstreamModel}`;
}

export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)}s`;
}
