import type { SentAnswer } from '@model-gateway/simulator';
import { expect, test } from 'vitest';
import { differences } from './adds-up.ts';
import type { Entry } from './ledger.ts';

const whole: SentAnswer = { requestId: 'r', model: 'm', input: 6, output: 40, sent: 40, ended: true };
const cut: SentAnswer = { ...whole, output: 3_000, sent: 200, ended: false };
const usage = { input: 6, output: 40, estimated: false };
const answered: Entry = {
  ...{ id: 'a', requestId: 'q', upstreamModel: 'm' },
  outcome: 'answered',
  charged: true,
  usage,
};
const cancelled: Entry = {
  ...answered,
  outcome: 'cancelled',
  usage: { input: 9, output: 210, estimated: true },
};
const unseen: Entry = { ...answered, outcome: 'lost', charged: false, usage: null };

test.each<[string, SentAnswer[], Entry[]]>([
  ['an answer with its attempt', [whole], [answered]],
  ['an estimate within a tenth', [cut], [cancelled]],
  ['a lost attempt that no upstream saw', [whole], [unseen, answered]],
])('%s adds up', (_, answers, entries) => {
  expect(differences(answers, entries)).toEqual([]);
});

test.each<[string, SentAnswer[], Entry[]]>([
  ['an attempt that is missing', [whole], []],
  ['an attempt that is there twice', [whole], [answered, { ...answered, id: 'b' }]],
  ['an attempt that no upstream saw, with usage', [], [answered]],
  ['other tokens', [whole], [{ ...answered, usage: { ...usage, output: 41 } }]],
  ['a complete answer without usage', [whole], [{ ...answered, usage: null }]],
  ['an estimate too far off', [cut], [{ ...cancelled, usage: { input: 9, output: 230, estimated: true } }]],
])('%s does not add up', (_, answers, entries) => {
  expect(differences(answers, entries)).toHaveLength(1);
});
