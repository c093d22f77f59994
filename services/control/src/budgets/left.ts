import {
  allCountedFor,
  type BudgetOwner,
  type Counted,
  type LeftAnswer,
  type LeftOf,
  type LeftQuestion,
  partsOfKey,
} from '@model-gateway/access';
import type { OwnToken } from '@model-gateway/admin-api';
import { type Bus, leftSubjects, Questions } from '@model-gateway/bus';
import { readGroups } from '../catalog/catalog.ts';
import { whenConnected } from '../common/when-connected.ts';
import type { Database } from '../database/database.ts';
import type { Token } from '../tokens/tokens.ts';
import { dollars } from '../usage/dollars.ts';
import { type Spent, spentOf } from './thresholds.ts';

/** Time in which the process that counts must answer, in milliseconds. */
const answerMs = 1_000;

/** Asks the process that counts what is left; undefined if it does not answer. */
export type AskLeft = (question: LeftQuestion) => Promise<LeftAnswer | undefined>;

/** Returns the way to ask, until the signal aborts. */
export function askLeft(bus: () => Promise<Bus>, signal: AbortSignal): AskLeft {
  let questions: Questions | undefined;
  void whenConnected(bus, signal).then(connected => {
    if (connected && !signal.aborted) questions = new Questions(connected, leftSubjects);
  });
  signal.addEventListener('abort', () => questions?.close(), { once: true });
  return async question =>
    (await questions?.ask(question, answerMs).catch(() => undefined)) as LeftAnswer | undefined;
}

type AllLeft = Pick<OwnToken, 'limitsLeft' | 'budgetsLeft'>;

/** Returns what is left of the limits and budgets of a token: as the process that counts says, else of budgets as the ledger says. */
export async function leftOf(db: Database, token: Token, ask: AskLeft): Promise<AllLeft> {
  const { id, project, owner, settings } = token;
  const groups = await readGroups(db);
  const counted = allCountedFor({ id, ...settings }, { name: project, limits: groups.limitsOf(project) });
  const budgets = await spentOf(db, [{ tokenId: id, project, owner }], groups);
  if (counted.length + budgets.length === 0) return { limitsLeft: [], budgetsLeft: [] };
  const charged = budgets.map(({ owner, budget, from, to }) => ({
    ...{ key: JSON.stringify(owner), amount: budget.amount },
    ...{ from, to },
  }));
  const answer = await ask({ counted, budgets: charged });
  const now = Date.now();
  return {
    limitsLeft:
      counted.length === 0
        ? []
        : (answer?.limits.flatMap((left, i) => limitsLeft(counted[i] as Counted, left, now)) ?? null),
    budgetsLeft: budgets.map((budget, i) => budgetLeft(budget, answer?.budgets?.[i])),
  };
}

type LimitLeft = NonNullable<OwnToken['limitsLeft']>[number];

function limitsLeft(counted: Counted, { requests, tokens, running }: LeftOf, now: number): LimitLeft[] {
  const { owner, pattern } = partsOfKey(counted.key);
  const of = { of: owner, model: pattern ?? null };
  const windows = [
    ['requestsPerMinute', requests],
    ['tokensPerMinute', tokens],
  ] as const;
  const { concurrency } = counted;
  return [
    ...windows.flatMap(([limit, state]) =>
      state
        ? {
            ...{ ...of, limit, value: state.limit, left: state.remaining },
            resetsAt: new Date(now + state.resetMs).toISOString(),
          }
        : [],
    ),
    ...(concurrency !== undefined && running !== undefined
      ? [
          {
            ...{ ...of, limit: 'concurrency' as const, value: concurrency },
            ...{ left: Math.max(0, concurrency - running), resetsAt: null },
          },
        ]
      : []),
  ];
}

const owners: Record<BudgetOwner[0], OwnToken['budgetsLeft'][number]['of']> = {
  token: 'token',
  project: 'project',
  user: 'owner',
};

function budgetLeft(
  { owner: [kind], budget, spent: inLedger, to }: Spent,
  counted: { spent: number; reserved: number } | undefined,
): OwnToken['budgetsLeft'][number] {
  const { spent: exact, reserved: exactlyReserved } = counted ?? { spent: inLedger, reserved: 0 };
  const [spent, reserved] = [dollars(exact), dollars(exactlyReserved)];
  const left = dollars(Math.max(0, budget.amount - exact - exactlyReserved));
  const resetsAt = to === null ? null : new Date(to).toISOString();
  return { of: owners[kind], ...budget, spent, reserved, left, resetsAt };
}
