import { createHash } from 'node:crypto';
import { GatewayError } from '@model-gateway/canonical';
import { clientPart, parseAddress } from '@model-gateway/service';
import { asc, count, eq, inArray, lt, sql } from 'drizzle-orm';
import { foldName } from '../common/fold-name.ts';
import type { Database } from '../database/database.ts';
import { signInAttempts } from '../database/people-tables.ts';

/** The time after which attempts are forgotten, counted from the first one, in seconds. */
const spanSeconds = 15 * 60;
/** The most attempts in that time, for the user that is asked for and for the address that asks. */
export const mostAttempts = { user: 10, address: 30 };
/** The most rows. Beyond it those that end first are forgotten. */
const mostRows = 100_000;
/** The time between two looks for rows to forget, in milliseconds. */
const sweepEveryMs = 10_000;

/**
 * Limits attempts to sign in, over all controls of a database. An attempt counts before the password is checked, so that attempts at
 * once count, too, and it counts alike whether or not there is such a user.
 */
export class SignInAttempts {
  readonly #db: Database;
  #sweptAt = Number.NEGATIVE_INFINITY;

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * Counts an attempt for a user, by name, after that for the address. One of an address that is refused does not count for the user: else one
   * address could keep every user from signing in, and fill the table until the counts of others are forgotten.
   * @throws GatewayError of kind `rate-limited` if there were too many
   */
  async countUser(user: string): Promise<void> {
    refuseOver(await this.#add(userKey(user)), mostAttempts.user);
  }

  /** Counts an attempt for an address. @throws GatewayError of kind `rate-limited` if there were too many */
  async countAddress(address: string): Promise<void> {
    refuseOver(await this.#add(addressKey(address)), mostAttempts.address);
  }

  /** Forgets the attempts for a user who signed in, and this one of the address. */
  async forget(user: string, address: string): Promise<void> {
    await this.#db.delete(signInAttempts).where(eq(signInAttempts.key, userKey(user)));
    await this.forgetAddress(address);
  }

  /** Forgets an attempt of an address, which many users may share. */
  async forgetAddress(address: string): Promise<void> {
    await this.#db
      .update(signInAttempts)
      .set({ attempts: sql`greatest(${signInAttempts.attempts} - 1, 0)` })
      .where(eq(signInAttempts.key, addressKey(address)));
  }

  /** Counts a use of a one-time code. Returns false if it was used before. */
  async isFirstUse(codeId: string): Promise<boolean> {
    return (await this.#add(hashOf(`code:${codeId}`))).attempts === 1;
  }

  /** Returns the attempts of the span, with this one, and the seconds that it lasts. */
  async #add(key: string): Promise<Counted> {
    const end = sql<Date>`now() + make_interval(secs => ${spanSeconds})`;
    const isOver = sql`${signInAttempts.endsAt} <= now()`;
    const [row] = await this.#db
      .insert(signInAttempts)
      .values({ key, attempts: 1, endsAt: end })
      .onConflictDoUpdate({
        target: signInAttempts.key,
        set: {
          // Stops where an integer would overflow.
          attempts: sql`case when ${isOver} then 1 else least(${signInAttempts.attempts} + 1, 1000000) end`,
          endsAt: sql`case when ${isOver} then ${end} else ${signInAttempts.endsAt} end`,
        },
      })
      .returning({
        attempts: signInAttempts.attempts,
        seconds: sql<number>`ceil(extract(epoch from ${signInAttempts.endsAt} - now()))::int`,
      });
    if (row?.attempts === 1) await this.#sweep();
    return row ?? { attempts: 0, seconds: 0 };
  }

  async #sweep(): Promise<void> {
    if (performance.now() < this.#sweptAt + sweepEveryMs) return;
    this.#sweptAt = performance.now();
    await this.#db.delete(signInAttempts).where(lt(signInAttempts.endsAt, sql`now()`));
    const [{ rows } = { rows: 0 }] = await this.#db.select({ rows: count() }).from(signInAttempts);
    if (rows <= mostRows) return;
    const first = this.#db
      .select({ key: signInAttempts.key })
      .from(signInAttempts)
      .orderBy(asc(signInAttempts.endsAt))
      .limit(rows - mostRows);
    await this.#db.delete(signInAttempts).where(inArray(signInAttempts.key, first));
  }
}

interface Counted {
  attempts: number;
  /** The rest of the span. */
  seconds: number;
}

function refuseOver({ attempts, seconds }: Counted, most: number): void {
  if (attempts > most) throw tooManyAttempts(seconds);
}

export function tooManyAttempts(seconds: number): GatewayError {
  return new GatewayError('rate-limited', 'Too many attempts to sign in. Wait, and try again.', {
    retryAfterMs: seconds * 1_000,
    code: 'too_many_attempts',
  });
}

function userKey(user: string): string {
  return hashOf(`user:${foldName(user)}`);
}

/** Returns the key of an address: of IPv6 that of its /64, since clients choose the rest. */
function addressKey(address: string): string {
  const parsed = parseAddress(address);
  return hashOf(`address:${parsed ? clientPart(parsed) : address}`);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
