import { type AccountInfo, accountsQuery } from '@model-gateway/admin-api';
import { GatewayError } from '@model-gateway/canonical';
import { recordEvent } from '../audit/record.ts';
import type { Database } from '../database/database.ts';
import { type Account, findAccount, listAccounts, lockAccount, revokeAccount } from '../people/accounts.ts';
import { actorOf } from './admitted.ts';
import { assertConditions, sendResource, tagOf } from './conditions.ts';
import { Pages, placeInTime } from './paging.ts';
import { idIn } from './path-name.ts';
import { parseQuery } from './query.ts';
import type { Handlers } from './routes.ts';

const pages = new Pages('listAccounts', placeInTime);

/** The handlers for service accounts without their tokens. */
export function accountHandlers(
  db: Database,
): Pick<Handlers, 'listAccounts' | 'showAccount' | 'revokeAccount'> {
  return {
    async listAccounts(request, response) {
      const { role, ...asked } = parseQuery(accountsQuery, request.query);
      const { rows, next } = await pages.read(
        pages.asked(asked),
        page => listAccounts(db, role, page),
        ({ micros, id }) => [micros, id],
      );
      response.json({ data: rows.map(showAccount), next });
    },

    async showAccount(request, response) {
      const account = await findAccount(db, idIn(request.params));
      if (!account) throw noSuchAccount();
      sendResource(request, response, showAccount(account), tagOfAccount(account));
    },

    async revokeAccount(request, response) {
      const id = idIn(request.params);
      await db.transaction(async tx => {
        const account = await lockAccount(tx, id);
        if (!account) throw noSuchAccount();
        assertConditions(request, tagOfAccount(account));
        await revokeAccount(tx, id);
        await recordEvent(tx, actorOf(response), {
          action: 'revokeAccount',
          subject: subjectOf(account),
          before: showAccount(account),
          after: null,
        });
      });
      response.status(204).end();
    },
  };
}

/** Returns a service account as the API shows it. */
export function showAccount({ id, name, role, projects, prefix, ...times }: Account): AccountInfo {
  return {
    ...{ id, name, role, projects, prefix },
    createdAt: times.createdAt.toISOString(),
    expiresAt: times.expiresAt.toISOString(),
    lastUsedAt: times.lastUsedAt?.toISOString() ?? null,
  };
}

/** Returns a service account as the audit log names it. */
export function subjectOf({ id, name }: Account) {
  return { kind: 'account', id, name } as const;
}

/** Returns the ETag of a service account. */
export function tagOfAccount(account: Account) {
  return tagOf(showAccount(account), ['lastUsedAt']);
}

export function noSuchAccount(): GatewayError {
  return new GatewayError('not-found', 'There is no such service account.', { code: 'account_not_found' });
}
