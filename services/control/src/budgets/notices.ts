import { budgetName } from '@model-gateway/access';
import type { Clock } from '@model-gateway/clock';
import type { Log } from '@model-gateway/service';
import { eq, sql } from 'drizzle-orm';
import { readGroups } from '../catalog/catalog.ts';
import type { Database } from '../database/database.ts';
import { budgetNotices } from '../database/tables.ts';
import { type Spent, spentOf, type Used } from './thresholds.ts';
import { sendWebhook, type Webhook, webhookMs } from './webhook.ts';

/** Interval of the checks, in milliseconds. */
const checkMs = 1_000;
/** The most attempts that are checked at once; those of one token, project and owner are one. */
const mostUsed = 500;
/** The most notices that are sent at once. */
const mostSent = 10;
/** The most times that a notice is sent; with the waits between them it takes about a day. */
const mostAttempts = 20;
/** The wait after the first attempt, which doubles with each, and the longest, in milliseconds. */
const firstWaitMs = 1_000;
const longestWaitMs = 2 * 3_600_000;

interface NoticeOptions {
  db: Database;
  log: Log;
  clock: Clock;
  /** The parts of a budget at which it is told, in percent. */
  thresholds: readonly number[];
  /** Absent if notices are only logged. */
  webhook?: Webhook | undefined;
}

/** Tells operators that a budget has reached a threshold, once for each period: by the log, and by a webhook. */
export class BudgetNotices {
  readonly #options: NoticeOptions;
  readonly #used = new Map<string, Used>();

  constructor(options: NoticeOptions) {
    this.#options = options;
  }

  /** Checks the budgets of attempts that the ledger has now. */
  readonly used = (attempts: readonly Used[]): void => {
    if (this.#options.thresholds.length === 0) return;
    for (const { tokenId, project, owner } of attempts)
      this.#used.set(JSON.stringify([tokenId, project, owner]), { tokenId, project, owner });
  };

  /** Runs until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { log, clock, webhook } = this.#options;
    let failure = '';
    while (!signal.aborted) {
      try {
        await this.#check();
        if (webhook) await this.#deliver(webhook, signal);
        failure = '';
      } catch (error) {
        const reason = String(error);
        if (reason !== failure && !signal.aborted)
          log.warn({ err: error }, 'thresholds of budgets cannot be checked; retrying');
        failure = reason;
      }
      await clock.sleep(checkMs, { signal, ref: false }).catch(() => {});
    }
  }

  async #check(): Promise<void> {
    const { db, thresholds } = this.#options;
    const part = [...this.#used].slice(0, mostUsed);
    if (part.length === 0) return;
    const used = part.map(([, each]) => each);
    for (const spent of await spentOf(db, used, await readGroups(db)))
      for (const threshold of thresholds)
        if (spent.spent >= (spent.budget.amount * threshold) / 100 - 1e-9) await this.#tell(spent, threshold);
    for (const [key] of part) this.#used.delete(key);
  }

  /** Records that a threshold was reached, unless it was told already, by this control or another. */
  async #tell(spent: Spent, threshold: number): Promise<void> {
    const { db, log, clock, webhook } = this.#options;
    const {
      owner: [kind, name],
      budget: { amount, period },
      from,
    } = spent;
    const added = await db
      .insert(budgetNotices)
      .values({
        kind,
        name,
        period,
        periodStart: new Date(from),
        amount,
        threshold,
        body: JSON.stringify(bodyOf(spent, threshold, clock.now())),
        nextAttemptAt: webhook ? sql`now()` : null,
      })
      .onConflictDoNothing()
      .returning({ id: budgetNotices.id });
    if (added.length > 0)
      log.warn(
        { [kind]: name, budget: budgetName(amount, spent), spent: spent.spent, threshold },
        'a budget has reached a threshold',
      );
  }

  /** Sends the notices that are due. One that another control sends is not due for that time. */
  async #deliver(webhook: Webhook, signal: AbortSignal): Promise<void> {
    const { db } = this.#options;
    const due = sql`select id from budget_notices where next_attempt_at <= now()
      order by next_attempt_at limit ${mostSent} for update skip locked`;
    const claimed = await db
      .update(budgetNotices)
      .set({
        attempts: sql`${budgetNotices.attempts} + 1`,
        nextAttemptAt: sql`now() + make_interval(secs => ${(2 * webhookMs) / 1_000})`,
      })
      .where(sql`${budgetNotices.id} in (${due})`)
      .returning({ id: budgetNotices.id, body: budgetNotices.body, attempts: budgetNotices.attempts });
    await Promise.all(claimed.map(notice => this.#send(webhook, notice, signal)));
  }

  async #send(
    webhook: Webhook,
    notice: { id: string; body: string; attempts: number },
    signal: AbortSignal,
  ): Promise<void> {
    const { db, log, clock } = this.#options;
    const { id, attempts } = notice;
    let waitMs: number | undefined;
    try {
      await sendWebhook(webhook, notice, { clock, signal });
    } catch (error) {
      // A notice that the stop of this control cuts off is sent again by the next one.
      const { aborted } = signal;
      if (aborted || attempts < mostAttempts)
        waitMs = Math.min(longestWaitMs, firstWaitMs * 2 ** (attempts - 1));
      if (!aborted && (attempts === 1 || waitMs === undefined))
        log.warn(
          { err: error, notice: id, attempts, givenUp: waitMs === undefined },
          'a notice was not taken',
        );
    }
    const nextAttemptAt = waitMs === undefined ? null : sql`now() + make_interval(secs => ${waitMs / 1_000})`;
    await db.update(budgetNotices).set({ nextAttemptAt }).where(eq(budgetNotices.id, id));
  }
}

function bodyOf({ owner: [kind, name], budget, spent, from, to }: Spent, threshold: number, now: number) {
  return {
    type: 'budget.threshold',
    timestamp: new Date(now).toISOString(),
    data: {
      // The id of a token, the name of a project or a user.
      owner: { kind, ...(kind === 'token' ? { id: name } : { name }) },
      budget,
      threshold,
      spent,
      periodStart: budget.period === 'total' ? null : new Date(from).toISOString(),
      resetsAt: to === null ? null : new Date(to).toISOString(),
    },
  };
}
