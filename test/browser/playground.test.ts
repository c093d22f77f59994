import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { enterToken, startPlayground } from './playground-tab.ts';

const playground = startPlayground();

const tokenOf = (page: Page) => page.getByRole('textbox', { name: 'Token' });
const modelOf = (page: Page) => page.getByLabel('Model', { exact: true }).and(page.locator('input'));
const messageOf = (page: Page) => page.getByRole('textbox', { name: 'Message' });

/** Sends a question, and waits until the last answer is in a state. Returns that answer. */
async function ask(page: Page, model: string, state: 'running' | 'done' | 'failed' = 'done', text = 'Hi') {
  const answers = page.locator('article[data-state]');
  const before = await answers.count();
  await modelOf(page).fill(model);
  await modelOf(page).press('Escape');
  await messageOf(page).fill(text);
  await messageOf(page).press('Enter');
  const answer = answers.nth(before);
  await answer.and(page.locator(`[data-state=${state}]`)).waitFor();
  return answer;
}

describe('the token field', () => {
  test('a wrong token is reported, and opens nothing', async () => {
    const page = await playground.open('', { token: '' });
    await enterToken(page, 'sk-nobody');
    await page.getByText('This token is not valid. Incorrect API key provided.').waitFor();
    expect(await tokenOf(page).getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    await messageOf(page).fill('Hi');
    await messageOf(page).press('Enter');
    expect(await page.locator('article').count()).toBe(0);
    await enterToken(page, 'sk-é');
    await page.getByText('no special characters').waitFor();
  });

  test('a valid token shows its name and models until it is revoked', async () => {
    const { id, token } = await playground.issue();
    const page = await playground.open('', { token });
    for (const text of ['mine', 'search', 'Never', 'sim-fast', 'sim-*', 'fault-*'])
      await page.getByRole('status').getByText(text, { exact: true }).waitFor();
    expect(await modelOf(page).inputValue()).toBe('sim-fast');
    await playground.product.admin('DELETE', `/tokens/${id}`);
    await page.reload();
    await page.getByText('This token is not valid.').waitFor();
  });

  test('a token is stored in its tab alone, hidden, and in no URL', async () => {
    const page = await playground.open('');
    const { token, baseUrl } = playground.product.gateway;
    expect(await tokenOf(page).getAttribute('type')).toBe('password');
    await page.reload();
    await page.getByText('Valid', { exact: true }).waitFor();
    expect(page.url()).toBe(`${baseUrl}/console/playground`);
    expect(await page.evaluate<string>('JSON.stringify({ ...localStorage })')).not.toContain(token);
    const other = await page.context().newPage();
    await other.goto(page.url());
    expect(await tokenOf(other).inputValue()).toBe('');
  });

  test('a token works while control is down, which the page reports', async () => {
    const page = await playground.open('', { token: '' });
    await page.route('**/api/v1/token', route => route.fulfill({ status: 503, body: '' }));
    await enterToken(page, playground.product.gateway.token);
    await page.getByText('The admin service is unavailable').waitFor();
    await ask(page, 'sim-fast');
    await page.unroute('**/api/v1/token');
    await page.getByText('Valid', { exact: true }).waitFor();
  });
});

describe('the chat page', () => {
  test('a chat sends its history, system prompt and settings, and can be restarted', async () => {
    const page = await playground.open('');
    await page.getByRole('button', { name: 'System prompt' }).click();
    await page.getByRole('textbox', { name: 'System prompt' }).fill('Be kind.');
    await page.getByRole('button', { name: 'Parameters' }).click();
    await page.getByLabel('Temperature').fill('0.5');
    await page.getByLabel('Max output tokens').fill('7');
    await ask(page, 'sim-fast');
    await page.getByText('The answer reached its token limit.').waitFor();
    await ask(page, 'sim-fast');
    const sent = JSON.parse(playground.product.simulator.requests.at(-1)?.body as string);
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
    const page = await playground.open('');
    await messageOf(page).focus();
    await page.keyboard.type('One');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('Two');
    await page.keyboard.press('Enter');
    await page.locator('article[data-state=done]').waitFor();
    expect(await page.getByRole('article', { name: 'You' }).textContent()).toBe('One\nTwo');
    expect(await messageOf(page).and(page.locator(':focus')).isVisible()).toBe(true);
  });

  test('a closed tab closes the upstream of its chat', async () => {
    const page = await playground.open('');
    await ask(page, 'sim-t1000-i50ms', 'running');
    await expect.poll(() => playground.product.simulator.openStreams()).toBe(1);
    await page.close();
    await expect.poll(() => playground.product.simulator.openStreams()).toBe(0);
  });
});

describe('a failed chat', () => {
  test.each([
    ['fault-truncate', 'upstream_error'],
    ['fault-reset', 'upstream_error'],
    ['fault-error', 'server_is_overloaded'],
  ])('an error within a stream (%s) keeps the text so far, marked as unfinished', async (model, code) => {
    const answer = await ask(await playground.open(''), model, 'failed');
    const cut = new RegExp(`^You said[\\s\\S]*Code${code}Requestreq_[0-9a-f]{16,}`);
    expect(await answer.textContent()).toMatch(cut);
  });

  test('a connection that closes mid-stream does not look like a finished response', async () => {
    const page = await playground.open('');
    const chunk = { choices: [{ index: 0, delta: { content: 'Half' }, finish_reason: null }] };
    const body = `data: ${JSON.stringify(chunk)}\n\n`;
    await page.route('**/v1/chat/completions', route =>
      route.fulfill({ contentType: 'text/event-stream', body }),
    );
    const answer = await ask(page, 'sim-fast', 'failed');
    expect(await answer.textContent()).toMatch(/^Half[\s\S]*The answer was cut off/);
  });
});

const nested = (mark: string, levels: number) => mark.repeat(levels);
const indented = Array.from({ length: 150 }, (_, depth) => `${'  '.repeat(depth)}- a`).join('\n');

describe('an answer that nests deep', () => {
  test.each([
    ['quotes', nested('> ', 3_000)],
    ['quotes without blanks', nested('>', 20_000)],
    ['lists', nested('- ', 3_000)],
    ['numbered lists', nested('1. ', 3_000)],
    ['lists by indentation', indented],
    ['quotes in a list', `- a\n${nested('  > - ', 2_000)}`],
    ['emphasis', `${nested('*a **b ', 3_000)}${nested('** *', 3_000)}`],
    ['struck out emphasis', `${nested('~~*', 3_000)}a${nested('*~~', 3_000)}`],
    ['links', `${nested('[', 5_000)}a${nested('](x)', 5_000)}`],
    ['images', `${nested('![', 5_000)}a${nested('](x)', 5_000)}`],
    ['HTML', nested('<div>', 5_000)],
    ['a table of quotes', `| a |\n|---|\n| ${nested('> ', 3_000)} |`],
    ['formulas', `$$\n${nested('{', 5_000)}\n$$`],
    ['footnotes', `${nested('[^a]: ', 3_000)}b`],
    ['code of templates', `\`\`\`js\n${nested('`${', 3_000)}\n\`\`\``],
  ])('breaks no page: %s', async (_what, text) => {
    const page = await playground.open('');
    const chunk = (delta: object, finish: string | null) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    const body = `${chunk({ content: `Before.\n\n${text}\n\nAfter.` }, null)}${chunk({}, 'stop')}data: [DONE]\n\n`;
    await page.route('**/v1/chat/completions', route =>
      route.fulfill({ contentType: 'text/event-stream', body }),
    );
    await ask(page, 'sim-fast');
    const done = page.locator('article[data-state=done]').getByText('After.').first();
    // An answer of a page that is left before the stream has ended counts as cut off.
    await done.waitFor();
    await page.reload();
    await done.waitFor();
    await messageOf(page).fill('Still here');
    expect(await messageOf(page).inputValue()).toBe('Still here');
  });
});
