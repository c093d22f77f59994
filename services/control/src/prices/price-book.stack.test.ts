import type { ResponseOf } from '@model-gateway/admin-api';
import { UsageWriter } from '@model-gateway/bus';
import { noUsage, type Usage, type UsageRecord } from '@model-gateway/canonical';
import { ManualClock } from '@model-gateway/clock/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestControl } from '../testing/control.ts';
import { eventually } from '../testing/eventually.ts';
import { Stage } from '../testing/stage.ts';
import { usageRecord } from '../testing/usage-record.ts';

const catalog = `
providers:
  - { name: openai, kind: openai, apiKey: { env: OPENAI_API_KEY } }
  - { name: claude, kind: anthropic, apiKey: { env: ANTHROPIC_API_KEY } }
  - { name: groq, kind: openai-compatible, baseUrl: "https://api.groq.com/openai/v1" }
  - { name: house, kind: openai-compatible, baseUrl: "http://127.0.0.1:1/v1" }
models:
  - { name: "openai/*", targets: [ { provider: openai, model: "*" } ] }
  - { name: "claude/*", targets: [ { provider: claude, model: "*" } ] }
  - { name: "house/*", targets: [ { provider: house, model: "*" } ] }
  - { name: whisper, targets: [ { provider: groq, model: whisper-large-v3 } ] }
  - name: fast
    targets:
      - { provider: house, model: small, price: { input: 1, output: 2 } }
      - { provider: house, model: large }
    price: { input: 10, cachedInput: 5, output: 20 }
    limits: { context: 8000 }
  - { name: draw, targets: [ { provider: house, model: draw } ], price: { image: 0.04 } }
  - name: able
    targets: [ { provider: house, model: able } ]
    price: { input: 1, output: 2, webSearch: 0.01, tier: { priority: { input: 2, output: 4 } } }
  - { name: gpt-5-mini, targets: [ { provider: openai, model: gpt-5-mini } ], price: { webSearch: 0.01 } }
projects:
  - { name: cheap, prices: { "fa*": { input: 0.5, output: 0.5 }, fast: { input: 0.1, output: 0.1 } } }
`;

let stage: Stage;
let clock: ManualClock;
let control: TestControl;
let writer: UsageWriter;
beforeAll(async () => {
  stage = await Stage.set();
  clock = new ManualClock(Date.now());
  control = await stage.control(await stage.withCatalog(catalog), { clock });
  writer = new UsageWriter(stage.bus);
});
afterAll(async () => {
  await writer?.close();
  await stage?.clear();
});

const million = 1_000_000;
let last = 0;

interface Served
  extends Partial<
    Pick<UsageRecord, 'operation' | 'fallback' | 'project' | 'charged' | 'hostedTools' | 'serviceTier'>
  > {
  model: string;
  provider: string;
  upstreamModel: string;
  usage: Partial<Usage> | null;
}

type Entry = ResponseOf<'listUsage'>['data'][number];

/** Records attempts, and returns their entries of the ledger. */
async function recorded(...served: Served[]): Promise<Entry[]> {
  const records = served.map(({ usage, ...more }) => {
    const at = Date.UTC(2026, 5, 1) + ++last;
    return usageRecord(last, { ...more, at, usage: usage && { ...noUsage, ...usage } });
  });
  for (const record of records) writer.add(record);
  const list = async () => (await control.api('GET', '/usage')).body as ResponseOf<'listUsage'>;
  const entryOf = (entries: Entry[], { id }: UsageRecord) => entries.find(entry => entry.id === id);
  await eventually(clock, async () => {
    const { data } = await list();
    expect(records.every(record => entryOf(data, record))).toBe(true);
  });
  const { data } = await list();
  return records.map(record => entryOf(data, record) as Entry);
}

const of = (model: string, upstreamModel: string, usage: Partial<Usage> | null, more = {}): Served => ({
  model,
  provider: 'house',
  upstreamModel,
  usage,
  ...more,
});

test('the price of a project comes before that of a target, which comes before that of the model', async () => {
  const usage = { input: million, output: million };
  const entries = await recorded(
    of('fast', 'small', usage),
    of('fast', 'large', usage),
    of('fast', 'large', { ...usage, cachedInput: million / 2 }),
    of('fast', 'small', usage, { project: 'cheap' }),
    of('other', 'large', usage, { fallback: 'fast' }),
  );
  expect(entries.map(({ cost }) => cost)).toEqual([3, 30, 27.5, 0.2, 30]);
  const versions = entries.map(({ priceVersion }) => priceVersion);
  expect(versions[0]).toMatch(/^catalog-[0-9a-f]{12}$/);
  expect(versions[1]).toBe(versions[2]);
  expect(new Set(versions).size).toBe(3);
});

test('models without a stated price cost what their vendors list', async () => {
  const [gpt, cached, claude, whisper] = await recorded(
    of('openai/gpt-5-mini', 'gpt-5-mini', { input: 1_000, output: 100 }, { provider: 'openai' }),
    of('openai/gpt-5-mini', 'gpt-5-mini', { input: 100, cachedInput: 900 }, { provider: 'openai' }),
    of(
      'claude/claude-sonnet-4-5',
      'claude-sonnet-4-5',
      { input: 1_000, cachedInput: 400, cacheWrite5m: 300, cacheWrite1h: 100, output: 10 },
      { provider: 'claude' },
    ),
    of('whisper', 'whisper-large-v3', { units: { seconds: 3_600 } }, { provider: 'groq' }),
  );
  expect(gpt?.cost).toBeCloseTo((1_000 * 0.25 + 100 * 2) / million, 9);
  expect(gpt?.priceVersion).toMatch(/^genai-prices-\d+\.\d+\.\d+$/);
  expect(cached?.cost).toBeCloseTo((100 * 0.025) / million, 9);
  expect(claude?.cost).toBeCloseTo((200 * 3 + 400 * 0.3 + 300 * 3.75 + 100 * 6 + 10 * 15) / million, 9);
  expect(whisper?.cost).toBeCloseTo(0.111, 3);
  const [spoken, heard] = await recorded(
    of('openai/whisper-1', 'whisper-1', { units: { seconds: 60 } }, { provider: 'openai' }),
    of(
      'openai/gpt-4o-realtime-preview',
      'gpt-4o-realtime-preview',
      { input: 1_000, cachedInput: 500, audioInput: 400, output: 10 },
      { provider: 'openai' },
    ),
  );
  expect(spoken?.cost).toBeCloseTo(0.006, 6);
  expect(heard?.cost).toBeGreaterThan(0);
});

test('a cost is unknown, and not 0, if the price or the usage is unknown', async () => {
  const entries = await recorded(
    of('house/gpt-5-mini', 'gpt-5-mini', { input: 10, output: 10 }),
    of('openai/none-such', 'none-such', { input: 10, output: 10 }, { provider: 'openai' }),
    of('fast', 'large', null),
    of('gone', 'large', { input: 10 }, { provider: 'gone' }),
    of('openai/a', 'gpt-4o-transcribe', { units: { seconds: 60 } }, { provider: 'openai' }),
    of('openai/b', 'whisper-1', { input: 100, output: 20 }, { provider: 'openai' }),
    of('openai/c', 'gpt-image-1.5', { input: 100, output: 20 }, { provider: 'openai' }),
    of('draw', 'draw', { input: 10, units: { images: 2 } }),
  );
  expect(entries.map(({ cost }) => cost)).toEqual([null, null, null, null, null, null, null, 0.08]);
});

test('a client sees the prices and contexts of its models', async () => {
  const { token } = await control.issue({ name: 'one', models: ['fast', 'openai/gpt-5-mini', 'house/x'] });
  const { body } = await control.api('GET', '/token', undefined, token);
  const { models } = body as ResponseOf<'showOwnToken'>;
  expect(models.map(({ name, context, price }) => ({ name, context, price }))).toEqual([
    { name: 'openai/gpt-5-mini', context: null, price: { input: 0.25, cachedInput: 0.025, output: 2 } },
    { name: 'house/x', context: null, price: null },
    { name: 'fast', context: 8_000, price: { input: 1, output: 2 } },
  ]);
  const cheap = await control.issue({ name: 'two', project: 'cheap', models: ['fast'] });
  expect((await control.api('GET', '/token', undefined, cheap.token)).body).toMatchObject({
    models: [{ price: { input: 0.1, output: 0.1 } }],
  });
});

test('totals add up the costs that are known, of charged attempts, and count the others', async () => {
  const usage = { input: million };
  const more = { project: 'sums' };
  await recorded(
    of('fast', 'large', usage, more),
    of('fast', 'large', usage, more),
    of('fast', 'large', usage, { ...more, charged: false }),
    of('fast', 'large', null, more),
    of('house/x', 'x', usage, more),
  );
  const { body } = await control.api('GET', '/usage/totals?by=model&project=sums');
  expect((body as ResponseOf<'totalUsage'>).data).toMatchObject([
    { key: 'fast', requests: 4, cost: 20, unpriced: 1 },
    { key: 'house/x', requests: 1, cost: 0, unpriced: 1 },
  ]);
});

test('counting tokens costs nothing, whatever the price of the model', async () => {
  const served = { provider: 'house', usage: null, project: 'counting' } as const;
  const [known, unknown] = await recorded(
    { ...served, model: 'fast', upstreamModel: 'small', operation: 'count-tokens' },
    { ...served, model: 'house/x', upstreamModel: 'x', operation: 'count-tokens' },
  );
  expect([known, unknown]).toMatchObject([
    { cost: 0, priceVersion: null, usage: null },
    { cost: 0, priceVersion: null, usage: null },
  ]);
  const { body } = await control.api('GET', '/usage/totals?by=project&project=counting');
  expect(body).toMatchObject({ data: [{ key: 'counting', requests: 2, unpriced: 0, cost: 0 }] });
});

test('hosted tools and service tiers cost what is stated for them, else their cost is unknown', async () => {
  const usage = { input: million, output: million };
  const searched = { ...usage, units: { webSearches: 3 } };
  const entries = await recorded(
    of('able', 'able', searched, { hostedTools: ['web_search'] }),
    of('able', 'able', usage, { hostedTools: ['web_search', 'mcp'] }),
    of('able', 'able', usage, { serviceTier: 'priority' }),
    of('able', 'able', usage, { serviceTier: 'default' }),
    of('able', 'able', usage, { serviceTier: 'flex' }),
    of('fast', 'large', usage, { hostedTools: ['web_search'] }),
    of('fast', 'large', searched),
    of('fast', 'large', usage, { serviceTier: 'priority' }),
  );
  expect(entries.map(({ cost }) => cost)).toEqual([3.03, null, 6, 3, null, null, null, null]);
  expect(entries[1]).toMatchObject({ hostedTools: ['web_search', 'mcp'], serviceTier: null });
  expect(entries[2]).toMatchObject({ hostedTools: [], serviceTier: 'priority' });
  expect(entries[0]?.usage).toMatchObject({ webSearches: 3 });
});

test('a price of web searches alone leaves the tokens to the vendor', async () => {
  const provider = { provider: 'openai' };
  const tokens = { input: 1_000, output: 100 };
  const [plain, searched] = await recorded(
    of('gpt-5-mini', 'gpt-5-mini', tokens, provider),
    of(
      'gpt-5-mini',
      'gpt-5-mini',
      { ...tokens, units: { webSearches: 2 } },
      { ...provider, hostedTools: ['web_search'] },
    ),
  );
  expect(plain?.cost).toBeGreaterThan(0);
  expect(searched?.cost).toBeCloseTo((plain?.cost ?? 0) + 0.02, 9);
});
