import { GatewayError, type UsageRecord } from '@model-gateway/canonical';
import { expect, test } from 'vitest';
import type { NotedAttempt } from '../attempts/running-attempt.ts';
import type { RunningEntry } from '../running/running-entry.ts';
import { recordEnd, recordRecovered } from './record-end.ts';
import type { Observed } from './request-line.ts';

const failure = new GatewayError('upstream', 'No.');

type Noted = Partial<Pick<NotedAttempt, 'cause' | 'outcome' | 'unsent'>> & { id: string };

/** Makes the entry of a request with attempts. */
function entryWith(noted: Noted[], operation = 'generate') {
  const added: UsageRecord[] = [];
  const entry = {
    ...{ requestId: 'req_1', operation, format: 'chat', stream: false, model: 'm' },
    token: { id: 't', project: 'lab' },
    attempts: noted.length,
    noted: noted.map(({ id, ...attempt }) => ({
      ...{ cause: 'failover', outcome: 'failed', unsent: false, followed: false },
      ...{ openedAt: 1, ms: 2, error: 'upstream' },
      ...attempt,
      route: { provider: 'p', model: 'x' },
      call: { attempts: [id] },
    })),
  } as unknown as RunningEntry;
  return { entry, added };
}

/** Ends a request with attempts; returns the ids of those that others followed, and the refusals. */
function end(noted: Noted[], error?: GatewayError, operation?: string) {
  const { entry, added } = entryWith(noted, operation);
  const refused: unknown[] = [];
  const request = { requestId: 'req_1', endpoint: '/', model: 'm', status: 200, startedAt: 0, entry, error };
  recordEnd(
    request as unknown as Observed,
    { addBeside: record => added.push(record as UsageRecord) },
    { note: request => refused.push(request) },
  );
  for (const record of added)
    expect(record).toMatchObject({
      ...{ final: false, byCaller: true, charged: false },
      ...{ outcome: 'failed', tokenId: 't' },
    });
  return { followed: added.map(({ id }) => id), refused: refused.length };
}

test.each<[string, Noted[], GatewayError | undefined, string[]]>([
  ['one attempt that failed', [{ id: 'a', cause: 'first' }], failure, []],
  ['two that failed', [{ id: 'a', cause: 'first' }, { id: 'b' }], failure, ['a']],
  [
    'one that failed over',
    [
      { id: 'a', cause: 'first' },
      { id: 'b', outcome: 'answered' },
    ],
    undefined,
    ['a'],
  ],
  [
    'a hedged one whose first attempt failed later',
    [
      { id: 'a', cause: 'first', outcome: 'answered' },
      { id: 'b', cause: 'hedge' },
    ],
    undefined,
    ['b'],
  ],
  [
    'one that reached no upstream at last',
    [
      { id: 'a', cause: 'first' },
      { id: 'b', unsent: true },
    ],
    failure,
    [],
  ],
  [
    'one whose client left after a failure',
    [
      { id: 'a', cause: 'first' },
      { id: 'b', outcome: 'cancelled' },
    ],
    new GatewayError('cancelled', 'The client left.'),
    ['a'],
  ],
  ['one that was answered by an estimate', [{ id: 'a', cause: 'first' }, { id: 'b' }], undefined, ['a', 'b']],
])('the attempts that others followed: %s', (_, noted, error, followed) => {
  expect(end(noted, error)).toEqual({ followed, refused: 0 });
});

test('each response of a session is a request', () => {
  const noted: Noted[] = [
    { id: 'a', cause: 'first' },
    { id: 'b', outcome: 'answered' },
    { id: 'c', cause: 'first' },
    { id: 'd' },
    { id: 'e', cause: 'first', outcome: 'answered' },
  ];
  expect(end(noted, undefined, 'realtime').followed).toEqual(['a', 'c']);
});

test('a request is refused if no upstream was called', () => {
  expect(end([], failure).refused).toBe(1);
  expect(end([{ id: 'a', unsent: true }], failure).refused).toBe(1);
  expect(end([{ id: 'a', unsent: true }, { id: 'b' }], failure).refused).toBe(0);
  expect(end([], new GatewayError('cancelled', 'The client left.')).refused).toBe(0);
  expect(end([], new GatewayError('upstream', 'No.', { upstream: { provider: 'p' } })).refused).toBe(0);
  expect(end([]).refused).toBe(0);
});

test('an answered request tells at its beginning which attempts failed before, and not again at its end', () => {
  const { entry, added } = entryWith([
    { id: 'a', cause: 'first' },
    { id: 'b', outcome: undefined },
  ]);
  const usage = { addBeside: (record: unknown) => added.push(record as UsageRecord) };
  recordRecovered(entry, usage);
  expect(added.map(({ id }) => id)).toEqual(['a']);
  recordEnd({ requestId: 'req_1', entry, error: failure } as unknown as Observed, usage, { note: () => {} });
  expect(added).toHaveLength(1);
});
