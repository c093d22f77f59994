import { GatewayError, noUsage, type RequestExtras } from '@model-gateway/canonical';
import { testRoute } from '@model-gateway/canonical/testing/envelope';
import { Catalog, type FoundModel, parseCatalog, recordKey } from '@model-gateway/catalog';
import { ManualClock } from '@model-gateway/clock/testing';
import { expect, test, vi } from 'vitest';
import { type CostedRequest, estimateCost } from './estimate-cost.ts';
import { Prices, quantitiesOf } from './prices.ts';
import { RunningCost } from './running-cost.ts';

const tokens = { input: 1, output: 2 };
const providers = { own: 'responses', other: 'chat' } as const;
const on = (provider: keyof typeof providers) => [{ provider, model: 'm' }];
const catalog = new Catalog();
const { catalog: file, problems } = parseCatalog({
  providers: Object.entries(providers).map(([name, api]) => ({
    ...{ name, api, kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:1/v1' },
  })),
  models: [
    { name: 'plain', targets: on('own'), price: tokens },
    {
      name: 'able',
      targets: on('own'),
      price: { ...tokens, webSearch: 0.01, tier: { priority: { input: 10 } } },
    },
    { name: 'dropping', targets: on('own'), price: tokens, drop: ['tools', 'service_tier'] },
    { name: 'translated', targets: on('other'), price: tokens },
    { name: 'unpriced', targets: on('own') },
  ],
  projects: [{ name: 'lenient', allowUnpriced: true }],
});
if (!file) throw new Error(JSON.stringify(problems));
for (const { apiKey: _, headers: __, ...provider } of file.providers)
  catalog.put(recordKey('provider', provider.name), { ...provider, headers: {}, version: 1 });
for (const [position, model] of file.models.entries())
  catalog.put(recordKey('model', model.name), { ...model, version: 1, position, created: 0 });
for (const project of file.projects)
  catalog.put(recordKey('project', project.name), { ...project, version: 1 });
const prices = new Prices(catalog, new ManualClock());

const million = 1_000_000;
const quantities = { ...quantitiesOf(noUsage), input: million, output: million };
const extras = (more: Partial<RequestExtras>): RequestExtras => ({ format: 'responses', ...more });
const tool = (name: string) => ({
  name,
  field: 'tools',
  ...(name !== 'web_search' && { own: true as const }),
});

function requestOf(model: string, asked?: RequestExtras, project = 'default'): CostedRequest {
  return { project, model, operation: 'generate', quantities: { ...quantities, extras: asked } };
}

function costOf(...asked: Parameters<typeof requestOf>): number | string {
  const request = requestOf(...asked);
  try {
    return estimateCost(request, catalog.model(request.model) as FoundModel, { catalog, prices }).amount;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    expect(error).toMatchObject({ kind: 'forbidden', details: { code: 'price_unknown' } });
    return error.message.replace(/ is unknown, so .*/, '');
  }
}

test.each(['web_search', 'image_generation', 'code_interpreter', 'file_search', 'mcp'])(
  'a budget cannot hold for %s without a price',
  name => {
    const asked = extras({ tools: [tool(name)] });
    expect(costOf('plain', asked)).toBe(`The price of the tool '${name}' at the model 'plain'`);
    expect(costOf('plain', asked, 'lenient')).toBe(0);
    expect(costOf('dropping', asked)).toBe(3);
  },
);

test('searches of the web are reserved where they have a price', () => {
  expect(costOf('able', extras({ tools: [tool('web_search')] }))).toBeCloseTo(3.1, 9);
  expect(costOf('able', extras({ tools: [tool('web_search'), tool('mcp')] }))).toBe(
    "The price of the tool 'mcp' at the model 'able'",
  );
});

test('a service tier costs what is stated for it', () => {
  expect(costOf('able', extras({ tier: 'priority' }))).toBe(12);
  expect(costOf('able', extras({ tier: 'flex' }))).toBe(
    "The price of the service tier 'flex' of the model 'able'",
  );
  expect(costOf('plain', extras({ tier: 'priority' }))).toMatch(
    /service tier 'priority' of the model 'plain'/,
  );
  expect(costOf('dropping', extras({ tier: 'priority' }))).toBe(3);
});

test('a target of another format needs no price for tools that it does not get', () => {
  expect(costOf('translated', extras({ tools: [tool('mcp')], tier: 'scale' }))).toBe(3);
  expect(costOf('translated', extras({ tools: [tool('web_search')] }))).toMatch(/'web_search'/);
});

test('a tier needs no price at a compatible target, which is not asked for it in translated requests', () => {
  expect(costOf('translated', extras({ tier: 'priority' }))).toBe(3);
});

test('a model without a price is named without the tools', () => {
  expect(costOf('unpriced', extras({ tools: [tool('mcp')] }))).toBe("The price of the model 'unpriced'");
});

/** A request to the model `able`, which has reserved $3. */
function running(asked?: RequestExtras) {
  const budgets = [{ key: 'k', amount: 10, from: 0, to: null }];
  const request = requestOf('able', asked);
  const fallbackModels = catalog;
  const cost = new RunningCost(
    {
      request,
      fallbackModels,
      prices,
      budgets,
      amount: 3,
      covered: million,
      grows: false,
      overspent: vi.fn(),
    },
    { decision: { id: 1 } },
  );
  const attempt = { route: testRoute({ provider: 'own', format: 'responses' }), call: { attempts: ['a'] } };
  return { cost, attempt };
}

const usage = { ...noUsage, input: million, output: million };
const charged = { budgets: [{ key: 'k', from: 0 }], attempts: ['a'] };

test('a request is settled with its searches, and in the tier that it was served in', () => {
  const { cost, attempt } = running(extras({ tools: [tool('web_search')], tier: 'priority' }));
  cost.answered(attempt, []);
  const units = { webSearches: 2 };
  expect(cost.settlement({ ...usage, units })?.cost).toBeCloseTo(12.02, 9);
  expect(cost.settlement({ ...usage, units, tier: 'default' })?.cost).toBeCloseTo(3.02, 9);
});

test('what a client that left may have used stays reserved until the ledger has it, whatever is known of its usage', () => {
  const { cost, attempt } = running();
  expect(cost.settlement(undefined)).toBeUndefined();
  cost.left(attempt);
  const estimated = { ...charged, cost: 3, estimated: true };
  expect([cost.settlement(undefined), cost.settlement(noUsage)]).toEqual([estimated, estimated]);
  cost.left({ ...attempt, call: { attempts: [] } });
  expect(cost.settlement(undefined)).toBeUndefined();
});
