import type { Response } from 'express';
import { recordEvent } from '../audit/record.ts';
import type { Change } from '../common/change.ts';
import type { Database } from '../database/database.ts';
import { editToken, tokenChanges, tokensOwnedBy } from '../tokens/tokens.ts';
import { actorOf } from './admitted.ts';
import { actsOn } from './token-events.ts';

/**
 * Disables the tokens that a user owns, in one project or in all of them, in the name of the caller. Returns the changes to be
 * published once the transaction has ended.
 */
export async function disableOwned(
  tx: Database,
  response: Response,
  of: { userId: string; projectId?: string },
): Promise<Change[]> {
  const changes: Change[] = [];
  for (const before of await tokensOwnedBy(tx, of)) {
    if (before.disabled) continue;
    const after = await editToken(tx, before.id, { disabled: true });
    if (!after) continue;
    await recordEvent(tx, actorOf(response), ...actsOn('changeToken', before, after));
    changes.push(...(await tokenChanges(tx, after)));
  }
  return changes;
}
