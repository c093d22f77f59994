import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type StartedSimulator, startSimulator } from '@model-gateway/simulator';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { cleanUp, Launched, newFolder, type ReadyFile } from '../launcher/launched.ts';
import { findChromium } from './chromium.ts';
import { ConsolePage } from './console-page.ts';
import { expectFits } from './console-pages.ts';

const executablePath = findChromium();
let simulator: StartedSimulator;
let gateway: ReadyFile;
let browser: Browser;
let open: ConsolePage[] = [];

beforeAll(async () => {
  if (!executablePath) return;
  simulator = await startSimulator();
  const GATEWAY_CONFIG = join(newFolder(), 'gateway.yaml');
  writeFileSync(GATEWAY_CONFIG, catalog(simulator.url));
  const launched = new Launched({ env: { GATEWAY_CONFIG } }).ready();
  [browser, gateway] = await Promise.all([chromium.launch({ executablePath }), launched]);
});
afterAll(async () => {
  await browser?.close();
  await cleanUp();
  await simulator?.close();
});
beforeEach(context => {
  if (!executablePath) context.skip('there is no Chromium on this machine');
});
afterEach(async () => {
  const complaints = open.flatMap(page => page.complaints);
  await Promise.all(open.map(page => page.close()));
  open = [];
  expect(complaints).toEqual([]);
});

function catalog(simulatorUrl: string): string {
  return `
providers:
  - { name: simulator, kind: openai-compatible, baseUrl: "${simulatorUrl}/v1" }
models:
  - { name: sim-fast, targets: [ { provider: simulator, model: sim-fast } ] }
  - { name: "sim-*", targets: [ { provider: simulator, model: "sim-*" } ] }
  - { name: "fault-*", targets: [ { provider: simulator, model: "fault-*" } ] }
`;
}

async function visit(options?: Parameters<typeof ConsolePage.open>[2]): Promise<ConsolePage> {
  const page = await ConsolePage.open(browser, gateway.consoleUrl, options);
  open.push(page);
  return page;
}

const admin = (method: string, path: string, body?: object) =>
  fetch(`${gateway.baseUrl}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${gateway.adminToken}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });

describe('the token field', () => {
  test('a wrong token is reported, and opens nothing', async () => {
    const { page, token, message } = await visit();
    await token.fill('sk-nobody');
    await page.getByText('This token is not valid. Incorrect API key provided.').waitFor();
    expect(await token.getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    await message.fill('Hi');
    await message.press('Enter');
    expect(await page.locator('article').count()).toBe(0);
  });

  test('a text that cannot be a token is refused without a request', async () => {
    const { page, token } = await visit();
    await token.fill('sk-é');
    await page.getByText('no special characters').waitFor();
  });

  test('a valid token shows its name and models until it is revoked', async () => {
    const issued = await admin('POST', '/tokens', { name: 'mine', project: 'lab' });
    const { id, token } = (await issued.json()) as { id: string; token: string };
    const console = await visit();
    const { page } = console;
    await console.enter(token);
    for (const text of ['mine', 'lab', 'Never', 'sim-fast', 'sim-*', 'fault-*']) {
      await page.getByRole('status').getByText(text, { exact: true }).waitFor();
    }
    expect(await console.model.inputValue()).toBe('sim-fast');
    await admin('DELETE', `/tokens/${id}`);
    await page.reload();
    await page.getByText('This token is not valid.').waitFor();
  });

  test('a token is stored in its tab alone, hidden, and in no URL', async () => {
    const console = await visit();
    const { page } = console;
    await console.enter(gateway.token);
    expect(await console.token.getAttribute('type')).toBe('password');
    await page.reload();
    await page.getByText('Valid', { exact: true }).waitFor();
    expect(page.url()).toBe(`${gateway.baseUrl}/console/playground`);
    expect(await page.evaluate<string>('JSON.stringify({ ...localStorage })')).not.toContain(gateway.token);
    const other = await page.context().newPage();
    await other.goto(gateway.consoleUrl);
    expect(await other.getByRole('textbox', { name: 'Token' }).inputValue()).toBe('');
  });

  test('a token works while control is down, which the page reports', async () => {
    const console = await visit();
    const { page } = console;
    await page.route('**/api/v1/token', route => route.fulfill({ status: 503, body: '' }));
    await console.token.fill(gateway.token);
    await page.getByText('The admin service is unavailable').waitFor();
    await console.ask('sim-fast');
    await console.until('done');
    await page.unroute('**/api/v1/token');
    await page.getByText('Valid', { exact: true }).waitFor();
  });
});

describe('the chat page', () => {
  test('a chat shows its text while it streams, then its cost', async () => {
    const console = await visit();
    await console.enter(gateway.token);
    await console.ask('sim-t400-i20ms');
    const lengths: number[] = [];
    do lengths.push((await console.answerText()).length);
    while ((await console.answer.getAttribute('data-state')) === 'running');
    expect(new Set(lengths).size).toBeGreaterThan(5);
    await console.until('done');
    expect(await console.answerText()).toMatch(
      /sim-t400-i20ms · Chat completions · served by simulator\/sim-t400-i20ms · \d+ tokens in, 400 out · cost unknown · first token after [\d.]+ m?s · [\d.]+ s in total · \d+ tokens\/s/,
    );
  });

  test('a chat sends its history, system prompt and settings, and can be restarted', async () => {
    const console = await visit();
    const { page } = console;
    await console.enter(gateway.token);
    await page.getByRole('button', { name: 'System prompt' }).click();
    await page.getByRole('textbox', { name: 'System prompt' }).fill('Be kind.');
    await page.getByRole('button', { name: 'Parameters' }).click();
    await page.getByLabel('Temperature').fill('0.5');
    await page.getByLabel('Maximum output tokens').fill('7');
    await console.ask('sim-fast', 'One');
    await console.until('done');
    await page.getByText('The answer reached its token limit.').waitFor();
    await console.ask('sim-fast', 'Two');
    await page.locator('article[data-state=done]').nth(1).waitFor();
    const sent = JSON.parse(simulator.requests.at(-1)?.body as string);
    expect(sent).toMatchObject({ model: 'sim-fast', stream: true, temperature: 0.5, max_tokens: 7 });
    expect(sent.messages.map(({ role }: { role: string }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'user',
    ]);
    await page.getByRole('button', { name: 'New chat' }).click();
    await expect.poll(() => page.locator('article').count()).toBe(0);
  });

  test('a chat can be used by keyboard alone', async () => {
    const console = await visit();
    const { page, message } = console;
    await console.enter(gateway.token);
    await message.focus();
    await page.keyboard.type('One');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('Two');
    await page.keyboard.press('Enter');
    await console.until('done');
    expect(await page.getByRole('article', { name: 'You' }).textContent()).toBe('One\nTwo');
    expect(await message.and(page.locator(':focus')).isVisible()).toBe(true);
  });

  test('a stopped chat closes its upstream', async () => {
    const console = await visit();
    const { page } = console;
    await console.enter(gateway.token);
    await console.ask('sim-t1000-i50ms');
    await expect.poll(async () => (await console.answerText()).length).toBeGreaterThan(20);
    expect(simulator.openStreams()).toBe(1);
    await page.getByRole('button', { name: 'Stop' }).click();
    await console.until('stopped');
    await expect.poll(() => simulator.openStreams()).toBe(0);
    await page.getByRole('button', { name: 'Send' }).waitFor();
  });

  test('a closed tab closes the upstream of its chat', async () => {
    const console = await visit();
    await console.enter(gateway.token);
    await console.ask('sim-t1000-i50ms');
    await expect.poll(() => simulator.openStreams()).toBe(1);
    await console.page.close();
    await expect.poll(() => simulator.openStreams()).toBe(0);
  });

  test('a chat shows code and markup as text', async () => {
    const console = await visit();
    const content = 'Look:\n\n```html\n<b>x</b>\n```\n<img src=x onerror="document.title=1">';
    await console.page.route('**/v1/chat/completions', route =>
      route.fulfill({
        contentType: 'text/event-stream',
        body: `${chunk({ reasoning_content: 'I think.' })}${chunk({ content })}data: [DONE]\n\n`,
      }),
    );
    await console.enter(gateway.token);
    await console.ask('sim-fast');
    await console.until('done');
    expect((await console.answer.locator('pre').textContent())?.trim()).toBe('<b>x</b>');
    expect(await console.answer.locator('img').count()).toBe(0);
    const reasoning = console.answer.getByText('I think.');
    expect(await reasoning.isVisible()).toBe(false);
    await console.answer.getByText('Reasoning').click();
    expect(await reasoning.isVisible()).toBe(true);
  });
});

const chunk = (delta: object) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`;

describe('a failed chat', () => {
  test('an upstream error is shown in plain words, with its code and the request id', async () => {
    const console = await visit();
    await console.enter(gateway.token);
    await console.ask('fault-500');
    await console.until('failed');
    const alert = console.page.getByRole('alert');
    expect(await alert.textContent()).toMatch(/^The provider of this model failed\./);
    expect(await alert.textContent()).toMatch(/upstream_error[\s\S]*502[\s\S]*req_[0-9a-f]{16,}/);
  });

  test.each([
    ['fault-truncate', 'upstream_error'],
    ['fault-reset', 'upstream_error'],
    ['fault-error', 'server_is_overloaded'],
  ])('an error within a stream (%s) keeps the text so far, marked as unfinished', async (model, code) => {
    const console = await visit();
    await console.enter(gateway.token);
    await console.ask(model);
    await console.until('failed');
    expect(await console.answerText()).toMatch(
      new RegExp(`^Model Gateway[^]*Code${code}Requestreq_[0-9a-f]{16,}`),
    );
  });

  test('a connection that closes mid-stream does not look like a finished response', async () => {
    const console = await visit();
    await console.page.route('**/v1/chat/completions', route =>
      route.fulfill({ contentType: 'text/event-stream', body: chunk({ content: 'Half' }) }),
    );
    await console.enter(gateway.token);
    await console.ask('sim-fast');
    await console.until('failed');
    expect(await console.answerText()).toMatch(/^Half[\s\S]*The answer was cut off/);
  });

  test('a failed request can be retried', async () => {
    const console = await visit();
    await console.enter(gateway.token);
    await console.ask('fault-429');
    await console.until('failed');
    await console.page.getByText('Try again in 7 s.').waitFor();
    await console.model.fill('sim-fast');
    await console.model.press('Escape');
    await console.page.getByRole('button', { name: 'Try again' }).click();
    await console.until('done');
    expect(await console.page.locator('article').count()).toBe(2);
  });
});

test('the code example shows the token only on request', async () => {
  const console = await visit();
  const { page } = console;
  await console.enter(gateway.token);
  await page.getByRole('tab', { name: 'Use it in code' }).click();
  const panel = page.getByRole('tabpanel', { name: 'Use it in code' });
  expect(await panel.textContent()).toContain(`${gateway.baseUrl}/v1`);
  expect(await panel.textContent()).not.toContain(gateway.token);
  await panel.getByRole('switch', { name: 'Include my token' }).click();
  expect((await panel.textContent())?.split(gateway.token)).toHaveLength(2);
});

test('an unknown path shows that the page does not exist', async () => {
  const { page } = await visit();
  await page.goto(`${gateway.consoleUrl}/nowhere`);
  await page.getByText('There is no such page').waitFor();
});

test('the page fits a narrow screen, and is accessible', async () => {
  const console = await visit({ viewport: { width: 360, height: 740 } });
  const { page } = console;
  await page.getByText('Paste a valid token to begin.').waitFor();
  await expectFits(page);
  await console.enter(gateway.token);
  for (const section of ['System prompt', 'Parameters', 'Output'])
    await page.getByRole('button', { name: section }).click();
  await console.ask('sim-fast');
  await console.until('done');
  await console.ask('fault-500');
  await console.until('failed');
  await expectFits(page);
  await page.getByRole('tab', { name: 'Use it in code' }).click();
  await expectFits(page);
});
