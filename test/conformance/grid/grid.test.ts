import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formats } from '../../stack/formats.ts';
import type { Turn } from './ask.ts';
import { checkCell } from './check.ts';
import { type GridGateway, startGridGateway } from './gateway.ts';
import { representable, rules, rulesOf } from './rules.ts';
import { type Scenario, scenarios } from './scenarios.ts';
import { withGrid } from './table.ts';

let gateway: GridGateway;
beforeAll(async () => {
  gateway = await startGridGateway();
});
afterAll(() => gateway?.stop());

let cells = 0;
const pairs = formats.flatMap(client => formats.map(upstream => ({ client, upstream })));

describe.each(pairs)('a client of $client and an upstream of $upstream', pair => {
  test.concurrent.for(representable(pair.client))('the scenario %s works', async (name, { expect }) => {
    const scenario: Scenario = scenarios[name];
    const bent = rulesOf(name, pair);
    const cell = { gateway, expect, scenario };
    await checkCell({ ...cell, bent }, { ...pair, mark: `cell-${++cells}-` });
    const others = bent.filter(({ compatible }) => !compatible);
    if (others.length < bent.length)
      await checkCell({ ...cell, bent: others }, { ...pair, openAi: true, mark: `cell-${++cells}-` });
  });
});

test('each rule changes a scenario of some pair', () => {
  const thought: Turn = { role: 'assistant', reasoning: 'Hm.' };
  for (const rule of rules) {
    const { refused, sent, got, how } = rule;
    const changes = rule.of.filter(name => {
      const { ask }: Scenario = scenarios[name];
      const asked = { ...ask, turns: [...ask.turns, thought] };
      return refused || got || JSON.stringify({ ...asked, ...sent?.(asked) }) !== JSON.stringify(asked);
    });
    expect(changes, how).toEqual(rule.of);
    const used = rule.of.filter(name =>
      pairs.some(pair => representable(pair.client).includes(name) && rulesOf(name, pair).includes(rule)),
    );
    expect(used, how).toEqual(rule.of);
  }
});

test('docs/translation.md shows what is carried, lost and refused', () => {
  const path = new URL('../../../docs/translation.md', import.meta.url);
  const document = readFileSync(path, 'utf8');
  const now = withGrid(document);
  if (process.env.UPDATE_DOCS === '1') writeFileSync(path, now);
  else expect(document, 'run this suite with UPDATE_DOCS=1').toBe(now);
});
