import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type Console, project } from './console.ts';
import { startConsole } from './console-of-file.ts';
import { askModel, untilInLedger } from './model-requests.ts';

const config = `
providers:
  - { name: simulator, kind: openai-compatible, baseUrl: "SIMULATOR/v1" }
  - { name: broken, kind: openai-compatible, baseUrl: "SIMULATOR/v1" }
models:
  - name: careful
    targets: [ { provider: broken, model: fault-503 }, { provider: simulator, model: sim-t20-i10ms } ]
  - { name: slow, targets: [ { provider: simulator, model: sim-t3000-i50ms } ] }
  - { name: quick, price: { input: 1, output: 2 }, targets: [ { provider: simulator, model: sim-fast } ] }
`;

let console: Console;
let token: string;
let others: string;
startConsole(
  async started => {
    console = started;
    await console.admin('PUT', `/projects/${project}`, { logging: { sample: 1 } });
    const make = async (name: string, owner: string) =>
      (await console.admin('POST', '/tokens', { name, project, owner })).token;
    token = await make('of-the-member', 'the-member');
    others = await make('of-the-manager', 'the-manager');
  },
  { config },
);

/** The list without the requests of a process. */
const silent = { data: [], next: null, total: 0, unanswered: ['front'] };

const inFlight = (page: Page) => page.getByRole('table', { name: 'Requests in flight' });
const past = (page: Page) => page.getByRole('table', { name: 'Request history' });
const live = (page: Page) => page.getByText('Live', { exact: true }).waitFor();

test('a request appears while it runs, and is ended from the page', async () => {
  const page = await console.open('/requests', 'manager');
  await live(page);
  await page.getByText('No requests in flight').waitFor();
  const { id, text } = await askModel(console, token, 'slow', { stream: true });
  const row = inFlight(page).getByRole('row', { name: /slow/ });
  await row.getByText('streaming').waitFor();
  await row.getByRole('link').click();
  await page.getByRole('heading', { name: 'Request', exact: true }).waitFor();
  await page.getByText(id).first().waitFor();
  await page
    .getByRole('list', { name: 'Timeline' })
    .getByText(/running, first token after/)
    .waitFor();
  await page.getByRole('button', { name: 'End' }).click();
  const dialog = page.getByRole('dialog', { name: 'End this request?' });
  await dialog.getByText('The client gets an error').waitFor();
  await dialog.getByRole('button', { name: 'End' }).click();
  await dialog.waitFor({ state: 'hidden' });
  expect(await text).toContain('An administrator ended this request.');
  await page.getByRole('region', { name: 'Details' }).getByText('ended by the-manager').waitFor();
});

test('requests of a process that did not answer in time appear later', async () => {
  const left = new AbortController();
  await askModel(console, token, 'slow', { stream: true, signal: left.signal });
  const page = await console.open('/requests');
  await live(page);
  const loseFirstList = () =>
    page.route('**/api/v1/running-requests?*', route => route.fulfill({ json: silent }), { times: 1 });
  await loseFirstList();
  await page.reload();
  await page.getByText('Earlier requests of front may be missing.').waitFor();
  await inFlight(page).getByText('streaming').waitFor();
  await page.getByText('may be missing').waitFor({ state: 'hidden' });
  await loseFirstList();
  await inFlight(page).getByRole('link').click();
  await page
    .getByRole('list', { name: 'Timeline' })
    .getByText(/running, first token after/)
    .waitFor();
  left.abort();
});

test('the live list pauses, and shows how requests ended', async () => {
  const page = await console.open('/requests');
  await live(page);
  await askModel(console, token, 'quick');
  await inFlight(page).getByRole('row', { name: /quick/ }).getByText('answered').waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  await askModel(console, others, 'quick');
  await untilInLedger(console, 2, '&model=quick');
  expect(await inFlight(page).getByRole('row', { name: /quick/ }).count()).toBe(1);
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect.poll(() => inFlight(page).getByRole('row', { name: /quick/ }).count()).toBe(2);
});

test('the text of a request, which is deleted', async () => {
  const { id } = await askModel(console, token, 'careful');
  await untilInLedger(console, 2, '&model=careful');
  const page = await console.open('/requests/history', 'manager');
  await past(page)
    .getByRole('row', { name: /careful/ })
    .getByRole('link')
    .click();
  await page.getByText('Reading them is recorded in the audit log.').waitFor();
  await expect
    .poll(async () => (await console.admin('GET', '/requests?model=careful')).data.length, {
      timeout: 10_000,
    })
    .toBe(1);
  await page.getByRole('button', { name: 'Show the log' }).click();
  await page.getByText('Tell me about the sea.').first().waitFor();
  await page.getByRole('button', { name: 'Delete the log' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the log' }).click();
  await page.getByRole('button', { name: 'Show the log' }).click();
  await page.getByText('No log of this request').waitFor();
  // A link with nothing but the id leads to the same request.
  await page.goto(`${console.gateway.baseUrl}/console/requests/${id}`);
  await page.getByText('broken · fault-503').waitFor();
  await page.goto(`${console.gateway.baseUrl}/console/requests/req_unknown`);
  await page.getByText('Request not found').waitFor();
});

test('the history is filtered by what the URL says', async () => {
  const page = await console.open('/requests/history?outcome=failed');
  await past(page)
    .getByRole('row', { name: /careful/ })
    .waitFor();
  expect(await past(page).getByRole('row').count()).toBe(2);
  await page.getByRole('combobox', { name: 'Outcome' }).click();
  await page.getByRole('option', { name: 'cancelled' }).click();
  await past(page).getByText('ended by the-manager').waitFor();
  await page.getByLabel('Request ID').fill('req_none');
  await page.getByText('No matching requests').waitFor();
  expect(new URL(page.url()).searchParams.get('request')).toBe('req_none');
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await past(page).getByRole('row', { name: /quick/ }).first().waitFor();
});

test('each role sees and ends what it may', async () => {
  const left = new AbortController();
  const asked = [token, others].map(of =>
    askModel(console, of, 'slow', { stream: true, signal: left.signal }),
  );
  await Promise.all(asked);
  const rows = async (who: 'manager' | 'member' | 'viewer') => {
    const page = await console.open('/requests', who);
    await inFlight(page).getByText('streaming').first().waitFor();
    const counts = [
      await inFlight(page).getByText('streaming').count(),
      await inFlight(page).getByRole('button', { name: 'End' }).count(),
    ];
    await page.goto(`${console.gateway.baseUrl}/console/requests/history?model=careful`);
    await past(page).getByRole('link').click();
    await page.getByRole('list', { name: 'Timeline' }).waitFor();
    const text = await page.getByRole('button', { name: 'Show the log' }).count();
    return [...counts, text];
  };
  expect(await rows('manager')).toEqual([2, 2, 1]);
  expect(await rows('member')).toEqual([1, 1, 0]);
  expect(await rows('viewer')).toEqual([2, 0, 0]);
  left.abort();
});
