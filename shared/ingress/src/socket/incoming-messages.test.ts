import { setImmediate } from 'node:timers/promises';
import { Faults } from '@model-gateway/bus';
import { GatewayError } from '@model-gateway/canonical';
import { expect, test } from 'vitest';
import { MemoryBudget, TokenCount } from '../memory/budgets.ts';
import { enoughWaiting, IncomingMessages, maxWaitingMessages, messageOverhead } from './incoming-messages.ts';

/** A queue whose handler is at work until `next` is called. */
function open({ share = 100_000_000 } = {}) {
  const held = new MemoryBudget(1_000_000_000, new TokenCount(share, 'The share is full.'));
  const handled: string[] = [];
  const refused: GatewayError[] = [];
  const working: (() => void)[] = [];
  let drained = Promise.resolve();
  let room = 0;
  const messages = new IncomingMessages(
    {
      async handle(data) {
        handled.push(data.subarray(0, 9).toString());
        await new Promise<void>(resolve => working.push(resolve));
      },
      refuse: error => refused.push(error),
    },
    held.share('a'),
    { tokenId: 'a', drained: () => drained, handled: () => room++, faults: new Faults() },
  );
  const push = (text: string | Buffer) => messages.push(Buffer.from(text), true);
  const settle = async () => {
    for (let i = 0; i < 5; i++) await setImmediate();
  };
  return {
    messages,
    held,
    handled,
    refused,
    push,
    settle,
    room: () => room,
    async next() {
      working.shift()?.();
      await settle();
    },
    stopReading() {
      const { promise, resolve } = Promise.withResolvers<void>();
      drained = promise;
      return resolve;
    },
  };
}

test('messages are handled one after the other, and each counts its bytes and an overhead until then', async () => {
  const { messages, held, handled, push, next, settle, room } = open();
  for (const text of ['one', 'two', 'three']) push(text);
  await settle();
  expect(handled).toEqual(['one']);
  expect([messages.waiting, held.held]).toEqual([3, 11 + 3 * messageOverhead]);
  await next();
  expect(handled).toEqual(['one', 'two']);
  expect([messages.waiting, held.held, room()]).toEqual([2, 8 + 2 * messageOverhead, 1]);
  const all = messages.handled;
  await next();
  await next();
  await all;
  expect([handled, messages.waiting, held.held]).toEqual([['one', 'two', 'three'], 0, 0]);
});

test('a queue is full with so many messages, or so many bytes', async () => {
  const { messages, push, next, settle } = open();
  for (let i = 1; i < maxWaitingMessages; i++) push('x');
  expect(messages.full).toBe(false);
  push('x');
  expect(messages.full).toBe(true);
  await settle();
  await next();
  expect(messages.full).toBe(false);
  const large = open();
  large.push(Buffer.alloc(enoughWaiting));
  expect(large.messages.full).toBe(true);
});

test("a message for which the token's share has no room is refused, and the others are handled", async () => {
  const { held, handled, refused, push, next, settle } = open({ share: 3 * messageOverhead });
  const other = held.share('a');
  other.take(messageOverhead);
  for (const text of ['one', 'two', 'three']) push(text);
  expect(refused).toMatchObject(Array(2).fill({ kind: 'rate-limited', message: 'The share is full.' }));
  await settle();
  await next();
  await next();
  expect([handled, held.held]).toEqual([['one'], messageOverhead]);
});

test('no message is handled while the client does not take its answers', async () => {
  const { handled, push, next, settle, stopReading } = open();
  const read = stopReading();
  push('one');
  await settle();
  expect(handled).toEqual([]);
  read();
  await settle();
  expect(handled).toEqual(['one']);
  await next();
});

test('a failed handler refuses its message alone, and nothing is handled after the end', async () => {
  const held = new MemoryBudget(100_000, new TokenCount(100_000, 'full'));
  const seen: string[] = [];
  const boom = new Error('boom');
  const faults: unknown[] = [];
  const messages = new IncomingMessages(
    {
      handle(data) {
        seen.push(data.toString());
        if (seen.length === 1) throw new GatewayError('invalid-request', 'No.');
        if (seen.length === 3) throw boom;
        messages.end();
      },
      refuse: ({ message }) => seen.push(message),
    },
    held.share('a'),
    {
      ...{ tokenId: 'a', drained: async () => {}, handled: () => {} },
      faults: new Faults((place, thrown) => faults.push([place, thrown])),
    },
  );
  for (const text of ['one', 'two', 'three', 'more']) messages.push(Buffer.from(text), true);
  await messages.handled;
  messages.push(Buffer.from('four'), true);
  const failed = 'The gateway failed to handle this request.';
  expect([seen, messages.waiting, held.held]).toEqual([['one', 'No.', 'two', failed, 'three'], 0, 0]);
  // An error of the client is no fault.
  expect(faults).toEqual([['session', boom]]);
});
