import type { GenerateRequest } from '@model-gateway/canonical';
import type { GatewayRequest } from '@model-gateway/formats/client';
import { expect, test } from 'vitest';
import type { ClientBody } from '../form/received.ts';
import type { Reservation } from '../memory/budgets.ts';
import { canonicalBody, Translating } from './canonical-body.ts';

/** A request of `size` bytes whose canonical form names one text of 100,000 characters so often. */
function requestOf(size: number, times: number): [GatewayRequest, ClientBody] {
  const text = 'x'.repeat(100_000);
  const content = Array(times).fill({ type: 'text', text });
  const canonical = () => ({ messages: [{ role: 'user', content }] }) as GenerateRequest;
  const request = { type: 'generate', model: 'm', stream: false, canonical } as unknown as GatewayRequest;
  return [request, { type: 'text', text: Buffer.alloc(size), turn: async () => {} }];
}

/** The reservation of a request in progress. */
function counting(room = Number.POSITIVE_INFINITY) {
  const counted = { taken: 0 };
  const sink = { destroyed: false };
  const share = {
    take(bytes: number) {
      if (counted.taken + bytes > room) throw new Error('no room');
      counted.taken += bytes;
    },
  } as Reservation;
  const translating = new Translating({ over: false, refusal: undefined, share }, sink);
  return { counted, sink, translating };
}

test.each([10, 200_000])('memory is reserved for the canonical form of a body of %i bytes', async size => {
  const { counted, translating } = counting();
  const body = await canonicalBody(...requestOf(size, 3), translating);
  expect(JSON.parse(body.toString()).messages[0].content).toHaveLength(3);
  expect(counted.taken).toBeGreaterThanOrEqual(body.length);
});

test('nothing is written without room, nor for a client that has left', async () => {
  await expect(canonicalBody(...requestOf(200_000, 50), counting(1_000_000).translating)).rejects.toThrow(
    'no room',
  );
  const { counted, sink, translating } = counting();
  sink.destroyed = true;
  const failed = canonicalBody(...requestOf(200_000, 50), translating);
  await expect(failed).rejects.toThrow('The request has ended.');
  expect(counted.taken).toBe(0);
});

test('a canonical form much longer than its body is refused before any room is taken', async () => {
  const { counted, translating } = counting();
  const failed = canonicalBody(...requestOf(200_000, 100_000), translating);
  await expect(failed).rejects.toMatchObject({
    kind: 'too-large',
    message: 'The request is larger than 34 MB when it is translated for the model. Send a smaller one.',
  });
  expect(counted.taken).toBe(0);
});
