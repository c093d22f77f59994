import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { cleanUp, Launched, type ReadyFile } from '../launcher/launched.ts';
import { findChromium } from './chromium.ts';

const executablePath = findChromium();
let gateway: ReadyFile;
let browser: Browser;

beforeAll(async () => {
  if (!executablePath) return;
  [browser, gateway] = await Promise.all([chromium.launch({ executablePath }), new Launched().ready()]);
});
afterAll(async () => {
  await browser?.close();
  await cleanUp();
});
beforeEach(context => {
  if (!executablePath) context.skip('there is no Chromium on this machine');
});

type Scheme = 'light' | 'dark';

/** Opens the page, and collects the errors that the browser reports and the origins that it asks. */
async function visit(width: number, colorScheme: Scheme, hash = '') {
  const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  const origins = new Set<string>();
  page.on('pageerror', error => complaints.push(error.message));
  page.on('console', message => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('request', request => {
    if (!request.url().startsWith('data:')) origins.add(new URL(request.url()).origin);
  });
  await page.goto(`${gateway.baseUrl}/docs${hash}`);
  return { page, complaints, origins, [Symbol.asyncDispose]: () => context.close() };
}

/** Returns how far the page scrolls sideways, in pixels. */
const sideways = (page: Page) =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');

const background = (page: Page) =>
  page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');

test.each<[number, Scheme]>([
  [1_280, 'light'],
  [390, 'dark'],
])('the page shows an operation with its fields: %d px wide, %s', async (width, scheme) => {
  await using visited = await visit(width, scheme);
  const { page, complaints, origins } = visited;
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
  expect([complaints, [...origins]]).toEqual([[], [gateway.baseUrl]]);
  expect((await background(page)) === 'rgb(28, 32, 34)').toBe(scheme === 'dark');
});

test('a link leads to an operation of the data plane', async () => {
  await using visited = await visit(1_280, 'light', '#/Chat/createChatCompletion');
  const { page, complaints } = visited;
  await page.getByText('Chunks, if `stream` is true.').or(page.getByText('Try it out')).first().waitFor();
  expect(page.url()).toContain('#/Chat/createChatCompletion');
  expect(complaints).toEqual([]);
});

test('the page refuses to be framed, and every source but the gateway', async () => {
  const { headers, redirected } = await fetch(`${gateway.baseUrl}/docs/`);
  expect(redirected).toBe(true);
  const policy = headers.get('content-security-policy');
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(headers.get('x-content-type-options')).toBe('nosniff');
});
