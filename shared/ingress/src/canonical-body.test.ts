import type { GenerateRequest } from '@model-gateway/canonical';
import { expect, test } from 'vitest';
import { canonicalBody } from './canonical-body.ts';
import type { ClientBody, GatewayRequest } from './gateway-request.ts';

/** A request of `size` bytes whose canonical form names one text of 100,000 characters so often. */
function requestOf(size: number, times: number): [GatewayRequest, ClientBody] {
  const text = 'x'.repeat(100_000);
  const content = Array(times).fill({ type: 'text', text });
  const canonical = () => ({ messages: [{ role: 'user', content }] }) as GenerateRequest;
  const request = { type: 'generate', model: 'm', stream: false, canonical } as unknown as GatewayRequest;
  return [request, { type: 'text', text: Buffer.alloc(size), turn: async () => {} }];
}

function counting(room = Number.POSITIVE_INFINITY) {
  const counted = {
    taken: 0,
    left: false,
    take(bytes: number) {
      if (counted.taken + bytes > room) throw new Error('no room');
      counted.taken += bytes;
    },
    throwIfAborted() {
      if (counted.left) throw new Error('left');
    },
  };
  return counted;
}

test.each([10, 200_000])('memory is reserved for the canonical form of a body of %i bytes', async size => {
  const counted = counting();
  const body = await canonicalBody(...requestOf(size, 3), counted);
  expect(JSON.parse(body.toString()).messages[0].content).toHaveLength(3);
  expect(counted.taken).toBeGreaterThanOrEqual(body.length);
});

test('nothing is written without room, nor for a client that has left', async () => {
  await expect(canonicalBody(...requestOf(200_000, 50), counting(1_000_000))).rejects.toThrow('no room');
  const gone = counting();
  gone.left = true;
  await expect(canonicalBody(...requestOf(200_000, 50), gone)).rejects.toThrow('left');
});

test('a canonical form much longer than its body is refused before any room is taken', async () => {
  const counted = counting();
  const failed = canonicalBody(...requestOf(200_000, 100_000), counted);
  await expect(failed).rejects.toMatchObject({
    kind: 'too-large',
    message: 'The request is larger than 34 MB when it is translated for the model. Send a smaller one.',
  });
  expect(counted.taken).toBe(0);
});
