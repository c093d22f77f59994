import { type Endpoint, type IncomingRequest, MemoryBudget, TokenCount } from '@model-gateway/ingress';
import { expect, test } from 'vitest';
import { LocalStore, reservingLocal } from './local-store.ts';

/** A connection with one turn of 100,000 bytes, and requests that are expanded until `end` is called. */
function open(share: number) {
  const held = new MemoryBudget(10_000_000, new TokenCount(share, 'The share is full.'));
  const local = new LocalStore(held, 'a');
  const meta = { id: 'first', at: 0, before: [], stream: false };
  local.set('first', { meta, base: '', input: 'x'.repeat(100_000), response: '' });
  const { promise, resolve: end } = Promise.withResolvers<void>();
  const inner: Pick<Endpoint, 'prepare'> = {
    async prepare(body, { text }) {
      await promise;
      return { body, text };
    },
  };
  const { prepare } = reservingLocal(inner as Endpoint, local);
  const ask = (body: Record<string, unknown>) => {
    const request = held.share('a');
    const incoming = { text: Buffer.alloc(0), share: () => request.part() } as unknown as IncomingRequest;
    return prepare?.(body, incoming, 'req_1');
  };
  return { held, ask, end };
}

test.each([
  ['that continues a turn', { previous_response_id: 'first' }, 200_000],
  ['with a reference', { input: [{ type: 'item_reference', id: 'x' }] }, 200_000],
  ['that begins a conversation', { input: 'x', previous_response_id: 'elsewhere' }, 0],
])('a request %s holds what it reads of its connection until it is expanded', async (_what, body, bytes) => {
  const { held, ask, end } = open(1_000_000);
  const asked = ask(body);
  expect(held.held).toBe(100_000 + bytes);
  end();
  await asked;
  expect(held.held).toBe(100_000);
});

test("many small requests that continue one large turn are refused once their token's share is full", async () => {
  const { held, ask, end } = open(700_000);
  const asked = Promise.allSettled(Array.from({ length: 30 }, () => ask({ previous_response_id: 'first' })));
  expect(held.held).toBe(700_000);
  end();
  const refused = (await asked).filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(27);
  expect(refused[0]).toMatchObject({ reason: { kind: 'rate-limited', message: 'The share is full.' } });
});
