import { type AnnouncedAttempts, PassedSession } from '@model-gateway/bus';
import { type Envelope, noUsage } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { describe, expect, test } from 'vitest';
import { recordLost } from './lost-attempts.ts';

const at = 1_800_000_000_000;
const id = (n: number) =>
  `${at.toString(16).padStart(12, '0').slice(0, 8)}-${at.toString(16).padStart(12, '0').slice(8)}-7000-8000-00000000000${n}`;
const envelope = testEnvelope({ format: 'messages', estimate: { input: 100 } });
const attempts = [1, 2].map(n => ({ id: id(n), provider: `p${n}`, model: `u${n}` }));
const sibling = { ...attempts[1], id: id(3) } as (typeof attempts)[number];
const common = {
  requestId: 'req_1',
  at,
  ms: 500,
  operation: 'generate',
  format: 'messages',
  stream: true,
  model: 'm',
  tokenId: 't',
  project: 'p',
  byCaller: true,
};
const tried = { ended: 'resent', envelope, attempts, delivered: false, usage: null } as const;

/** The part of a stream that was passed on. */
const passed = (characters: number) => ({ characters, usage: null }) as AnnouncedAttempts['passed'];

function record(lost: Partial<AnnouncedAttempts>) {
  return recordLost({ ...tried, attempts: [...attempts], ...lost } as AnnouncedAttempts, at + 500);
}

test('a lost worker leaves one record per attempt; the last one has an estimate of what it used', () => {
  const lost = { ...common, outcome: 'lost', charged: false, final: false };
  expect(record({})).toEqual([
    { ...lost, id: id(1), provider: 'p1', upstreamModel: 'u1', usage: null },
    {
      ...lost,
      ...{ id: id(2), provider: 'p2', upstreamModel: 'u2' },
      ...{ usage: { ...noUsage, input: 100 }, estimated: true },
    },
  ]);
});

/** The ends of calls that no other call of the request follows. */
const final = new Set<string>(['lost', 'left', 'failed', 'unaccepted']);

test.each([
  ['is sent to another worker', 'resent', false, 10],
  ['has no further worker to go to', 'lost', true, 10],
  ['was left by its client before', 'left', true, 10],
  ['was given up before, since another attempt had answered', 'given-up', false, 10],
  ['had ended in an error before', 'failed', false, undefined],
  ['may not have been accepted', 'unopened', false, undefined],
  ['was left before it was accepted', 'unaccepted', false, undefined],
] as const)('a request that %s', (_, ended, charged, output) => {
  const [first, last] = record({ ended, passed: passed(40) });
  expect([first?.final, last?.final]).toEqual([false, final.has(ended) ? undefined : false]);
  const used = output === undefined ? { usage: null } : { estimated: true, usage: { input: 100, output } };
  const outcome = ended === 'unaccepted' ? 'cancelled' : 'lost';
  expect(last).toMatchObject({ outcome, charged, ...used });
});

test('a stream that was passed on in part is charged, also if it had ended in an error', () => {
  for (const ended of ['lost', 'failed', 'left'] as const)
    expect(record({ ended, delivered: true, passed: passed(40) })[1]).toMatchObject({
      ...{ outcome: 'lost', charged: true, estimated: true },
      usage: { input: 100, output: 10 },
    });
});

test('of a usage that the upstream reported at the beginning, the output is estimated', () => {
  const usage = { ...noUsage, input: 50, cachedInput: 40, output: 1 };
  const [, last] = record({
    ...{ ended: 'lost', delivered: true },
    passed: { characters: 40, usage } as AnnouncedAttempts['passed'],
  });
  expect(last).toMatchObject({ estimated: true, usage: { input: 50, cachedInput: 40, output: 10 } });
});

test('a record holds the owner and the tags of the token', () => {
  const token = { ...envelope.token, owner: 'ada', tags: { team: 'search' } };
  const records = record({ envelope: { ...envelope, token } });
  expect(records[1]).toMatchObject({ project: 'p', owner: 'ada', tags: { team: 'search' } });
});

test('a record names the administrator who ended the request before its worker was lost', () => {
  const [first] = record({ ended: 'left', endedBy: 'ann' });
  expect(first).toMatchObject({ outcome: 'lost', endedBy: 'ann' });
});

test('an attempt that was answered keeps its usage, or has an estimate if the upstream reported none', () => {
  const usage = { ...noUsage, output: 7 };
  const answered = { ended: 'answered', delivered: true } as const;
  const records = record({ ...answered, usage });
  expect(records[1]).toMatchObject({ outcome: 'answered', charged: true, usage });
  expect(records[1]).not.toHaveProperty('estimated');
  expect(records[0]).toMatchObject({ outcome: 'lost', charged: false, usage: null });
  const [, unreported] = record({ ...answered, passed: passed(40) });
  expect(unreported).toMatchObject({
    outcome: 'answered',
    charged: true,
    estimated: true,
    usage: { output: 10 },
  });
});

test('the attempts of one complete response are all answered, and the last has the usage of all', () => {
  const usage = { ...noUsage, output: 14 };
  const records = record({ ended: 'answered', attempts: [...attempts, sibling], delivered: true, usage });
  expect(records).toMatchObject([
    { id: id(1), outcome: 'lost', charged: false, usage: null },
    { id: id(2), outcome: 'answered', charged: true, usage: null },
    { id: id(3), outcome: 'answered', charged: true, usage },
  ]);
});

test('a partly delivered response is charged to the last attempt and those at the same target', () => {
  const records = record({
    ...{ ended: 'lost', delivered: true, passed: passed(80) },
    attempts: [...attempts, sibling],
  });
  expect(records).toMatchObject([
    { id: id(1), outcome: 'lost', charged: false, usage: null },
    { id: id(2), outcome: 'lost', charged: true, usage: { input: 100, output: 10 } },
    { id: id(3), outcome: 'lost', charged: true, usage: { input: 100, output: 10 } },
  ]);
});

test('the parts of a request that is sent in several have their part of the estimate', () => {
  const pieces = { ...envelope, operation: 'embed', stream: false } as const;
  const records = record({ ended: 'lost', envelope: pieces, attempts: [attempts[1] ?? sibling, sibling] });
  expect(records).toMatchObject([{ usage: { input: 50 } }, { usage: { input: 50 } }]);
});

test('all attempts of a session are charged, since each serves another request; what they used is not known', () => {
  const { estimate: _, ...rest } = envelope;
  const session: Envelope = { ...rest, operation: 'realtime' };
  const records = record({ ended: 'lost', envelope: session, delivered: true });
  expect(records).toMatchObject([
    { id: id(1), outcome: 'lost', charged: true, usage: null },
    { id: id(2), outcome: 'lost', charged: true, usage: null },
  ]);
});

test('of a stream of a model that reasons, what it did not show is estimated', () => {
  const reasons = { ...envelope, estimate: { input: 100, hidden: 300 } };
  const [, shown] = record({ envelope: reasons, ended: 'lost', delivered: true, passed: passed(40) });
  expect(shown).toMatchObject({ usage: { input: 100, output: 310 } });
  const silent = { characters: 0, usage: null, silentUntil: at + 200 } as AnnouncedAttempts['passed'];
  expect(record({ envelope: reasons, ended: 'lost', passed: silent })[1]).toMatchObject({
    usage: { input: 100, output: 200 },
  });
});

describe('a realtime session at a provider', () => {
  const session = () => new PassedSession();
  const { estimate: _, ...ofSession } = {
    ...envelope,
    operation: 'realtime' as const,
    format: 'realtime' as const,
  };
  const responses = [1, 2, 3].map(n => ({ id: id(n), provider: 'p', model: 'u', input: 100 * n }));
  const event = (type: string, fields: object = {}) => Buffer.from(JSON.stringify({ type, ...fields }));
  const created = event('response.created', { response: {} });
  const done = event('response.done', { response: { usage: { input_tokens: 40, output_tokens: 9 } } });
  const delta = event('response.output_text.delta', { delta: 'a word or two' });

  test('has an estimate of the response that had not ended, and the usage of the one before', () => {
    const passed = session();
    for (const each of [created, done, created, done, created, delta, delta]) passed.received(each);
    const lost = {
      ended: 'lost',
      delivered: true,
      envelope: ofSession,
      attempts: responses,
      session: passed,
    };
    expect(record(lost as Partial<AnnouncedAttempts>)).toMatchObject([
      { outcome: 'lost', usage: null },
      { outcome: 'answered', charged: true, usage: { input: 40, output: 9 } },
      { outcome: 'lost', charged: true, estimated: true, usage: { input: 300, output: 7 } },
    ]);
  });

  test('has estimates of responses that run at once', () => {
    const passed = session();
    for (const each of [created, created, delta]) passed.received(each);
    const lost = { ended: 'left', delivered: true, envelope: ofSession, session: passed };
    const records = record({ ...lost, attempts: responses.slice(0, 2) } as Partial<AnnouncedAttempts>);
    expect(records).toMatchObject([
      { estimated: true, usage: { input: 100, output: 0 } },
      { estimated: true, usage: { input: 200, output: 4 } },
    ]);
  });
});
