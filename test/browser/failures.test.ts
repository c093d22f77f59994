import type { Page } from 'playwright-core';
import { expect, test, vi } from 'vitest';
import { type Console, expectAccessible, project } from './console.ts';
import { startConsole } from './console-of-file.ts';
import { askModel, untilInLedger } from './model-requests.ts';

const config = `
providers:
  - { name: simulator, kind: openai-compatible, baseUrl: "SIMULATOR/v1" }
  - { name: broken, kind: openai-compatible, baseUrl: "SIMULATOR/v1" }
  - { name: wrong-key, kind: openai-compatible, baseUrl: "SIMULATOR/v1" }
  - { name: down, kind: openai-compatible, baseUrl: "http://127.0.0.1:9/v1" }
models:
  - { name: steady, targets: [ { provider: broken, model: fault-500 }, { provider: simulator, model: sim-fast } ] }
  - { name: overloaded, targets: [ { provider: broken, model: fault-503 } ] }
  - { name: locked, targets: [ { provider: wrong-key, model: fault-401 } ] }
  - { name: gone, targets: [ { provider: down, model: x } ] }
  - { name: quick, targets: [ { provider: simulator, model: sim-fast } ] }
`;

/** Refusals are counted within seconds. */
const patience = { timeout: 20_000, interval: 200 };

let console: Console;
/** The secrets of a token that is used, and of one with a limit of two requests a minute. */
let token: string;
let limited: { id: string; token: string };
startConsole(
  async started => {
    console = started;
    const make = (name: string, more: object = {}) =>
      console.admin('POST', '/tokens', { name, project, ...more });
    token = (await make('free')).token;
    limited = await make('limited', { limits: { requestsPerMinute: 2 } });
    for (let n = 0; n < 3; n++) await askModel(console, token, 'steady');
    for (const model of ['overloaded', 'locked', 'gone']) await askModel(console, token, model);
    const asked = [];
    for (let n = 0; n < 12; n++) asked.push((await askModel(console, limited.token, 'quick')).status);
    expect(asked.filter(status => status === 429).length).toBeGreaterThanOrEqual(8);
    await askModel(console, token, 'nothing-like-it');
    await askModel(console, 'sk-of-nobody', 'quick');
    for (const model of ['overloaded', 'locked', 'gone']) await untilInLedger(console, 1, `&model=${model}`);
    const counted = async () => JSON.stringify(await console.admin('GET', '/usage/refused/totals'));
    await vi.waitFor(async () => expect(await counted()).toMatch(/unauthenticated/), patience);
    await untilInLedger(console, 3, '&model=steady&outcome=answered');
  },
  { config },
);

const tile = (page: Page, name: string) =>
  page.getByRole('button', { name: new RegExp(`^${name}\\s*\\d`) }).and(page.locator('[aria-pressed]'));
const past = (page: Page) => page.getByRole('table', { name: 'Request history' });
const refused = (page: Page) => page.getByRole('table', { name: 'Refused requests' });

test('errors are those that clients saw, and attempts that failed before an answer stand apart', async () => {
  const { data } = await console.admin('GET', '/usage?model=steady&limit=1000');
  const failures = data.filter(({ outcome }: { outcome: string }) => outcome === 'failed').length;
  expect(failures).toBeGreaterThan(0);
  const page = await console.open('/usage?model=steady');
  await expect.poll(() => tile(page, 'Requests').textContent(), { timeout: 20_000 }).toMatch(/^Requests3/);
  expect(await tile(page, 'Errors').textContent()).toMatch(/^Errors0/);
  expect(await tile(page, 'Error rate').textContent()).toMatch(/^Error rate0/);
  expect(await tile(page, 'Attempts').textContent()).toMatch(new RegExp(`^Attempts${3 + failures}`));
  expect(await tile(page, 'Failed attempts').textContent()).toMatch(
    new RegExp(`^Failed attempts${failures}`),
  );
  await page.goto(`${console.gateway.baseUrl}/console/usage?model=overloaded`);
  await expect.poll(() => tile(page, 'Requests').textContent()).toMatch(/^Requests1/);
  expect(await tile(page, 'Errors').textContent()).toMatch(/^Errors1/);
  expect(await tile(page, 'Error rate').textContent()).toMatch(/^Error rate100/);
});

test('refused requests are counted by token and reason, listed in part, and filtered', async () => {
  const page = await console.open('/usage');
  const row = refused(page).getByRole('row', { name: /rate-limited 429 limited/ });
  await row.waitFor();
  expect(Number(await row.getByRole('cell').last().textContent())).toBeGreaterThanOrEqual(8);
  await refused(page)
    .getByRole('row', { name: /unauthenticated 401 No valid token/ })
    .waitFor();
  await refused(page)
    .getByRole('row', { name: /not-found 404 free/ })
    .waitFor();
  await expectAccessible(page);
  await row.getByRole('link', { name: 'rate-limited' }).click();
  await past(page)
    .getByRole('row', { name: /refused rate-limited 429/ })
    .first()
    .waitFor();
  const query = new URL(page.url()).searchParams;
  expect([query.get('outcome'), query.get('error'), query.get('token')]).toEqual([
    'refused',
    'rate-limited',
    limited.id,
  ]);
  // A few stand for all.
  const shown = (await past(page).getByRole('row').count()) - 1;
  expect(shown).toBeGreaterThan(0);
  expect(shown).toBeLessThanOrEqual(10);
  await past(page).getByRole('link').first().click();
  const facts = page.getByRole('region', { name: 'Details' });
  await facts.getByText('rate-limited').waitFor();
  await facts.getByText('/v1/chat/completions').waitFor();

  await page.goto(`${console.gateway.baseUrl}/console/requests/history?model=nothing-like-it`);
  await past(page)
    .getByRole('row', { name: /refused not-found 404/ })
    .waitFor();
  await page.goto(`${console.gateway.baseUrl}/console/tokens/${limited.id}`);
  await refused(page)
    .getByRole('row', { name: /rate-limited 429/ })
    .waitFor();
});

test('a member sees refusals of the project alone', async () => {
  const page = await console.open('/usage', 'viewer');
  await refused(page)
    .getByRole('row', { name: /rate-limited 429/ })
    .waitFor();
  expect(await refused(page).getByText('unauthenticated').count()).toBe(0);
});

test('a failed request says why, in the list, on its page and at its provider', async () => {
  const page = await console.open('/requests/history?model=overloaded');
  const row = past(page).getByRole('row', { name: /failed/ });
  await row.getByText('503').waitFor();
  expect(await row.textContent()).not.toContain('0 + 0');
  await row.getByRole('link').click();
  const attempts = page.getByRole('table', { name: 'Attempts' });
  await attempts.getByText(/^503: ./).waitFor();
  await page
    .getByRole('region', { name: 'Details' })
    .getByText(/^503: ./)
    .waitFor();
  await page.goto(`${console.gateway.baseUrl}/console/requests/history?model=gone`);
  await past(page).getByRole('link').first().click();
  await attempts.getByText(/could not be reached.*\(ECONNREFUSED\)/).waitFor();
  await page.goto(`${console.gateway.baseUrl}/console/providers/broken`);
  await page
    .getByRole('table', { name: 'Recent errors' })
    .getByText(/^50\d: ./)
    .first()
    .waitFor();
});

test('links of a request carry ids alone', async () => {
  const page = await console.open('/requests/history?model=steady');
  const link = past(page).getByRole('link').first();
  await link.waitFor();
  const { searchParams, pathname } = new URL((await link.getAttribute('href')) as string, page.url());
  expect(pathname).toMatch(/^\/console\/requests\/req_[0-9a-f]{24}$/);
  expect([...searchParams.keys()]).toEqual(['token']);
  await link.click();
  await page
    .getByRole('list', { name: 'Timeline' })
    .getByText(/^answered(, first token after .* in all|, \d+ ms)$/)
    .waitFor();
});

test('a refused key says so in red, and what that means', async () => {
  const page = await console.open('/providers/wrong-key');
  const state = page.getByRole('region', { name: 'State' });
  const badge = state.getByText('Key refused').first();
  await badge.waitFor({ timeout: 20_000 });
  await state
    .getByText(/The provider refuses the API key.* Correct the key/)
    .first()
    .waitFor();
  const color = await badge.evaluate(
    (element: { ownerDocument: { defaultView: { getComputedStyle(of: object): { color: string } } } }) =>
      element.ownerDocument.defaultView.getComputedStyle(element).color,
  );
  const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).map(Number);
  expect(red, color).toBeGreaterThan(2 * Math.max(green, blue));
});
