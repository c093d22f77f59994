import type { Charged, Overspent, Token } from '@model-gateway/access';
import {
  type GatewayError,
  type GenerateEvent,
  noUsage,
  type Operation,
  type Route,
} from '@model-gateway/canonical';
import { Catalog, parseCatalog, recordKey } from '@model-gateway/catalog';
import { ManualClock } from '@model-gateway/clock/testing';
import { beforeEach, expect, test, vi } from 'vitest';
import { Prices, quantitiesOf, unstated } from '../costs/prices.ts';
import { RecentOutputs } from '../costs/recent-outputs.ts';
import { reserveCost } from './reserve-cost.ts';

const token: Token = {
  ...{ version: 1, id: 'one', name: 'one', project: 'lab', expiresAt: null, revoked: false, secretHash: '' },
};
/** A dollar for a thousand tokens of output. */
const price = { input: 0, output: 1_000 };
const catalog = new Catalog();
const { catalog: file } = parseCatalog({
  providers: [{ name: 'house', kind: 'openai', baseUrl: 'http://127.0.0.1:1/v1', apiKey: { value: 'k' } }],
  models: [
    { name: 'talker', targets: [{ provider: 'house', model: 'talker' }], price },
    { name: 'brief', targets: [{ provider: 'house', model: 'brief' }], price, limits: { maxOutput: 200 } },
    {
      ...{ name: 'careful', targets: [{ provider: 'house', model: 'careful' }], price },
      ...{ limits: { maxOutput: 200 }, fallbacks: { outage: ['talker'] } },
    },
  ],
});
for (const { apiKey: _, headers: __, ...provider } of file?.providers ?? [])
  catalog.put(recordKey('provider', provider.name), { ...provider, headers: {}, version: 1 });
for (const [position, model] of (file?.models ?? []).entries())
  catalog.put(recordKey('model', model.name), { ...model, version: 1, position, created: 0 });

const clock = new ManualClock();
const prices = new Prices(catalog, clock);
const end = vi.fn<(reason: GatewayError) => void>();
let outputs: RecentOutputs;
beforeEach(() => {
  outputs = new RecentOutputs();
  vi.clearAllMocks();
});

const ending: Charged = { key: '["token","one"]', amount: 1, from: 0, to: null, endsStreams: true };
const { endsStreams: _, ...goingOn } = ending;

interface Requested {
  model?: string;
  operation?: Operation;
  output?: number;
  choices?: number;
  stream?: boolean;
  budgets?: Charged[];
}

function reserve({
  model = 'talker',
  operation = 'generate',
  output = unstated,
  stream = false,
  ...more
}: Requested) {
  const { choices, budgets = [ending] } = more;
  const found = catalog.model(model);
  if (!found) throw new Error(`there is no model ${model}`);
  const quantities = { ...quantitiesOf(noUsage), output };
  const request = { token, project: 'lab', model, operation, quantities, choices };
  const deps = { access: { latest: () => token } as never, catalog, clock, outputs, prices };
  const estimated = { ...request, stream, counts: operation === 'generate' };
  return reserveCost(deps, estimated, found, budgets, end);
}

/** Returns the output tokens that are reserved. */
const reservedFor = async (wanted: Requested) => (await reserve(wanted)).costs.amount * 1_000;

test.each<[string, number, Requested]>([
  ['a whole answer, the most that its model writes', 200, { model: 'brief' }],
  ['one of a model whose maximum is unknown', 32_768, {}],
  ['one with a fallback that writes more', 32_768, { model: 'careful' }],
  ['several of them', 600, { model: 'brief', choices: 3 }],
  ['one with a maximum', 70, { output: 70 }],
  ['several with a maximum beyond that of the model', 600, { model: 'brief', output: 9_000, choices: 3 }],
  ['a maximum that no model reaches', 1_000_000, { output: 1e15 }],
  ['an image', 8_192, { operation: 'image' }],
  ['several images', 24_576, { operation: 'image', choices: 3 }],
  ['speech', 32_768, { operation: 'speech', stream: true }],
  ['a stream, a thousand tokens', 1_000, { stream: true }],
  ['a stream of a model that writes less', 200, { model: 'brief', stream: true }],
  ['a stream with a maximum', 70, { output: 70, stream: true }],
  ['a stream with a maximum that it may never reach', 1_000, { output: 64_000, stream: true }],
  ['a stream that may go on, as a whole answer', 32_768, { stream: true, budgets: [goingOn, ending] }],
])('of output, what is reserved for %s is %i', async (_, tokens, wanted) => {
  expect(await reservedFor(wanted)).toBeCloseTo(tokens);
});

test('a stream reserves the usual output of its model if that is more, and a whole answer does not reserve less', async () => {
  for (let i = 0; i < 50; i++) outputs.add('talker', 5);
  expect([await reservedFor({ stream: true }), await reservedFor({})].map(Math.round)).toEqual([
    1_000, 32_768,
  ]);
  for (let i = 0; i < 50; i++) outputs.add('talker', 2_500);
  expect(await reservedFor({ stream: true })).toBeCloseTo(2_500);
});

test('only what can be ended takes less than it asks for if less is left', async () => {
  expect((await reserve({ stream: true })).costs).toMatchObject({ token: 'one', grows: true });
  expect((await reserve({})).costs.grows).toBeUndefined();
  expect((await reserve({ stream: true, budgets: [goingOn] })).costs.grows).toBeUndefined();
});

const route = { provider: 'house', model: 'talker', format: 'chat' } as Route;
const attempt = { route, call: { attempts: ['a'] } };
const textOf = (tokens: number): GenerateEvent[] => [
  { type: 'part-delta', index: 0, text: 'word'.repeat(tokens) },
];
const passedOn = (tokens: number, partial?: true): GenerateEvent[] => [
  {
    type: 'verbatim',
    bytes: Buffer.from(`data: {"delta":{"content":"${'word'.repeat(tokens)}"}}\n\n`),
    ...(partial && { partial }),
  },
];

/** Starts a request whose raises are all granted, or refused by a budget. */
async function run(wanted: Requested, { reserved, over }: { reserved?: number; over?: Overspent } = {}) {
  const raise = vi.fn(async (_amount: number) => over);
  const { run } = await reserve(wanted);
  const decision = { id: 1, ...(reserved !== undefined && { reserved }) };
  return { cost: run({ decision, raise }), raise };
}

test.each([
  ['translated', textOf],
  ['passed on', passedOn],
])('a stream that is %s reserves more before it outgrows what is reserved', async (_, events) => {
  const { cost, raise } = await run({ stream: true });
  for (let i = 0; i < 9; i++) cost.answered(attempt, events(100));
  expect(raise).not.toHaveBeenCalled();
  cost.answered(attempt, events(150));
  expect(raise).toHaveBeenCalledTimes(1);
  expect(raise.mock.lastCall?.[0]).toBeCloseTo(1.175, 2);
});

test('a large event reserves more with each piece of it', async () => {
  const { cost, raise } = await run({ stream: true });
  cost.answered(attempt, [{ type: 'verbatim', bytes: Buffer.from('data: {"content":"'), partial: true }]);
  const piece: GenerateEvent = { type: 'verbatim', bytes: Buffer.from('word'.repeat(5_000)), partial: true };
  for (let i = 0; i < 4; i++) cost.answered(attempt, [piece]);
  const amounts = raise.mock.calls.map(([amount]) => Math.floor(amount / 5.5));
  expect(amounts).toEqual([1, 2, 3, 4]);
});

test('text in other alphabets than the Latin one has more tokens', async () => {
  const { cost, raise } = await run({ stream: true });
  cost.answered(attempt, [{ type: 'part-delta', index: 0, text: '長い答え'.repeat(340) }]);
  expect(raise).toHaveBeenCalledTimes(1);
});

test('a stream ends where a raise is refused, and goes on if its budget says so', async () => {
  const refused = await run({ stream: true }, { over: { ...ending, spent: 1 } });
  refused.cost.answered(attempt, textOf(1_500));
  await vi.waitFor(() => expect(end).toHaveBeenCalledTimes(1));
  expect(end.mock.lastCall?.[0]).toMatchObject({ kind: 'quota-exceeded' });
  const kept = await run({ stream: true, budgets: [goingOn] }, { over: { ...goingOn, spent: 1 } });
  kept.cost.answered(attempt, textOf(40_000));
  await kept.raise.mock.results[0]?.value;
  expect(kept.raise).toHaveBeenCalledTimes(1);
  expect(end).toHaveBeenCalledTimes(1);
});

test('a stream that got less than it asked for asks for more once it has cost that', async () => {
  const { cost, raise } = await run({ stream: true }, { reserved: 0.3 });
  cost.answered(attempt, textOf(100));
  cost.answered(attempt, textOf(100));
  expect(raise).not.toHaveBeenCalled();
  cost.answered(attempt, textOf(100));
  expect(raise).toHaveBeenCalledTimes(1);
  expect(raise.mock.lastCall?.[0]).toBeCloseTo(0.35);
});

test('long words raise nothing beyond the maximum, and an answer that does not obey it does', async () => {
  const { cost, raise } = await run({ stream: true, output: 100 });
  cost.answered(attempt, textOf(150));
  expect(raise).not.toHaveBeenCalled();
  cost.answered(attempt, textOf(60));
  expect(raise.mock.lastCall?.[0]).toBeCloseTo(0.251);
});

test('a whole answer raises nothing', async () => {
  const { cost, raise } = await run({});
  cost.answered(attempt, textOf(100_000));
  expect(raise).not.toHaveBeenCalled();
});

/** Notes a stream of the model that did not show 2,000 of its tokens. */
const hides = () =>
  outputs.answered({
    envelope: { model: 'talker' },
    usage: { ...noUsage, output: 2_500, reasoning: 2_000, hidden: 2_000 },
    passed: {} as never,
  });

test('a stream that is silent reserves more with time, at most what its answer may have', async () => {
  const { cost, raise } = await run({ stream: true, output: 3_000 });
  await clock.advance(10_000);
  expect(raise).not.toHaveBeenCalled();
  await clock.advance(2_000);
  expect(raise.mock.lastCall?.[0]).toBeCloseTo(1.34);
  await clock.advance(600_000);
  expect(raise.mock.lastCall?.[0]).toBeCloseTo(3);
  // Its text comes on top.
  const calls = raise.mock.calls.length;
  cost.answered(attempt, textOf(100));
  await clock.advance(600_000);
  expect(raise).toHaveBeenCalledTimes(calls);
});

test('a stream that goes on writing reserves nothing for silence', async () => {
  const { cost, raise } = await run({ stream: true });
  for (let i = 0; i < 100; i++) {
    cost.answered(attempt, textOf(5));
    await clock.advance(1_000);
  }
  expect(raise).not.toHaveBeenCalled();
});

test('a silent stream ends where a raise is refused', async () => {
  await run({ stream: true }, { over: { ...ending, spent: 1 } });
  await clock.advance(12_000);
  await vi.waitFor(() => expect(end).toHaveBeenCalledTimes(1));
});

test('once a stream has text, it reserves what its model usually does not show', async () => {
  hides();
  const { cost, raise } = await run({ stream: true });
  cost.answered(attempt, textOf(10));
  expect(raise).toHaveBeenCalledTimes(1);
  expect(raise.mock.lastCall?.[0]).toBeCloseTo(2.231);
});

test.each([
  ['a request that has ended', { stream: true }, true],
  ['a whole answer', {}, false],
  ['sound', { stream: true, operation: 'speech' }, false],
] as const)('the silence of %s reserves nothing', async (_, wanted, ends) => {
  const { cost, raise } = await run(wanted);
  if (ends) cost.settlement(undefined);
  await clock.advance(600_000);
  expect(raise).not.toHaveBeenCalled();
});
