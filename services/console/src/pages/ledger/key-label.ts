import type { UsageRow } from './measures.ts';

/** The groupings of the page of usage, beside those by a tag. */
export const groupings = {
  model: 'Model',
  project: 'Project',
  token: 'Token',
  provider: 'Provider',
  owner: 'Owner',
} as const;
export type Grouping = keyof typeof groupings;

/** Names the key of a row for people. `by` is a grouping, or a tag such as `tag:team`. */
export function keyLabel(
  { key, rest }: Pick<UsageRow, 'key' | 'rest'>,
  by: string,
  tokenName: (id: string) => string,
): string {
  if (rest) return 'All others';
  if (key === null) return by === 'owner' ? 'No owner' : `No ${by.replace(/^tag:/, '')}`;
  if (key === '') return '(empty)';
  return by === 'token' ? tokenName(key) : key;
}
