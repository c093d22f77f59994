import { accessKey, startSimulator } from '@model-gateway/simulator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formats } from '../../stack/formats.ts';
import { startStack } from '../../stack/stack.ts';
import { checkCell } from './check.ts';
import { converseRules, skipped } from './converse-rules.ts';
import type { GridGateway } from './gateway.ts';
import { representable } from './rules.ts';
import { type Scenario, type ScenarioName, scenarios } from './scenarios.ts';

let gateway: GridGateway;
beforeAll(async () => {
  const simulator = await startSimulator();
  const options = { region: 'us-east-1', accessKeyId: accessKey.id };
  const provider = { kind: 'bedrock', baseUrl: simulator.url, apiKey: { value: accessKey.secret }, options };
  const stack = await startStack({
    catalog: {
      providers: [{ name: 'converse', ...provider }],
      models: [{ name: 'converse/*', targets: [{ provider: 'converse', model: '*' }] }],
    },
  });
  gateway = {
    stack,
    sent: mark =>
      simulator.requests.filter(({ path }) => path.includes(mark)).map(({ body }) => JSON.parse(body)),
    async stop() {
      await stack.stop();
      await simulator.close();
    },
  };
});
afterAll(() => gateway?.stop());

let cells = 0;
const run = (client: (typeof formats)[number]) =>
  representable(client).filter(name => skipped[name] === undefined);

describe.each(formats)('a client of %s and an upstream of converse', client => {
  test.concurrent.for(run(client))('the scenario %s works', async (name: ScenarioName, { expect }) => {
    const scenario: Scenario = scenarios[name];
    const bent = converseRules.filter(
      ({ of, clients = formats }) => of.includes(name) && clients.includes(client),
    );
    const mark = `cell-${++cells}-`;
    await checkCell({ gateway, expect, scenario, bent }, { client, upstream: 'converse', mark });
  });
});

test('each rule changes a scenario of some client', () => {
  for (const { of, how, clients = formats } of converseRules)
    for (const name of of)
      expect(
        clients.some(client => run(client).includes(name)),
        `${how}: ${name}`,
      ).toBe(true);
});
