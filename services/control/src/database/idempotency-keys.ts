import { randomUUID } from 'node:crypto';
import { GatewayError, overloaded } from '@model-gateway/canonical';
import type { Sealer } from '@model-gateway/catalog';
import { and, eq, isNull, lt, or, sql } from 'drizzle-orm';
import type { IdempotencySecrets } from '../common/keys.ts';
import type { Database } from './database.ts';
import { idempotencyKeys } from './people-tables.ts';

/** The time for which an answer is kept, in hours. */
const keptHours = 24;
/** The time after which a request that neither succeeded nor failed counts as ended: its control has died. In seconds. */
const claimSeconds = 60;
const retryMs = 1_000;

/** An answer that is kept for a key. It may hold a secret. */
export interface KeptAnswer {
  status: number;
  etag?: string;
  body: unknown;
}

/** A request with a key. */
interface Keyed {
  /** The caller. Each has its own keys. */
  owner: string;
  key: string;
  /** The content of the request, which must be the same each time. */
  request: string;
}

const table = idempotencyKeys;
const isOver = lt(table.expiresAt, sql`now()`);
const isLeft = lt(table.claimedUntil, sql`now()`);

/** The idempotency keys of all controls of a database, with the answers of their requests, sealed. */
export class IdempotencyKeys {
  readonly #db: Database;
  readonly #secrets: IdempotencySecrets;

  constructor(db: Database, secrets: IdempotencySecrets) {
    this.#db = db;
    this.#secrets = secrets;
  }

  /** Claims a key, or returns the answer that is kept for it. @throws GatewayError if another request has the key */
  async claim({ owner, key, request }: Keyed): Promise<Claim | KeptAnswer> {
    await removeExpiredKeys(this.#db);
    const keyText = `idempotency key ${owner} ${key}`;
    // A body may hold a password, which a plain hash would let others guess.
    const requestText = `idempotency request ${request}`;
    const { hash: hashOf, sealer } = this.#secrets;
    const hash = hashOf(keyText);
    const values = { request: hashOf(requestText), claim: randomUUID(), answer: null };
    const times = {
      claimedUntil: sql`now() + make_interval(secs => ${claimSeconds})`,
      expiresAt: sql`now() + make_interval(hours => ${keptHours})`,
    };
    const claimed = await this.#db
      .insert(table)
      .values({ hash, ...values, ...times })
      .onConflictDoUpdate({
        target: table.hash,
        set: { ...values, ...times },
        setWhere: or(isOver, and(isNull(table.answer), isLeft)),
      })
      .returning({ hash: table.hash });
    if (claimed.length > 0) return new Claim(this.#db, sealer, hash, values.claim);
    return this.#answerOf(hash, values.request);
  }

  async #answerOf(hash: string, request: string): Promise<KeptAnswer> {
    const columns = { request: table.request, answer: table.answer, isLeft: sql<boolean>`${isLeft}` };
    const [found] = await this.#db.select(columns).from(table).where(eq(table.hash, hash));
    if (found && found.request !== request)
      throw new GatewayError('invalid-request', 'The Idempotency-Key was sent with another request.', {
        code: 'idempotency_key_reused',
      });
    if (!found?.answer || !found.isLeft)
      throw new GatewayError('invalid-request', 'A request with this Idempotency-Key is running.', {
        code: 'idempotency_key_in_use',
        retryAfterMs: retryMs,
      });
    return this.#open(hash, found.answer);
  }

  #open(hash: string, sealed: string): KeptAnswer {
    try {
      return JSON.parse(this.#secrets.sealer.unseal(hash, { sealed })) as KeptAnswer;
    } catch (cause) {
      const message =
        'The answer of this Idempotency-Key was sealed with another master key. Use another key.';
      throw new GatewayError('invalid-request', message, { code: 'idempotency_key_reused' }, { cause });
    }
  }
}

/** The right of one request to use a key. */
export class Claim {
  readonly #db: Database;
  readonly #sealer: Sealer;
  readonly #hash: string;
  readonly #isMine: ReturnType<typeof and>;
  #confirmed = false;

  constructor(db: Database, sealer: Sealer, hash: string, claim: string) {
    this.#db = db;
    this.#sealer = sealer;
    this.#hash = hash;
    this.#isMine = and(eq(table.hash, hash), eq(table.claim, claim));
  }

  /** Keeps the answer, in the transaction of the change. @throws GatewayError if the claim has ended */
  async keep(tx: Database, answer: KeptAnswer): Promise<void> {
    const { sealed } = this.#sealer.seal(this.#hash, JSON.stringify(answer));
    const kept = await tx
      .update(table)
      .set({ answer: sealed })
      .where(this.#isMine)
      .returning({ hash: table.hash });
    if (kept.length === 0)
      throw overloaded('idempotency_key_expired', 'The request took too long. Nothing was changed.', {
        retryAfterMs: retryMs,
      });
  }

  /** Makes the kept answer that of every repetition. Until then, and for a minute if this control dies, they are refused. */
  async confirm(): Promise<void> {
    await this.#db.update(table).set({ claimedUntil: sql`'-infinity'` }).where(this.#isMine);
    this.#confirmed = true;
  }

  /** Forgets the key and what was kept for it, unless that is confirmed. */
  async release(db: Database): Promise<void> {
    if (this.#confirmed) return;
    await db.delete(table).where(this.#isMine);
  }
}

/** Deletes the keys whose time has passed, with their answers. */
export async function removeExpiredKeys(db: Database): Promise<void> {
  await db.delete(table).where(isOver);
}
