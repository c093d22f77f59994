import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Console } from './console.ts';
import { startConsole } from './console-of-file.ts';
import { sideways } from './console-pages.ts';

let console: Console;
startConsole(started => {
  console = started;
});

type Scheme = 'light' | 'dark';

/** Opens the page, and collects the origins that it asks and what it cannot load. */
async function visit(width: number, colorScheme: Scheme, hash = '') {
  const options = { viewport: { width, height: 800 }, colorScheme };
  const page = await console.open('/start', 'nobody', options);
  const origins = new Set<string>();
  const missing: string[] = [];
  page.on('response', response => {
    if (!response.url().startsWith('data:')) origins.add(new URL(response.url()).origin);
    if (response.url().includes('/docs/') && response.status() >= 400) missing.push(response.url());
  });
  await page.goto(`${console.gateway.baseUrl}/docs/${hash}`);
  return { page, origins, missing };
}

const background = (page: Page) =>
  page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');

test.each<[number, Scheme]>([
  [1_280, 'light'],
  [390, 'dark'],
])('the page shows an operation with its fields: %d px wide, %s', async (width, scheme) => {
  const { page, origins, missing } = await visit(width, scheme);
  const operation = page.locator('#operations-Tokens-createToken');
  await operation.getByText('/api/v1/tokens', { exact: true }).click();
  await operation.getByText('Parameters', { exact: true }).waitFor();
  await operation.getByText('The caller may not do this.').waitFor();
  await operation
    .getByRole('tab', { name: 'Schema' })
    .or(operation.getByText('Schema', { exact: true }))
    .first()
    .click();
  expect(await sideways(page)).toBe(0);
  expect([[...origins], missing]).toEqual([[console.gateway.baseUrl], []]);
  expect((await background(page)) === 'rgb(28, 32, 34)').toBe(scheme === 'dark');
});

test('a link leads to an operation of the data plane', async () => {
  const { page } = await visit(1_280, 'light', '#/Chat/createChatCompletion');
  await page.getByText('Chunks, if `stream` is true.').or(page.getByText('Try it out')).first().waitFor();
  expect(page.url()).toContain('#/Chat/createChatCompletion');
});

test('the page refuses to be framed, and every source but the gateway', async () => {
  const { headers, redirected } = await fetch(`${console.gateway.baseUrl}/docs/`);
  expect(redirected).toBe(true);
  const policy = headers.get('content-security-policy');
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(headers.get('x-content-type-options')).toBe('nosniff');
});
