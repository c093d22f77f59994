import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@model-gateway/service';
import { sql } from 'drizzle-orm';
import { alone } from '../database/alone.ts';
import type { Database, OpenDatabase } from '../database/database.ts';
import { removeExpiredKeys } from '../database/idempotency-keys.ts';
import { usageDays, usageHours, usageKeyHours } from '../database/rollup-tables.ts';
import { budgetNotices, refusedCounts, refusedRequests, usageRejected } from '../database/tables.ts';
import { joinRefusedMinutes, refusedRequestsMs } from '../refused/retention.ts';
import { removeExpired } from '../requests/expiry.ts';
import { rollUpKeys } from './key-hours.ts';
import { dropPartitions, makePartitions } from './partitions.ts';
import { rejectedMs } from './rejected.ts';

/** The time before the first round, in which a start has other work. */
const firstMs = 10_000;
const hourMs = 3_600_000;
const retryMs = 60_000;
/** The most rows that one statement deletes. */
const deletedAtOnce = 5_000;
/** The time for which a notice about a budget is kept, from the start of its period on: longer than any period and all attempts to send it. */
const noticesMs = 62 * 24 * hourMs;

interface RetentionOptions {
  database: Pick<OpenDatabase, 'db'>;
  log: Log;
  /** The time for which attempts are kept, in milliseconds. */
  attemptsMs: number;
  /** The time for which roll-ups are kept, in milliseconds. */
  rollupsMs: number;
}

/**
 * Makes partitions of the ledger ahead, removes what is older than its retention, also logged requests, and completes its roll-ups, each
 * hour until the signal aborts.
 */
export async function keepRetention(
  { database, log, ...times }: RetentionOptions,
  signal: AbortSignal,
): Promise<void> {
  for (let pause = firstMs; !signal.aborted; ) {
    await sleep(pause, undefined, { signal, ref: false }).catch(() => {});
    if (signal.aborted) return;
    try {
      await retain({ db: database.db, ...times }, signal);
      await rollUpKeys(database.db, signal);
      pause = hourMs;
    } catch (error) {
      if (signal.aborted) return;
      log.warn({ err: error }, 'partitions and retention of the usage ledger failed; retrying');
      pause = retryMs;
    }
  }
}

/** Makes partitions ahead, and removes what is too old, also notices about budgets. Does nothing while another control does it. */
export async function retain(
  { db, attemptsMs, rollupsMs }: { db: Database } & Pick<RetentionOptions, 'attemptsMs' | 'rollupsMs'>,
  signal?: AbortSignal,
): Promise<void> {
  await removeExpired(db, signal);
  await removeExpiredKeys(db);
  await alone(db, (tx, now) => makePartitions(tx, now));
  await alone(db, (tx, now) => dropPartitions(tx, new Date(now.getTime() - attemptsMs)));
  const deletions = [
    { table: sql`usage_rest`, time: sql`at`, keptMs: attemptsMs },
    { table: sql`${usageHours}`, time: sql`start`, keptMs: rollupsMs },
    { table: sql`${usageDays}`, time: sql`start`, keptMs: rollupsMs },
    { table: sql`${usageKeyHours}`, time: sql`start`, keptMs: rollupsMs },
    // A total budget has one period, in which each threshold is told once.
    { table: sql`${usageRejected}`, time: sql`at`, keptMs: rejectedMs },
    { table: sql`${refusedRequests}`, time: sql`at`, keptMs: refusedRequestsMs },
    { table: sql`${refusedCounts}`, time: sql`start`, keptMs: attemptsMs },
    {
      table: sql`${budgetNotices}`,
      time: sql`nullif(period_start, 'epoch')`,
      keptMs: noticesMs,
    },
  ];
  for (const { table, time, keptMs } of deletions)
    while (!signal?.aborted) {
      const left = await alone(db, async (tx, now) => {
        const before = new Date(now.getTime() - keptMs).toISOString();
        const old = sql`select ctid from ${table} where ${time} < ${before} order by ${time} limit ${deletedAtOnce}`;
        await tx.execute(sql`delete from ${table} where ctid = any(array(${old}))`);
        const found = await tx.select({ one: sql`1` }).from(table).where(sql`${time} < ${before}`).limit(1);
        return found.length > 0;
      });
      if (!left) break;
    }
  await joinRefusedMinutes(db, signal);
}
