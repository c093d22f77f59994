import { budgetOwner, type SpendingAnswer, type SpendingQuestion } from '@model-gateway/access';
import { answerQuestions, type Bus, controlQueue, spendingSubjects } from '@model-gateway/bus';
import { whenConnected } from '../common/when-connected.ts';
import type { Database } from '../database/database.ts';
import { spendingOf } from './spending.ts';

/** Tells the process that counts budgets what the ledger holds, until the signal aborts. */
export async function tellSpending(
  db: Database,
  bus: () => Promise<Bus>,
  signal: AbortSignal,
  lagMs: () => number,
): Promise<void> {
  const connected = await whenConnected(bus, signal);
  if (!connected) return;
  const stop = answerQuestions(connected, { subjects: spendingSubjects, queue: controlQueue }, async data => {
    const { totals, attempts } = data as SpendingQuestion;
    const queries = totals.map(({ key, from }) => ({ owner: budgetOwner(key), from }));
    const answer: SpendingAnswer = { ...(await spendingOf(db, queries, attempts)), lagMs: lagMs() };
    return answer;
  });
  signal.addEventListener('abort', stop, { once: true });
}
