import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { expectAccessible, phone, project } from './console.ts';
import { expectFits } from './console-pages.ts';
import { startPlayground } from './playground-tab.ts';

let upstream: Server;

const playground = startPlayground(async () => {
  upstream = createServer(answerInMarkdown).listen(0, '127.0.0.1');
  await new Promise(resolve => upstream.once('listening', resolve));
  const { port } = upstream.address() as AddressInfo;
  return catalog(`http://127.0.0.1:${port}/v1`);
});
afterAll(() => {
  upstream?.close().closeAllConnections();
});

const catalog = (writer: string) => `
providers:
  - { name: simulator, kind: openai-compatible, baseUrl: "SIMULATOR/v1" }
  - { name: writer, kind: openai-compatible, baseUrl: "${writer}" }
models:
  - name: sim-fast
    limits: { context: 128000 }
    targets: [ { provider: simulator, model: sim-fast, price: { input: 1, output: 10 } } ]
  - { name: markdown, targets: [ { provider: writer, model: markdown } ] }
  - { name: "sim-*", targets: [ { provider: simulator, model: "sim-*" } ] }
  - { name: "fault-*", targets: [ { provider: simulator, model: "fault-*" } ] }
`;

const answer = `## Result

| Model | Price |
|-------|------:|
| a     | $1    |

\`\`\`python
print("hello")
\`\`\`

A price of $5 and $10, and $x^2$.

$$
\\int_0^1 x\\,dx = \\tfrac{1}{2}
$$

<img src=x onerror="document.title='broken'"> ![a cat](https://example.com/cat.png) [bad](javascript:alert(1)) [good](https://example.com/)
`;

/** An upstream whose answers are Markdown, piece by piece. */
function answerInMarkdown(_request: unknown, response: import('node:http').ServerResponse): void {
  const chunk = (delta: object, finish: string | null, usage?: object) =>
    `data: ${JSON.stringify({
      ...{ id: 'a', object: 'chat.completion.chunk', created: 1, model: 'markdown' },
      choices: [{ index: 0, delta, finish_reason: finish }],
      usage: usage ?? null,
    })}\n\n`;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const piece of answer.match(/[\s\S]{1,9}/g) ?? []) response.write(chunk({ content: piece }, null));
  const usage = { prompt_tokens: 10, completion_tokens: 90, total_tokens: 100 };
  response.end(`${chunk({}, 'stop', usage)}data: [DONE]\n\n`);
}

const input = (page: Page, label: string) =>
  page.getByLabel(label, { exact: true }).and(page.locator('input'));

async function ask(page: Page, text: string) {
  const message = page.getByRole('textbox', { name: 'Message', exact: true });
  await message.fill(text);
  await message.press('Enter');
  await page.locator('article[data-state=done]').last().waitFor();
}

describe('the token panel', () => {
  test('shows what is left, less after each answer, and whom to ask about a refused token', async () => {
    const { id, token } = await playground.issue({
      ...{ owner: 'the-member', endpoints: ['chat', 'messages'], expiresAt: '2100-01-01T00:00:00Z' },
      limits: { requestsPerMinute: 5 },
      budget: { amount: 1, period: 'day' },
    });
    const page = await playground.open('', { token });
    const panel = page.getByRole('status').filter({ hasText: 'Valid' });
    for (const text of ['mine', project, 'the-member', 'chat, messages'])
      await panel.getByText(text).first().waitFor();
    await panel.getByText('5 of 5 left').waitFor();
    await page.route(
      '**/api/v1/token',
      async route => {
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...(await response.json()), limitsLeft: null } });
      },
      { times: 1 },
    );
    await page.reload();
    await panel.getByText('What is left of its limits is not known at the moment.').waitFor();
    // The page asks again.
    await panel.getByText('5 of 5 left').waitFor();
    await panel.getByText('Token: budget a day').waitFor();
    await ask(page, 'Hello');
    await panel.getByText('4 of 5 left').waitFor();
    await playground.product.admin('PATCH', `/tokens/${id}`, { disabled: true });
    await page.reload();
    await page.getByText('Ask who manages the project to enable it.').waitFor();
    await playground.product.admin('PATCH', `/tokens/${id}`, {
      disabled: false,
      allowedAddresses: ['192.0.2.1'],
    });
    await page.reload();
    await page.getByText('Use it from one of its networks').waitFor();
  });
});

describe('models and answers', () => {
  test('a model is found by its provider, and shows context and price', async () => {
    const { token } = await playground.issue();
    const page = await playground.open('', { token });
    await input(page, 'Model').fill('writer');
    await page.getByRole('option', { name: /markdown/ }).click();
    expect(await input(page, 'Model').inputValue()).toBe('markdown');
    await input(page, 'Model').fill('sim-fast');
    await page
      .getByText('simulator · 128K context · $1.00 in, $10.00 out per million tokens')
      .last()
      .waitFor();
  });

  test('an answer has tables, code and formulas, runs nothing, and says what it cost and who served it', async () => {
    const { token } = await playground.issue();
    const page = await playground.open('?model=markdown', { token });
    await ask(page, 'Write');
    const article = page.getByRole('article', { name: 'Answer of markdown' });
    await article.getByRole('table').getByText('Price').waitFor();
    await article.getByRole('button', { name: 'Copy python' }).waitFor();
    await article.locator('.katex-display').waitFor();
    await article.getByText('A price of $5 and $10, and').waitFor();
    expect(await article.locator('img').count()).toBe(0);
    await article.getByRole('link', { name: 'Image: a cat' }).waitFor();
    expect(await article.getByRole('link', { name: 'bad' }).count()).toBe(0);
    const good = article.getByRole('link', { name: 'good' });
    expect(await good.getAttribute('rel')).toBe('noopener noreferrer nofollow');
    for (const text of [/served by writer\/markdown/, /cost unknown/, /^req_/])
      await article.getByText(text).waitFor();
    await expectAccessible(page);
    await input(page, 'Model').fill('sim-fast');
    await ask(page, 'Hello');
    await page.getByText(/\$0\.000\d+ · first token after/).waitFor();
    expect(await page.title()).not.toContain('broken');
  });
});

describe('code', () => {
  test('it is that of the last question in each language, without the token unless that is wanted', async () => {
    const { token } = await playground.issue();
    const page = await playground.open('?model=sim-fast&format=messages', { token });
    await ask(page, 'How are you?');
    await page.getByRole('tab', { name: 'Use it in code' }).click();
    const code = page.getByRole('tabpanel', { name: 'Use it in code' });
    await code.getByText('/v1/messages').waitFor();
    for (const [language, text] of [
      ['Python', 'from anthropic import Anthropic'],
      ['TypeScript', '@anthropic-ai/sdk'],
      ['Go', 'anthropic.NewClient('],
    ] as const) {
      await code.getByText(language, { exact: true }).first().click();
      await expect.poll(() => code.textContent()).toContain(text);
      expect(await code.textContent()).toContain('How are you?');
    }
    expect(await code.textContent()).not.toContain(token);
    await code.getByRole('switch', { name: 'Include my token' }).click();
    await expect.poll(() => code.textContent()).toContain(token);
    await expectAccessible(page);
  });
});

describe('the comparison', () => {
  test('columns stream on their own, stop together, are tried again alone, and are in the address', async () => {
    const { token } = await playground.issue();
    const page = await playground.open('?compare=chat:sim-fast&compare=responses:sim-t2000-i20ms', { token });
    const column = (number: number) => page.getByRole('region', { name: `Column ${number}:` });
    const message = page.getByRole('textbox', { name: 'Message to all' });
    await message.fill('Hello you');
    await message.press('Enter');
    await column(1)
      .locator('article[data-state=done]')
      .getByText(/first token after/)
      .waitFor();
    await column(2).locator('article[data-state=running]').waitFor();
    await page.getByRole('button', { name: 'Stop all' }).click();
    await column(2).locator('article[data-state=stopped]').waitFor();
    await input(page, 'Model 2').fill('fault-500');
    await column(2).getByRole('button', { name: 'Try again' }).click();
    await column(2).locator('article[data-state=failed]').waitFor();
    expect(await column(1).locator('article').count()).toBe(1);
    await page.getByRole('button', { name: 'Add a column' }).click();
    await expect.poll(() => new URL(page.url()).searchParams.getAll('compare')).toHaveLength(3);
    await column(3).getByRole('button', { name: 'Remove' }).click();
    await expect.poll(() => column(3).count()).toBe(0);
  });

  test('it fits a phone, and is accessible', async () => {
    const { token } = await playground.issue();
    const link = '?compare=chat:sim-fast&compare=messages:sim-fast';
    const page = await playground.open(link, { token, ...phone });
    await page.getByRole('textbox', { name: 'Message to all' }).fill('Hello');
    await page.getByRole('button', { name: 'Send to all' }).click();
    await page.locator('article[data-state=done]').nth(1).waitFor();
    await expectFits(page);
    await page.getByRole('tab', { name: 'Use it in code' }).click();
    await page.getByText('MODEL_GATEWAY_TOKEN').first().waitFor();
    await expectAccessible(page);
  });
});
