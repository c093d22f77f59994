import { setImmediate } from 'node:timers/promises';
import type { GatewayError } from '@model-gateway/canonical';
import { MemoryBudget, TokenCount } from '@model-gateway/ingress';
import { expect, test } from 'vitest';
import { Backlog } from './backlog.ts';
import { EventWriter, maxEvent, type SessionEvent } from './event-writer.ts';

function open(share = 100_000_000) {
  const held = new MemoryBudget(1_000_000_000, new TokenCount(share, 'The share is full.'));
  const backlog = new Backlog();
  const sent: { type: string; size: number; error?: { code: string } }[] = [];
  const failures: GatewayError[] = [];
  let turns = 0;
  const writer = new EventWriter({
    backlog,
    async turn() {
      turns++;
      await setImmediate();
    },
    share: () => held.share('a'),
    send(data) {
      sent.push({ ...JSON.parse(data.toString()), size: data.length });
      backlog.add(data.length);
    },
    failed: error => failures.push(error),
  });
  const write = (type: string, size = 0) =>
    writer.write({ type, event_id: 'e', text: 'x'.repeat(size) } as SessionEvent);
  /** The client takes everything. */
  const take = () => backlog.taken(sent.splice(0).reduce((sum, { size }) => sum + size, 0));
  return { held, backlog, writer, sent, failures, write, take, turns: () => turns };
}

const types = (sent: { type: string }[]) => sent.map(({ type }) => type);

test('events keep their order, large ones are written in steps, and the session pauses meanwhile', async () => {
  const { backlog, held, sent, write, turns } = open();
  write('first');
  expect(types(sent)).toEqual(['first']);
  write('large', 3_000_000);
  write('last');
  expect([types(sent), backlog.full]).toEqual([['first'], true]);
  await setImmediate();
  expect(held.held).toBeGreaterThan(3_000_000);
  while (sent.length < 3) await setImmediate();
  expect(types(sent)).toEqual(['first', 'large', 'last']);
  expect(turns()).toBeGreaterThan(5);
  expect(held.held).toBe(0);
});

test('a large event is made once the client has taken those before', async () => {
  const { held, sent, write, take } = open();
  write('one', 1_000_000);
  write('two', 1_000_000);
  while (sent.length < 1) await setImmediate();
  for (let i = 0; i < 20; i++) await setImmediate();
  expect([types(sent), held.held]).toEqual([['one'], 0]);
  take();
  while (sent.length < 1) await setImmediate();
  expect(types(sent)).toEqual(['two']);
});

test('an item without room for its event is an error event; another event ends the session', async () => {
  const { held, sent, failures, write } = open(1_000_000);
  held.share('a').take(900_000);
  write('conversation.item.retrieved', 500_000);
  while (sent.length < 1) await setImmediate();
  expect(sent).toMatchObject([{ type: 'error', error: { code: 'rate_limit_exceeded' } }]);
  write('response.done', 500_000);
  while (failures.length < 1) await setImmediate();
  expect(failures).toMatchObject([{ kind: 'rate-limited' }]);
  expect(held.held).toBe(900_000);
});

test('the size of one event is bounded', async () => {
  const { writer, sent, write } = open();
  const refusal = { kind: 'too-large', details: { code: 'event_too_large' } };
  expect(() => writer.check(maxEvent + 1)).toThrow(expect.objectContaining(refusal));
  writer.check(maxEvent);
  write('conversation.item.retrieved', maxEvent);
  while (sent.length < 1) await setImmediate();
  expect(sent).toMatchObject([{ type: 'error', error: { code: 'event_too_large' } }]);
});

test('nothing is written once the session has ended', async () => {
  const { writer, backlog, held, sent, write } = open();
  write('large', 3_000_000);
  write('last');
  await setImmediate();
  writer.end();
  backlog.end();
  while (backlog.full || held.held > 0) await setImmediate();
  for (let i = 0; i < 20; i++) await setImmediate();
  expect([sent, held.held]).toEqual([[], 0]);
});
