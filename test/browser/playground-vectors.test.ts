import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { png } from '../snippets/attachments.ts';
import { expectAccessible, phone } from './console.ts';
import { expectFits, sideways } from './console-pages.ts';
import { enterToken, press, startPlayground, until } from './playground-tab.ts';

const playground = startPlayground(`
providers:
  - { name: simulator, kind: openai-compatible, baseUrl: "SIMULATOR/v1" }
models:
  - { name: vectors, price: { input: 2 }, targets: [ { provider: simulator, model: sim-fast } ] }
  - { name: slow, targets: [ { provider: simulator, model: fault-slow-20s } ] }
`);

const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });

test('texts become vectors, with their similarity, cost, exact request and code', async () => {
  const page = await playground.open('/embeddings?model=vectors', { colorScheme: 'dark' });
  await page.getByText('Write at least one input.').waitFor();
  await field(page, 'Input 1').fill('a cat');
  await field(page, 'Input 2').fill('a dog');
  await field(page, 'Dimensions').fill('8');
  await press(page, 'Embed');
  await until(page, 'done');
  const answer = page.getByRole('article', { name: 'Vectors' });
  expect(await answer.textContent()).toMatch(/served by simulator\/sim-fast · \d+ tokens in · \$0\.\d+/);
  expect(await answer.getByRole('table', { name: 'Vectors' }).getByRole('row').nth(1).textContent()).toMatch(
    /^a cat8/,
  );
  expect(await answer.getByRole('table', { name: 'Similarity' }).textContent()).toMatch(/1\. a cat1\.00/);
  await press(page, 'Request and raw response');
  await page.getByText('"dimensions": 8').waitFor();
  await press(page, 'Use it in code');
  await page.getByText('curl', { exact: true }).first().waitFor();
  await page.getByText('/v1/embeddings').last().waitFor();
  await expectAccessible(page);
  await page.reload();
  expect(await field(page, 'Input 2').inputValue()).toBe('a dog');
});

test('documents are ranked on a phone', async () => {
  const page = await playground.open('/rerank?model=vectors', phone);
  await field(page, 'Query').fill('Which animal barks?');
  await field(page, 'Document 1').fill('Cats meow.');
  await field(page, 'Document 2').fill('Dogs bark.');
  await field(page, 'Top N').fill('1');
  await press(page, 'Rank');
  await until(page, 'done');
  await page
    .getByRole('article', { name: 'Ranking' })
    .getByText(/Cats meow\.|Dogs bark\./)
    .first()
    .waitFor();
  await expectAccessible(page);
  expect(await sideways(page)).toBe(0);
});

test('inputs are moderated on a phone: their verdicts, scores by category, exact request and code', async () => {
  const page = await playground.open('/moderations?model=vectors', phone);
  await page.getByText('Write or attach at least one input.').waitFor();
  await field(page, 'Input 1').fill('I hate you and want to kill them');
  await press(page, 'Add input');
  await field(page, 'Input 2').fill('A cat');
  await press(page, 'Moderate');
  await until(page, 'done');
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
  await press(page, 'Request and raw response');
  await page.getByText('POST /v1/moderations').waitFor();
  await press(page, 'Use it in code');
  await page.getByText('/v1/moderations').last().waitFor();
  await expectFits(page);
  await page.reload();
  expect(await field(page, 'Input 2').inputValue()).toBe('A cat');
});

test('texts and images are one input, and the categories say what they were scored by', async () => {
  const page = await playground.open('/moderations?model=vectors');
  await field(page, 'Input 1').fill('I want to kill them');
  await press(page, 'Add input');
  await field(page, 'Input 2').fill('A cat');
  const files = page.locator('input[aria-label="Images to attach"]');
  await files.setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('a text') });
  await page.getByText('notes.txt is no PNG, JPEG, GIF or WebP image.').waitFor();
  await files.setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: Buffer.from(png, 'base64') });
  await page.getByText('all inputs are classified together').waitFor();
  const sent = page.waitForRequest(request => request.url().endsWith('/v1/moderations'));
  await press(page, 'Moderate');
  expect((await sent).postDataJSON()).toEqual({
    model: 'vectors',
    input: [
      { type: 'text', text: 'I want to kill them' },
      { type: 'text', text: 'A cat' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
    ],
  });
  await until(page, 'done');
  const answer = page.getByRole('article', { name: 'Moderation' });
  const verdicts = answer.getByRole('region', { name: 'Results' }).getByRole('listitem');
  expect(await verdicts.count()).toBe(1);
  expect(await verdicts.textContent()).toMatch(/^I want to kill them\nA cata\.png.*⚑ Flaggedviolence$/s);
  await answer.getByRole('img', { name: 'a.png' }).waitFor();
  const rows = await answer.getByRole('table', { name: 'Categories' }).getByRole('row').allTextContents();
  expect(rows.slice(0, 2)).toEqual(['CategoryScored byInput 1', 'violencetext, image⚑ 0.9800']);
  await press(page, 'Use it in code');
  await page.getByText('attachment.png').first().waitFor();
  await expectAccessible(page);
  await press(page, 'Remove a.png');
  await press(page, 'Moderate');
  await verdicts.nth(1).waitFor();
  expect(await answer.getByRole('columnheader').allTextContents()).toEqual([
    'Category',
    'Input 1',
    'Input 2',
  ]);
});

test('a request can be stopped, and a refused one says why', async () => {
  const page = await playground.open('/embeddings?model=slow');
  await field(page, 'Input 1').fill('a cat');
  await press(page, 'Embed');
  await press(page, 'Stop');
  await until(page, 'stopped');
  await enterToken(page, 'sk-nobody');
  await page.getByText('Paste a valid token to begin.').waitFor();
  expect(await page.getByRole('button', { name: 'Embed' }).isDisabled()).toBe(true);
});

test('a token without such a model is told whom to ask', async () => {
  const { token } = await playground.issue({ models: ['nothing'] });
  const page = await playground.open('/rerank', { token });
  await page.getByText('No model of this token supports rerank.').first().waitFor();
  await page.getByText('Ask an admin to add such a model').waitFor();
});
