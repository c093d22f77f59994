import { sql } from 'drizzle-orm';
import pg from 'pg';
import { type Database, type FileClaims, locks } from './database.ts';

/** Returns the claims for the embedded database, which only one control uses. */
export function noClaims(): FileClaims {
  let held: number | undefined;
  return {
    async claim(modifiedAt) {
      held = modifiedAt;
    },
    holds: modifiedAt => held === modifiedAt,
    isSuperseded: async () => false,
    close: async () => {},
  };
}

/** The epoch of claim numbers, in seconds since 1970. Claims then fit a positive 32-bit integer until 2088. */
const firstSecond = Date.UTC(2020) / 1_000;

/**
 * Claims as shared advisory locks of a dedicated session. Each lasts as long as its control is connected to the
 * database, and the other controls see it in `pg_locks`.
 */
export class PostgresFileClaims implements FileClaims {
  readonly #url: string;
  #client: pg.Client | undefined;
  #held: number | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  async claim(modifiedAt: number): Promise<void> {
    const claim = claimNumber(modifiedAt);
    if (this.#held === claim) return;
    const client = await this.#connection();
    const before = this.#held;
    try {
      await client.query('select pg_advisory_lock_shared($1, $2)', [locks.catalogFile, claim]);
      if (before !== undefined)
        await client.query('select pg_advisory_unlock_shared($1, $2)', [locks.catalogFile, before]);
      if (this.#client === client) this.#held = claim;
    } catch (error) {
      // The next attempt opens a new session.
      await client.end().catch(() => {});
      throw error;
    }
  }

  holds(modifiedAt: number): boolean {
    return this.#held === claimNumber(modifiedAt);
  }

  async isSuperseded(tx: Database): Promise<boolean> {
    // Without a claim that the other controls can see, this control must not apply its file.
    if (this.#held === undefined) return true;
    const [{ superseded } = { superseded: false }] = await tx
      .select({ superseded: sql<boolean>`count(*) > 0` })
      .from(sql`pg_locks`)
      .where(
        sql`locktype = 'advisory' and granted and objsubid = 2
          and database = (select oid from pg_database where datname = current_database())
          and classid::bigint = ${locks.catalogFile} and objid::bigint > ${this.#held}`,
      );
    return superseded;
  }

  async close(): Promise<void> {
    await this.#client?.end().catch(() => {});
  }

  async #connection(): Promise<pg.Client> {
    if (this.#client) return this.#client;
    const client = new pg.Client({
      connectionString: this.#url,
      connectionTimeoutMillis: 5_000,
      query_timeout: 10_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    });
    const lost = () => {
      if (this.#client !== client) return;
      this.#client = undefined;
      this.#held = undefined;
    };
    client.on('error', lost);
    client.on('end', lost);
    try {
      await client.connect();
      await detectLostClients(client);
    } catch (error) {
      await client.end().catch(() => {});
      throw error;
    }
    this.#client = client;
    return client;
  }
}

/** Makes the server detect a lost client within 30 s, since a session keeps its locks until then. */
export async function detectLostClients(client: pg.Client): Promise<void> {
  await client.query(
    `select set_config('tcp_keepalives_idle', '10', false), set_config('tcp_keepalives_interval', '5', false),
       set_config('tcp_keepalives_count', '3', false)`,
  );
}

function claimNumber(modifiedAt: number): number {
  return Math.max(0, Math.floor(modifiedAt / 1_000) - firstSecond);
}
