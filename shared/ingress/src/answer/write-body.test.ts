import { GatewayError } from '@model-gateway/canonical';
import { expect, test } from 'vitest';
import { writeLargeJson } from './response-sink.ts';

const large = { texts: Array.from({ length: 40 }, () => 'x'.repeat(100_000)) };
const size = JSON.stringify(large).length;

/** A response that is written until it ends, after so many looks whether it has. */
function open({ room = Number.POSITIVE_INFINITY, looks = Number.POSITIVE_INFINITY } = {}) {
  const seen = { held: 0, written: 0, looks: 0 };
  const response = {
    writableNeedDrain: false,
    writeHead() {},
    write({ length }: Uint8Array) {
      seen.written += length;
    },
  };
  const body = {
    response: response as never,
    drained: async () => {},
    hold(bytes: number) {
      if (seen.held + bytes > room) throw new GatewayError('rate-limited', 'Its share is used up.');
      seen.held += bytes;
    },
    isOver: () => ++seen.looks > looks,
  };
  return { body, seen };
}

test('room is taken for a large answer before it is written', async () => {
  const { body, seen } = open();
  expect(await writeLargeJson(body, large)).toBe(true);
  expect(seen.written).toBe(size);
  expect(seen.held).toBeGreaterThanOrEqual(size);
});

test('an answer for which there is no room is refused, and nothing of it is written', async () => {
  const { body, seen } = open({ room: 1_000_000 });
  await expect(writeLargeJson(body, large)).rejects.toMatchObject({ kind: 'rate-limited' });
  expect(seen).toMatchObject({ held: 0, written: 0 });
});

test('an answer whose client leaves meanwhile is written no further', async () => {
  const { body, seen } = open({ looks: 1 });
  expect(await writeLargeJson(body, large)).toBe(false);
  expect(seen).toMatchObject({ written: 0, looks: 2 });
});
