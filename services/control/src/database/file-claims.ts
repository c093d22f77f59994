import { sql } from 'drizzle-orm';
import pg from 'pg';
import { type Database, locks } from './database.ts';

/** Tells the controls of one database whose catalog file is the newest. */
export interface FileClaims {
  /** Tells the others from now on when this control's file was last written, in milliseconds since 1970. */
  claim(modifiedAt: number): Promise<void>;
  /** True while the others know that. A claim is lost with its connection to the database. */
  holds(modifiedAt: number): boolean;
  /** True if another control that lives has a newer file; asked in the transaction that would apply this one's. */
  isOutdone(tx: Database): Promise<boolean>;
  close(): Promise<void>;
}

/** The claims of the embedded database, which one control alone uses. */
export function noClaims(): FileClaims {
  let held: number | undefined;
  return {
    async claim(modifiedAt) {
      held = modifiedAt;
    },
    holds: modifiedAt => held === modifiedAt,
    isOutdone: async () => false,
    close: async () => {},
  };
}

/** A claim's number counts seconds from here, to be a positive integer of 32 bits until 2088. */
const firstSecond = Date.UTC(2020) / 1_000;

/**
 * Claims as shared advisory locks of a session of their own: each is there for as long as its control lives and
 * reaches the database, and is seen by the others in `pg_locks`.
 */
export class PostgresFileClaims implements FileClaims {
  readonly #url: string;
  #client: pg.Client | undefined;
  #held: number | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  async claim(modifiedAt: number): Promise<void> {
    const mark = markOf(modifiedAt);
    if (this.#held === mark) return;
    const client = await this.#connection();
    const before = this.#held;
    try {
      await client.query('select pg_advisory_lock_shared($1, $2)', [locks.catalogFile, mark]);
      if (before !== undefined)
        await client.query('select pg_advisory_unlock_shared($1, $2)', [locks.catalogFile, before]);
      if (this.#client === client) this.#held = mark;
    } catch (error) {
      // The next attempt begins with a new session.
      await client.end().catch(() => {});
      throw error;
    }
  }

  holds(modifiedAt: number): boolean {
    return this.#held === markOf(modifiedAt);
  }

  async isOutdone(tx: Database): Promise<boolean> {
    // Whoever the others do not see keeps back.
    if (this.#held === undefined) return true;
    const [{ outdone } = { outdone: false }] = await tx
      .select({ outdone: sql<boolean>`count(*) > 0` })
      .from(sql`pg_locks`)
      .where(
        sql`locktype = 'advisory' and granted and objsubid = 2
          and database = (select oid from pg_database where datname = current_database())
          and classid::bigint = ${locks.catalogFile} and objid::bigint > ${this.#held}`,
      );
    return outdone;
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

/** Has the server notice within half a minute that this client's machine is gone: a session keeps its locks until then. */
export async function detectLostClients(client: pg.Client): Promise<void> {
  await client.query(
    `select set_config('tcp_keepalives_idle', '10', false), set_config('tcp_keepalives_interval', '5', false),
       set_config('tcp_keepalives_count', '3', false)`,
  );
}

function markOf(modifiedAt: number): number {
  return Math.max(0, Math.floor(modifiedAt / 1_000) - firstSecond);
}
