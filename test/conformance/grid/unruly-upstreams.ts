import { afterAll, beforeAll, describe, test } from 'vitest';
import { formats } from '../../stack/formats.ts';
import { checkStreamed } from './check.ts';
import { type GridGateway, startGridGateway } from './gateway.ts';
import { representable, rulesOf } from './rules.ts';
import { type Scenario, scenarios } from './scenarios.ts';
import type { UnrulyName } from './unruly.ts';

/** Runs the streams of the grid at upstreams that send them carelessly. */
export function describeUnruly(way: UnrulyName): void {
  describe(`upstreams with ${way}`, () => {
    let gateway: GridGateway;
    let cells = 0;
    beforeAll(async () => {
      gateway = await startGridGateway(way);
    });
    afterAll(() => gateway?.stop());

    const pairs = formats.flatMap(client => formats.map(upstream => ({ client, upstream })));
    describe.each(pairs)('a client of $client and an upstream of $upstream', pair => {
      test.concurrent.for(representable(pair.client))('the scenario %s works', async (name, { expect }) => {
        const scenario: Scenario = scenarios[name];
        const cell = { gateway, expect, scenario, bent: rulesOf(name, pair) };
        await checkStreamed(cell, { ...pair, mark: `cell-${++cells}-` });
      });
    });
  });
}
