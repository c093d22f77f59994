import { type Envelope, noUsage } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { expect, test } from 'vitest';
import { recordLost } from './deps.ts';

const at = 1_800_000_000_000;
const id = (n: number) =>
  `${at.toString(16).padStart(12, '0').slice(0, 8)}-${at.toString(16).padStart(12, '0').slice(8)}-7000-8000-00000000000${n}`;
const envelope = testEnvelope({ format: 'messages' });
const attempts = [1, 2].map(n => ({ id: id(n), provider: `p${n}`, model: `u${n}` }));
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

const tried = { envelope: { ...envelope, targets: [] }, attempts, delivered: false, usage: null };

test('a lost worker leaves one record per attempt, without usage', () => {
  const records = recordLost(tried, at + 500);
  const lost = { ...common, outcome: 'lost', charged: false, usage: null };
  expect(records).toEqual([
    { ...lost, id: id(1), provider: 'p1', upstreamModel: 'u1' },
    { ...lost, id: id(2), provider: 'p2', upstreamModel: 'u2' },
  ]);
});

test('a record holds the owner and the tags of the token', () => {
  const token = { ...envelope.token, owner: 'ada', tags: { team: 'search' } };
  const records = recordLost({ ...tried, envelope: { ...tried.envelope, token } }, at + 500);
  expect(records[1]).toMatchObject({ project: 'p', owner: 'ada', tags: { team: 'search' } });
});

test('a record names the administrator who ended the request before its worker was lost', () => {
  const [record] = recordLost({ ...tried, endedBy: 'ann' }, at + 500);
  expect(record).toMatchObject({ outcome: 'lost', endedBy: 'ann' });
});

test('an attempt that was answered keeps its usage', () => {
  const usage = { ...noUsage, output: 7 };
  const records = recordLost({ ...tried, delivered: true, usage }, at + 500);
  expect(records[1]).toMatchObject({ outcome: 'answered', charged: true, usage });
  expect(records[0]).toMatchObject({ outcome: 'lost', charged: false, usage: null });
});

test('the attempts of one complete response are all answered, and the last has the usage of all', () => {
  const usage = { ...noUsage, output: 14 };
  const sibling = { ...attempts[1], id: id(3) } as (typeof attempts)[number];
  const records = recordLost(
    { ...tried, attempts: [...attempts, sibling], delivered: true, usage },
    at + 500,
  );
  expect(records).toMatchObject([
    { id: id(1), outcome: 'lost', charged: false, usage: null },
    { id: id(2), outcome: 'answered', charged: true, usage: null },
    { id: id(3), outcome: 'answered', charged: true, usage },
  ]);
});

test('a partly delivered response is charged to the last attempt and those at the same target', () => {
  const sibling = { ...attempts[1], id: id(3) } as (typeof attempts)[number];
  const records = recordLost({ ...tried, attempts: [...attempts, sibling], delivered: true }, at + 500);
  expect(records).toMatchObject([
    { id: id(1), outcome: 'lost', charged: false },
    { id: id(2), outcome: 'lost', charged: true },
    { id: id(3), outcome: 'lost', charged: true },
  ]);
});

test('all attempts of a session are charged, since each serves another request', () => {
  const session: Envelope = { ...envelope, operation: 'realtime', targets: [] };
  const records = recordLost({ ...tried, envelope: session, delivered: true }, at + 500);
  expect(records).toMatchObject([
    { id: id(1), outcome: 'lost', charged: true },
    { id: id(2), outcome: 'lost', charged: true },
  ]);
});
