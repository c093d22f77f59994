import { GatewayError, type RefusedRecord } from '@model-gateway/canonical';
import { ManualClock } from '@model-gateway/clock/testing';
import { expect, test } from 'vitest';
import { mostRefusedCounts, Refusals, refusedEveryMs, refusedInAll, refusedOfToken } from './refusals.ts';

const limited = new GatewayError('rate-limited', 'Too many.', { code: 'rate_limit_exceeded' });
const unknown = new GatewayError('unauthenticated', 'No.');

function started() {
  const clock = new ManualClock();
  const records: RefusedRecord[] = [];
  const refusals = new Refusals(clock, record => records.push(record));
  const note = (tokenId: string, error = limited, more: Partial<Parameters<Refusals['note']>[0]> = {}) =>
    refusals.note(
      {
        ...{ requestId: 'req_1', endpoint: '/v1/chat/completions', model: 'm', status: 429 },
        ...(tokenId && { tokenId, project: 'lab' }),
        ...more,
      },
      error,
    );
  const counts = () => records.filter(record => record.refused === 'count');
  const requests = () => records.filter(record => record.refused === 'request');
  return { clock, refusals, note, counts, requests };
}

test('a flood of one token is one count and a few requests', async () => {
  const { clock, note, counts, requests } = started();
  for (let i = 0; i < 10_000; i++) note('t');
  expect(counts()).toEqual([]);
  await clock.advance(refusedEveryMs);
  expect(counts()).toMatchObject([
    { tokenId: 't', project: 'lab', model: 'm', status: 429, reason: 'rate-limited', count: 10_000 },
  ]);
  expect(requests()).toHaveLength(refusedOfToken);
  expect(requests()[0]).toMatchObject({ requestId: 'req_1', code: 'rate_limit_exceeded', status: 429 });
});

test('a later record of a minute has the whole count so far', async () => {
  const { clock, note, counts } = started();
  note('t');
  await clock.advance(refusedEveryMs);
  note('t');
  await clock.advance(refusedEveryMs);
  const [first, second] = counts();
  expect([first?.count, second?.count]).toEqual([1, 2]);
  expect(second).toEqual({ ...first, count: 2 });
});

test('each minute begins with new counts and new requests', async () => {
  const { clock, note, counts, requests } = started();
  for (let i = 0; i < 20; i++) note('t');
  await clock.advance(60_000);
  note('t');
  await clock.advance(refusedEveryMs);
  expect(counts().map(({ count }) => count)).toEqual([20, 1]);
  expect(new Set(counts().map(({ start }) => start)).size).toBe(2);
  expect(requests()).toHaveLength(refusedOfToken + 1);
});

test('many tokens share the requests that are recorded, and none is left uncounted', async () => {
  const { clock, note, counts, requests } = started();
  const tokens = 3 * mostRefusedCounts;
  for (let i = 0; i < tokens; i++) note(`t${i}`);
  await clock.advance(refusedEveryMs);
  expect(requests()).toHaveLength(refusedInAll);
  expect(counts()).toHaveLength(mostRefusedCounts + 1);
  expect(counts().reduce((sum, { count }) => sum + count, 0)).toBe(tokens);
  expect(counts().at(-1)).toMatchObject({ tokenId: '', project: '', model: '' });
});

test('requests without a valid token are counted together, and none is recorded', async () => {
  const { clock, note, counts, requests } = started();
  for (let i = 0; i < 1_000; i++) note('', unknown, { status: 401, model: '' });
  await clock.advance(refusedEveryMs);
  expect(counts()).toMatchObject([
    { tokenId: '', project: '', status: 401, reason: 'unauthenticated', count: 1_000 },
  ]);
  expect(requests()).toEqual([]);
});

test('nothing is sent while nothing is refused', async () => {
  const { clock, note, counts } = started();
  note('t');
  await clock.advance(10 * refusedEveryMs);
  expect(counts()).toHaveLength(1);
});

test('a secret in the place of a model is not recorded', () => {
  const { note, requests } = started();
  const key = 'sk-proj-abcdefghijklmnopqrstuvwxyz123456';
  const error = new GatewayError('not-found', 'No.', { code: 'model_not_found', param: `headers.${key}` });
  const entry = { model: `${'x'.repeat(190)} ${key}`, owner: 'ada' } as NonNullable<
    Parameters<Refusals['note']>[0]['entry']
  >;
  note('t', error, { status: 404, model: '', entry });
  expect(JSON.stringify(requests())).not.toContain('sk-proj');
  expect(requests()).toMatchObject([{ reason: 'not-found', owner: 'ada', code: 'model_not_found' }]);
});
