import type { ProjectInfo } from '@model-gateway/admin-api';
import { formatCount } from '../layout/format.ts';

export type Limits = NonNullable<ProjectInfo['limits']>;

/** The names of limits after their values. */
export const limitWords = {
  requestsPerMinute: 'requests a minute',
  tokensPerMinute: 'tokens a minute',
  concurrency: 'at once',
} as const;
export type LimitName = keyof typeof limitWords;
export const limitNames = Object.keys(limitWords) as LimitName[];

/** Describes limits in a line, such as `100 requests a minute, 3 models`; none is a dash. */
export function limitsInShort(limits: Limits | null): string {
  const own = limitNames.flatMap(name =>
    limits?.[name] ? `${formatCount(limits[name])} ${limitWords[name]}` : [],
  );
  const models = Object.keys(limits?.models ?? {}).length;
  if (models > 0) own.push(models === 1 ? '1 model' : `${models} models`);
  return own.length > 0 ? own.join(', ') : '–';
}
