import { createHash } from 'node:crypto';
import { isAddressRange } from '@model-gateway/access';
import { acceptableName, exact, Names, validToken } from '../accepted.ts';
import type { Part } from '../account.ts';
import type { ImportedToken, UserDraft } from '../result.ts';
import { listOf } from './channels.ts';

/** What tokens refer to. */
interface TokenContext {
  users: ReadonlyMap<string, Owner>;
  /** The models that a group may use; undefined for all. */
  modelsOf(group: string): string[] | undefined;
  quotaOfDollar: number;
  now: Date;
}

const status = { enabled: 1, disabled: 2, expired: 3, exhausted: 4 };
const never = -1;

/** Returns the tokens of new-api. Clients send their keys with `sk-` in front. */
export function tokensOf(rows: readonly Part[], context: TokenContext): ImportedToken[] {
  return rows.flatMap(row => tokenOf(row, context) ?? []);
}

function tokenOf(row: Part, context: TokenContext): ImportedToken | undefined {
  const name = row.get('name').text();
  if (row.get('deleted_at').isPresent) return row.lose('It is deleted.');
  const key = row.get('key').text()?.trim();
  if (!key) return row.lose('It has no key.');
  const owner = context.users.get(row.get('user_id').text() ?? '');
  if (!owner) return row.lose('Its user does not exist, or is deleted.');
  const expires = row.get('expired_time').number() ?? never;
  const end = expires === never || expires === 0 ? undefined : new Date(expires * 1_000);
  const state = row.get('status').number() ?? status.enabled;
  if (state === status.expired || (end && end <= context.now)) return row.lose('It has expired.');
  const left = leftOf(row, context.quotaOfDollar);
  const group = groupOf(row, owner);
  const models = scopeOf(row, context.modelsOf(group));
  const addresses = addressesOf(row.get('allow_ips'));
  const because =
    owner.disabledBecause ?? (left !== undefined && left <= 0 ? 'It has no quota left.' : undefined);
  if (because) row.get('status').change(`The token is disabled. ${because}`);
  return validToken(row, {
    sha256: createHash('sha256').update(`sk-${key}`).digest('hex'),
    name: acceptableName(name, `token ${row.key}`),
    project: acceptableName(group, 'default'),
    owner: owner.user.name,
    ...(end && { expiresAt: end.toISOString() }),
    ...(models && { models }),
    ...(addresses && { allowedAddresses: addresses }),
    ...(left !== undefined && left > 0 && { budget: { amount: left, period: 'total' as const } }),
    ...((because !== undefined || state !== status.enabled) && { disabled: true }),
  });
}

/** Returns what is left of a token's quota, in US dollars; undefined if it has none. */
function leftOf(row: Part, quotaOfDollar: number): number | undefined {
  const quota = row.get('remain_quota').number() ?? 0;
  return row.get('unlimited_quota').flag() ? undefined : exact(quota / quotaOfDollar);
}

function groupOf(row: Part, owner: Owner): string {
  const group = row.get('group').text() || owner.group;
  if (group !== 'auto') return group;
  row.get('group').change('The gateway chooses no group by itself: the project is the group of the user.');
  return owner.group;
}

/** Returns the models of a token: those of its own list that its group may use. */
function scopeOf(row: Part, ofGroup: string[] | undefined): string[] | undefined {
  const listed = listOf(row.get('model_limits').text());
  if (!row.get('model_limits_enabled').flag()) return ofGroup;
  return ofGroup ? listed.filter(name => ofGroup.includes(name)) : listed;
}

/** Returns the addresses from which a token may be used: an empty list allows none. */
function addressesOf(part: Part): string[] | undefined {
  const lines = (part.text() ?? '').split(/[\n,]/).map(line => line.replaceAll(' ', ''));
  const stated = lines.filter(line => line !== '');
  if (stated.length === 0) return undefined;
  const valid = stated.filter(isAddressRange);
  if (valid.length < stated.length)
    part.change('Of its lines, those that are no IP addresses or ranges are left out.');
  return valid;
}

/** A user of new-api. */
export interface Owner {
  user: UserDraft;
  group: string;
  /** The reason why the user's tokens are disabled; undefined if they are not. */
  disabledBecause: string | undefined;
}

const enabled = 1;

/** Returns the users by their ids. Those that are deleted are reported. */
export function usersOf(rows: readonly Part[], quotaOfDollar: number): Map<string, Owner> {
  const names = new Names();
  return new Map(
    rows.flatMap(row => {
      if (row.get('deleted_at').isPresent) return row.lose('The user is deleted.') ?? [];
      const name = names.take(acceptableName(row.get('username').text(), `user ${row.key}`));
      const isEnabled = (row.get('status').number() ?? enabled) === enabled;
      const quota = row.get('quota');
      const left = exact((quota.number() ?? 0) / quotaOfDollar);
      if (left > 0) quota.change('What is left of the quota is the budget of the user for all time.');
      const disabledBecause = isEnabled
        ? left > 0
          ? undefined
          : 'Its user has no quota left.'
        : 'Its user is disabled.';
      const user = { name, ...(left > 0 && { budget: { amount: left, period: 'total' as const } }) };
      return [[row.key, { user, group: row.get('group').text() || 'default', disabledBecause }] as const];
    }),
  );
}
