import { sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import type { UsageSum } from './batch.ts';

const minuteMs = 60_000;
/** The most tokens whose last use is remembered, so that it is not written again within the minute. */
const mostRemembered = 10_000;

/** Records when tokens were last used, to the minute: at most one write a minute for all that are in use. */
export class LastUsed {
  readonly #db: Database;
  /** By token: the last minute that was written, in milliseconds since 1970. */
  readonly #written = new Map<string, number>();

  constructor(db: Database) {
    this.#db = db;
  }

  /** Records the uses that attempts show. */
  async add(sums: readonly Pick<UsageSum, 'tokenId' | 'latest'>[]): Promise<void> {
    const latest = new Map<string, number>();
    for (const { tokenId, latest: at } of sums) {
      const minute = Math.floor(at / minuteMs) * minuteMs;
      const known = Math.max(latest.get(tokenId) ?? 0, this.#written.get(tokenId) ?? 0);
      if (minute > known && uuid.test(tokenId)) latest.set(tokenId, minute);
    }
    if (latest.size === 0) return;
    const uses = [...latest].map(([id, minute]) => ({ id, at: new Date(minute).toISOString() }));
    await this.#db.execute(
      sql`update tokens set last_used_at = greatest(last_used_at, used.at)
        from json_to_recordset(${JSON.stringify(uses)}::json) as used(id uuid, at timestamptz)
        where tokens.id = used.id`,
    );
    if (this.#written.size > mostRemembered) this.#written.clear();
    for (const [id, minute] of latest) this.#written.set(id, minute);
  }
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
