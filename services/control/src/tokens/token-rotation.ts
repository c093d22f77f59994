import { createSecret } from '@model-gateway/access';
import { eq, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { nextVersion, previousSecrets, tokens } from '../database/tables.ts';
import {
  isLive,
  liveToken,
  type PreviousSecret,
  type StoredSecret,
  storedSecret,
  type Token,
} from './tokens.ts';

/** A token with its new secret. */
export interface Rotated {
  token: Token & { secret: string };
  /** Makes the earlier secrets work as before, and the new one never. Returns the token; undefined if it is not live. */
  undo(tx: Database): Promise<Token | undefined>;
}

/**
 * Gives a token a new secret; undefined if there is no such live token. Its earlier secrets work for `graceSeconds` at most.
 */
export async function rotateToken(
  db: Database,
  id: string,
  graceSeconds: number,
): Promise<Rotated | undefined> {
  const secret = createSecret();
  const next = storedSecret(secret);
  return db.transaction(async tx => {
    const [before] = await tx.select().from(tokens).where(isLive(id)).for('update');
    if (!before) return undefined;
    const ofToken = eq(previousSecrets.tokenId, id);
    const earlier = await tx.select().from(previousSecrets).where(ofToken);
    const validUntil = sql<Date>`now() + make_interval(secs => ${graceSeconds})`;
    await tx
      .update(previousSecrets)
      .set({ validUntil: sql`least(${previousSecrets.validUntil}, ${validUntil})` })
      .where(ofToken);
    await tx.insert(previousSecrets).values({ hash: before.hash, tokenId: id, validUntil });
    await setSecret(tx, id, next);
    const token = await liveToken(tx, id);
    return (
      token && {
        token: { ...token, secret },
        undo: (undoing: Database) => undoRotation(undoing, id, next, before, earlier),
      }
    );
  });
}

/** Takes a rotation back. If the token was rotated again meanwhile, only the secret of this rotation is refused. */
async function undoRotation(
  db: Database,
  id: string,
  made: StoredSecret,
  before: StoredSecret,
  earlier: readonly PreviousSecret[],
): Promise<Token | undefined> {
  return db.transaction(async tx => {
    const [current] = await tx.select().from(tokens).where(isLive(id)).for('update');
    if (!current) return undefined;
    const isLast = current.hash === made.hash;
    if (isLast) {
      await tx.delete(previousSecrets).where(eq(previousSecrets.hash, before.hash));
      for (const { hash, validUntil } of earlier)
        await tx.update(previousSecrets).set({ validUntil }).where(eq(previousSecrets.hash, hash));
    }
    await setSecret(tx, id, isLast ? before : current);
    const refused = { hash: made.hash, tokenId: id, validUntil: sql<Date>`now()` };
    await tx
      .insert(previousSecrets)
      .values(refused)
      .onConflictDoUpdate({ target: previousSecrets.hash, set: refused });
    return liveToken(tx, id);
  });
}

async function setSecret(tx: Database, id: string, { hash, prefix }: StoredSecret): Promise<void> {
  await tx.update(tokens).set({ hash, prefix, version: nextVersion }).where(eq(tokens.id, id));
}
