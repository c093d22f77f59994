import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { Console, expectAccessible, phone } from './console.ts';
import { expectFits } from './console-pages.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

let running: Console;
let page: Page;

beforeAll(async () => {
  if (Console.possible) running = await Console.start(config);
});
afterAll(() => running?.stop());
beforeEach(context => {
  if (!Console.possible) context.skip('there is no Chromium on this machine');
});
afterEach(async () => {
  await page?.context().close();
  expect(running?.complaints ?? []).toEqual([]);
});

const config = `
providers:
  - { name: simulator, kind: openai-compatible, baseUrl: "SIMULATOR/v1" }
models:
  - { name: vectors, price: { input: 2 }, targets: [ { provider: simulator, model: sim-fast } ] }
  - { name: slow, targets: [ { provider: simulator, model: fault-slow-20s } ] }
`;

async function open(tab: string, model: string, options: BrowserContextOptions = {}): Promise<void> {
  page = await running.open(`/playground/${tab}?model=${model}`, 'nobody', options);
  await page.getByRole('textbox', { name: 'Token' }).fill(running.gateway.token);
  await page.getByText('Valid', { exact: true }).waitFor();
}
const until = (state: string) => page.locator(`article[data-state=${state}]`).waitFor();
const field = (name: string) => page.getByRole('textbox', { name, exact: true });
const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
const sideways = () =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');

test('texts become vectors, with their similarity, cost, exact request and code', async () => {
  await open('embeddings', 'vectors', { colorScheme: 'dark' });
  await page.getByText('Write at least one input.').waitFor();
  await field('Input 1').fill('a cat');
  await field('Input 2').fill('a dog');
  await field('Dimensions').fill('8');
  await press('Embed');
  await until('done');
  const answer = page.getByRole('article', { name: 'Vectors' });
  expect(await answer.textContent()).toMatch(/served by simulator\/sim-fast · \d+ tokens in · \$0\.\d+/);
  expect(await answer.getByRole('table', { name: 'Vectors' }).getByRole('row').nth(1).textContent()).toMatch(
    /^a cat8/,
  );
  expect(await answer.getByRole('table', { name: 'Similarity' }).textContent()).toMatch(/1\. a cat1\.00/);
  await press('Request and raw answer');
  await page.getByText('"dimensions": 8').waitFor();
  await press('Use it in code');
  await page.getByText('curl', { exact: true }).first().waitFor();
  await page.getByText('/v1/embeddings').last().waitFor();
  await expectAccessible(page);
  await page.reload();
  expect(await field('Input 2').inputValue()).toBe('a dog');
});

test('documents are ranked on a phone', async () => {
  await open('rerank', 'vectors', phone);
  await field('Query').fill('Which animal barks?');
  await field('Document 1').fill('Cats meow.');
  await field('Document 2').fill('Dogs bark.');
  await field('Best results').fill('1');
  await press('Rank');
  await until('done');
  await page
    .getByRole('article', { name: 'Ranking' })
    .getByText(/Cats meow\.|Dogs bark\./)
    .first()
    .waitFor();
  await expectAccessible(page);
  expect(await sideways()).toBe(0);
});

test('inputs are moderated on a phone: their verdicts, scores by category, exact request and code', async () => {
  await open('moderations', 'vectors', phone);
  await page.getByText('Write at least one input.').waitFor();
  await field('Input 1').fill('I hate you and want to kill them');
  await press('Add input');
  await field('Input 2').fill('A cat');
  await press('Moderate');
  await until('done');
  const answer = page.getByRole('article', { name: 'Moderation' });
  expect(await answer.textContent()).toMatch(/served by simulator\/sim-fast/);
  const verdicts = answer.getByRole('region', { name: 'Results' }).getByRole('listitem');
  expect(await verdicts.allTextContents()).toEqual([
    'I hate you and want to kill them⚑ Flaggedhate, violence',
    'A catNot flagged',
  ]);
  const table = answer.getByRole('table', { name: 'Categories' });
  const rows = await table.getByRole('row').allTextContents();
  expect(rows.slice(0, 4)).toEqual([
    'CategoryInput 1Input 2',
    'hate⚑ 0.9800 0.0001',
    'violence⚑ 0.9800 0.0001',
    'harassment 0.0001 0.0001',
  ]);
  expect(await table.getByRole('img', { name: 'Flagged' }).count()).toBe(2);
  await press('Request and raw answer');
  await page.getByText('POST /v1/moderations').waitFor();
  await press('Use it in code');
  await page.getByText('/v1/moderations').last().waitFor();
  await expectFits(page);
  await page.reload();
  expect(await field('Input 2').inputValue()).toBe('A cat');
});

test('a request can be stopped, and a refused one says why', async () => {
  await open('embeddings', 'slow');
  await field('Input 1').fill('a cat');
  await press('Embed');
  await press('Stop');
  await until('stopped');
  await page.getByRole('textbox', { name: 'Token' }).fill('sk-nobody');
  await page.getByText('Paste a valid token to begin.').waitFor();
  expect(await page.getByRole('button', { name: 'Embed' }).isDisabled()).toBe(true);
});

test('a token without such a model is told whom to ask', async () => {
  const { token } = await running.admin('POST', '/tokens', { name: 'chat', models: ['nothing'] });
  page = await running.open('/playground/rerank', 'nobody');
  await page.getByRole('textbox', { name: 'Token' }).fill(token);
  await page.getByText('No model of this token can rank documents.').first().waitFor();
  await page.getByText('Ask an admin to add such a model').waitFor();
});
