import type { Charged, Costs, Overspent, Slot, Token } from '@model-gateway/access';
import { GatewayError } from '@model-gateway/canonical';
import { Catalog, parseCatalog, recordKey } from '@model-gateway/catalog';
import { ManualClock } from '@model-gateway/clock/testing';
import { beforeEach, expect, test, vi } from 'vitest';
import { Prices } from '../costs/prices.ts';
import { RecentOutputs } from '../costs/recent-outputs.ts';
import { limitSession, responseLimits } from './limit-session.ts';

const token: Token = {
  ...{ version: 1, id: 'one', name: 'one', project: 'lab', expiresAt: null, revoked: false, secretHash: '' },
  budget: { amount: 1, period: 'total' },
};
const catalog = new Catalog();
const { catalog: file } = parseCatalog({
  providers: [{ name: 'house', kind: 'openai', baseUrl: 'http://127.0.0.1:1/v1', apiKey: { value: 'k' } }],
  models: [
    { name: 'talker', targets: [{ provider: 'house', model: 'talker' }], price: { input: 1, output: 1_000 } },
    { name: 'free', targets: [{ provider: 'house', model: 'unheard-of' }] },
  ],
});
for (const { apiKey: _, headers: __, ...provider } of file?.providers ?? [])
  catalog.put(recordKey('provider', provider.name), { ...provider, headers: {}, version: 1 });
for (const [position, model] of (file?.models ?? []).entries())
  catalog.put(recordKey('model', model.name), { ...model, version: 1, position, created: 0 });

const end = vi.fn<(reason: GatewayError) => void>();
const endSlot = vi.fn<Slot['end']>();
let refusal: GatewayError | undefined;
const take = vi.fn(
  async (_counted: unknown, _tokens: number, _costs?: Costs): Promise<Slot> => ({
    ...{ decision: { id: 1 }, end: endSlot },
    ...(refusal && { refusal }),
    raise: async (): Promise<Overspent | undefined> => undefined,
  }),
);
const limiter = { take, count: vi.fn(() => endSlot) };
const clock = new ManualClock();
const prices = new Prices(catalog, clock);
const deps = {
  ...{ catalog, clock, limiter: limiter as never, prices, outputs: new RecentOutputs() },
  access: { latest: (same: Token) => same } as never,
};
const sessionOf = (model: string) => {
  const found = catalog.model(model);
  if (!found) throw new Error(`there is no model ${model}`);
  return { token, model, found, end };
};
beforeEach(() => {
  refusal = undefined;
  vi.clearAllMocks();
});

const budgets: Charged[] = [{ key: '["token","one"]', amount: 1, from: 0, to: null, endsStreams: true }];
const costsOf = (amount: number): Costs => ({ budgets, amount, token: 'one', grows: true });

test('a session of a token with a budget begins while something is left, and reserves nothing', async () => {
  await limitSession(deps, sessionOf('talker'));
  expect(take).toHaveBeenCalledExactlyOnceWith([], 0, costsOf(0), expect.any(Function));
  refusal = new GatewayError('quota-exceeded', 'The budget of this token, $1, is spent.');
  await expect(limitSession(deps, sessionOf('talker'))).rejects.toBe(refusal);
  await expect(limitSession(deps, sessionOf('free'))).rejects.toMatchObject({
    ...{ kind: 'forbidden', details: { code: 'price_unknown' } },
  });
});

test('a response that the provider begins by itself is reserved, until the ledger has its cost', async () => {
  const endResponse = responseLimits(deps, sessionOf('talker')).count();
  await vi.waitFor(() => expect(take).toHaveBeenCalledTimes(1));
  // A thousand tokens, while nothing is known of the model's answers.
  expect(take.mock.lastCall?.[2]).toEqual(costsOf(1));
  endResponse({ input: 1, output: 2 });
  await clock.advance(2_900);
  expect(endSlot).not.toHaveBeenCalled();
  await clock.advance(200);
  expect(endSlot).toHaveBeenCalledExactlyOnceWith(3);
});

test('a session whose provider begins a response ends if a budget is spent, and goes on while others have reserved the rest', async () => {
  refusal = new GatewayError('rate-limited', 'This request may cost more than running requests have left.');
  responseLimits(deps, sessionOf('talker')).count()(null);
  await vi.waitFor(() => expect(take).toHaveBeenCalledTimes(1));
  expect(end).not.toHaveBeenCalled();
  refusal = new GatewayError('quota-exceeded', 'The budget of this token, $1, is spent.');
  responseLimits(deps, sessionOf('talker')).count()(null);
  await vi.waitFor(() => expect(end).toHaveBeenCalledExactlyOnceWith(refusal));
});
