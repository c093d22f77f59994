import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type Console, password, project } from './console.ts';
import { startConsole } from './console-of-file.ts';
import { askModel, untilInLedger } from './model-requests.ts';
import { enterToken } from './playground-tab.ts';

const config = `
providers:
  - { name: simulator, kind: openai-compatible, baseUrl: "SIMULATOR/v1" }
  - { name: broken, kind: openai-compatible, baseUrl: "SIMULATOR/v1" }
models:
  - { name: sim-fast, price: { input: 1000, output: 2000 }, targets: [ { provider: simulator, model: sim-fast } ] }
  - { name: sim-other, targets: [ { provider: simulator, model: sim-t20 } ] }
  - { name: long, targets: [ { provider: simulator, model: sim-t3000-i50ms } ] }
  - name: careful
    targets: [ { provider: broken, model: fault-503 }, { provider: simulator, model: sim-fast } ]
  - { name: "fault-*", targets: [ { provider: simulator, model: "fault-*" } ] }
`;

let console: Console;
/** A token of the project of tests: requests with others are not in its figures. */
let token: string;

startConsole(
  async started => {
    console = started;
    const made = { name: 'of-the-member', project, owner: 'the-member' };
    token = (await console.admin('POST', '/tokens', made)).token;
  },
  { config },
);

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

test('a user signs in, to the page that was asked for, and signs out', async () => {
  const page = await console.open('/tokens?name=of-the', 'nobody');
  await page.waitForURL(/\/sign-in\?returnTo=/);
  const passwordField = page.locator('input[autocomplete=current-password]');
  await page.getByLabel('User name or email address').fill('the-member');
  await passwordField.fill('a wrong password');
  await passwordField.press('Enter');
  await page.getByText('The user or the password is wrong.').waitFor();
  await passwordField.fill(password);
  await passwordField.press('Enter');
  await page.getByRole('link', { name: 'of-the-member' }).waitFor();
  expect(page.url()).toContain('/console/tokens?name=of-the');
  const session = async () => (await page.request.get(`${console.gateway.baseUrl}/api/v1/session`)).status();
  expect(await session()).toBe(200);

  await button(page, 'the-member').click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.waitForURL(/\/console\/sign-in/);
  expect(await session()).toBe(401);
});

test('a token is made, used and revoked, and is refused from then on', async () => {
  const page = await console.open('/tokens');
  await page.getByRole('link', { name: 'Create a token' }).click();
  const form = page.getByRole('form', { name: 'Token' });
  await form.getByRole('textbox', { name: 'Name', exact: true }).fill('crawler');
  await page.getByLabel('Requests per minute').fill('0');
  await button(page, 'Create the token').click();
  await page.getByText('Must be greater than zero.').first().waitFor();
  await page.getByLabel('Requests per minute').fill('100');
  await button(page, 'Create the token').click();
  await page.getByRole('heading', { name: 'Token crawler created' }).waitFor();
  const secret = (await page.getByLabel('The secret', { exact: true }).textContent()) ?? '';
  expect((await askModel(console, secret, 'sim-fast')).status).toBe(200);
  await button(page, 'Send a test request').click();
  await page.getByText('Token accepted').waitFor();

  await page.goto(`${console.gateway.baseUrl}/console/tokens?name=crawl`);
  await page.getByRole('link', { name: 'crawler' }).click();
  await button(page, 'Revoke').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('Token revoked').waitFor();
  expect((await askModel(console, secret, 'sim-fast')).status).toBe(401);
});

test('a chat of the Playground shows its text as it comes, can be stopped, and shows an error in plain words', async () => {
  const page = await console.open('/playground', 'nobody');
  await enterToken(page, 'sk-nobody');
  await page.getByText('This token is not valid. Incorrect API key provided.').waitFor();
  await enterToken(page, console.gateway.token);
  await page.getByText('Valid', { exact: true }).waitFor();
  const model = page.getByLabel('Model', { exact: true }).and(page.locator('input'));
  const message = page.getByRole('textbox', { name: 'Message', exact: true });
  const ask = async (name: string) => {
    await model.fill(name);
    await model.press('Escape');
    await message.fill('What are you?');
    await message.press('Enter');
  };
  await ask('long');
  const answer = page.locator('article[data-state]').last();
  const length = async () => (await answer.textContent())?.length ?? 0;
  await expect.poll(length).toBeGreaterThan(20);
  const before = await length();
  await expect.poll(length).toBeGreaterThan(before);
  expect(await answer.getAttribute('data-state')).toBe('running');
  await button(page, 'Stop').click();
  await page.locator('article[data-state=stopped]').waitFor();

  await ask('sim-fast');
  await page.locator('article[data-state=done]').waitFor();
  expect(await answer.textContent()).toMatch(
    /^Model Gateway[\s\S]*served by simulator\/sim-fast · \d+ tokens in, \d+ out · \$0\.\d+ · first token after [\d.]+ m?s · [\d.]+ m?s in total/,
  );

  await ask('fault-500');
  await page.locator('article[data-state=failed]').waitFor();
  const alert = await page.getByRole('alert').textContent();
  expect(alert).toMatch(
    /^The provider of this model failed\.[\s\S]*upstream_error[\s\S]*502[\s\S]*req_[0-9a-f]{16,}/,
  );
});

test('usage shows the figures of the requests that were sent, and filters them', async () => {
  for (const model of ['sim-fast', 'sim-fast', 'sim-other', 'fault-400'])
    await askModel(console, token, model);
  await untilInLedger(console, 4, `&project=${project}`);
  const page = await console.open('/usage', 'viewer');
  const tile = (name: string) =>
    page.getByRole('button', { name: new RegExp(`^${name}`) }).and(page.locator('[aria-pressed]'));
  const row = (name: string) => page.getByRole('table', { name: /^Usage by/ }).getByRole('row', { name });
  await row('sim-fast').waitFor();
  await page.getByRole('figure', { name: 'Spend by model' }).waitFor();
  expect(await tile('Requests').textContent()).toContain('Requests4');
  expect(await tile('Errors').textContent()).toContain('1');
  expect(await row('sim-fast').getByRole('cell').allTextContents()).toContain('2');
  expect(await row('fault-400').getByRole('cell').allTextContents()).toContain('100%');

  await page.getByRole('combobox', { name: 'Model', exact: true }).click();
  await page.getByRole('option', { name: 'sim-fast' }).click();
  await expect.poll(() => tile('Requests').textContent()).toContain('Requests2');
  await row('fault-400').waitFor({ state: 'detached' });
  expect(new URL(page.url()).searchParams.toString()).toBe('model=sim-fast');
});

test('a request is found in the history, and its page shows the attempts', async () => {
  const { id } = await askModel(console, token, 'careful');
  await untilInLedger(console, 2, '&model=careful');
  const page = await console.open('/requests/history', 'manager');
  const past = page.getByRole('table', { name: 'Request history' });
  await page.getByLabel('Request ID').fill(id);
  await expect.poll(() => past.getByRole('row').count()).toBe(2);
  await past.getByText('1 failover').waitFor();
  await past.getByRole('link').click();
  const timeline = page.getByRole('list', { name: 'Timeline' });
  await timeline.getByText('broken · fault-503').waitFor();
  await timeline.getByText(/failed, overloaded/).waitFor();
  await timeline.getByText('simulator · sim-fast').waitFor();
  await page.getByText(id).first().waitFor();
});
