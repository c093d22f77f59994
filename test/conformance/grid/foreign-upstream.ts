import { startSimulator } from '@model-gateway/simulator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formats } from '../../stack/formats.ts';
import { startStack } from '../../stack/stack.ts';
import { checkCell } from './check.ts';
import type { GridGateway } from './gateway.ts';
import { type Rule, representable } from './rules.ts';
import { type Scenario, type ScenarioName, scenarios } from './scenarios.ts';
import type { UpstreamFormat } from './upstreams/index.ts';

/** An upstream whose format no client speaks. */
export interface ForeignUpstream {
  upstream: UpstreamFormat;
  /** The provider in gateway.yaml, without its name and address. */
  provider: object;
  /** The treatment of features that the format lacks or has in another form. */
  rules: Rule[];
  /** Scenarios that need no run here, each with its reason. */
  skipped: Partial<Record<ScenarioName, string>>;
}

/** Runs the scenarios of every client's format at the upstream. */
export function describeForeignUpstream({ upstream, provider, rules, skipped }: ForeignUpstream): void {
  let gateway: GridGateway;
  beforeAll(async () => {
    gateway = await startForeignGateway(upstream, provider);
  });
  afterAll(() => gateway?.stop());

  let cells = 0;
  const run = (client: (typeof formats)[number]) =>
    representable(client).filter(name => skipped[name] === undefined);

  describe.each(formats)(`a client of %s and an upstream of ${upstream}`, client => {
    test.concurrent.for(run(client))('the scenario %s works', async (name: ScenarioName, { expect }) => {
      const scenario: Scenario = scenarios[name];
      const bent = rules.filter(({ of, clients = formats }) => of.includes(name) && clients.includes(client));
      const mark = `cell-${++cells}-`;
      await checkCell({ gateway, expect, scenario, bent }, { client, upstream, mark });
    });
  });

  test('each rule changes a scenario of some client', () => {
    for (const { of, how, clients = formats } of rules)
      for (const name of of)
        expect(
          clients.some(client => run(client).includes(name)),
          `${how}: ${name}`,
        ).toBe(true);
  });
}

async function startForeignGateway(upstream: UpstreamFormat, provider: object): Promise<GridGateway> {
  const simulator = await startSimulator();
  const stack = await startStack({
    catalog: {
      providers: [{ ...provider, name: upstream, baseUrl: simulator.url }],
      models: [{ name: `${upstream}/*`, targets: [{ provider: upstream, model: '*' }] }],
    },
  });
  return {
    stack,
    sent: mark =>
      simulator.requests
        .filter(({ path, body }) => path.includes(mark) || body.includes(mark))
        .map(({ body }) => JSON.parse(body)),
    async stop() {
      await stack.stop();
      await simulator.close();
    },
  };
}
