import type { Candidate, Questions } from '@model-gateway/bus';
import type { Snapshot } from './account.ts';
import type { SpendingSource } from './accounts.ts';
import type { SpendingAnswer } from './messages.ts';

/** Time in which a control must answer, in milliseconds. */
const answerMs = 1_000;

/** Returns the places that know what was spent: the ledger at control, and snapshots in KV while that does not answer. */
export function sourceOver(spending: Questions, candidate: Candidate): SpendingSource {
  return {
    ask: question => spending.ask(question, answerMs) as Promise<SpendingAnswer>,
    keep: (account, snapshot) => candidate.keep(`budget.${account}`, snapshot),
    kept: account => candidate.kept(`budget.${account}`) as Promise<Snapshot | undefined>,
  };
}
