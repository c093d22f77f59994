import type { Part } from '../account.ts';
import { exact } from '../exact.ts';
import { acceptableName, Names } from '../names.ts';
import type { UserDraft } from '../result.ts';

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
