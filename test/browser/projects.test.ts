import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type Console, expectAccessible, project, type Who } from './console.ts';
import { startConsole } from './console-of-file.ts';

const config = `
providers:
  - { name: simulator, kind: openai-compatible, baseUrl: "SIMULATOR/v1" }
models:
  - { name: sim-fast, targets: [ { provider: simulator, model: sim-fast } ], price: { input: 1000, output: 1000 } }
projects:
  - { name: filed, weight: 2, budget: { amount: 20, period: week } }
`;

let console: Console;
startConsole(
  started => {
    console = started;
  },
  { config },
);

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const tab = (page: Page, name: string) => page.getByRole('tab', { name }).click();

/** Spends money of a project by one request. */
async function spend(name: string) {
  const { token } = await console.admin('POST', '/tokens', { name: 'spender', project: name });
  const statusOf = async () => {
    const response = await fetch(`${console.gateway.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sim-fast', messages: [{ role: 'user', content: 'What are you?' }] }),
    });
    return response.status;
  };
  // On a busy machine, the gateway may not know at once what was spent.
  await expect.poll(statusOf).toBe(200);
  const spent = async () => (await console.admin('GET', `/usage/totals?by=project&project=${name}`)).data;
  await expect.poll(spent, { timeout: 20_000 }).toHaveLength(1);
}

test('an admin creates a project, sets it, gives and takes roles, and deletes it', async () => {
  const page = await console.open('/projects');
  await button(page, 'Create a project').click();
  const name = page.getByRole('dialog').getByLabel('Name');
  await name.fill(project);
  await button(page, 'Create the project').click();
  await page.getByText('There is a project with this name already.').waitFor();
  await name.fill('lab/one');
  await button(page, 'Create the project').click();
  await page.waitForURL(/\/projects\/lab%2Fone\?tab=settings/);

  // What the gateway refuses is said at the field, and nothing that was typed is lost.
  await page.getByLabel('Amount (USD)').fill('0.001');
  await page.getByRole('textbox', { name: 'Requests per minute' }).fill('100');
  await page.getByLabel('Store the texts of requests and responses').check();
  await page.getByLabel('Sample rate').fill('7');
  await button(page, 'Add a regular expression').click();
  await page.getByRole('textbox', { name: 'Name' }).fill('employee');
  await page.getByLabel('Regular expression').fill('EMP-(');
  await button(page, 'Add a model price').click();
  await page
    .getByRole('combobox', { name: 'Model' })
    .or(page.getByRole('textbox', { name: 'Model' }))
    .fill('sim-*');
  await page.getByRole('textbox', { name: 'Input', exact: true }).fill('3');
  await expectAccessible(page);
  await button(page, 'Save the settings').click();
  await page.getByText('The request was refused.').waitFor();
  expect(await page.getByLabel('Amount (USD)').inputValue()).toBe('$0.001');
  await page.getByLabel('Regular expression').fill('EMP-\\d{6}');
  await button(page, 'Save the settings').click();
  await page.getByText('The settings of lab/one are saved.').waitFor();
  expect(await console.admin('GET', '/projects/lab%2Fone')).toMatchObject({
    budget: { amount: 0.001, period: 'month' },
    limits: { requestsPerMinute: 100 },
    logging: { sample: 0.07, redact: [{ name: 'employee', pattern: 'EMP-\\d{6}' }] },
    prices: { 'sim-*': { input: 3 } },
  });

  // Somebody else changes it while something else is typed.
  await page.getByRole('textbox', { name: 'Requests per minute' }).fill('200');
  await console.admin('PUT', '/projects/lab%2Fone', { budget: { amount: 0.001, period: 'day' } });
  await button(page, 'Save the settings').click();
  await page.getByText('Someone else has changed this since you opened it').waitFor();
  expect(await page.getByRole('textbox', { name: 'Requests per minute' }).inputValue()).toBe('200');
  await button(page, 'Discard my changes').click();
  await expect.poll(() => page.getByRole('textbox', { name: 'Requests per minute' }).inputValue()).toBe('');

  await tab(page, 'Members');
  await page.getByText('No members yet').waitFor();
  const user = page.getByRole('combobox', { name: 'User' }).or(page.getByRole('textbox', { name: 'User' }));
  await user.fill('nobody-there');
  await button(page, 'Add member').click();
  await page.getByText('There is no user with this name.').waitFor();
  await user.fill('the-member');
  await button(page, 'Add member').click();
  await page.getByRole('cell', { name: 'the-member' }).waitFor();
  await page.getByRole('combobox', { name: 'Role of the-member' }).click();
  await page.getByRole('option', { name: 'viewer' }).click();
  await page.getByText('the-member is now a viewer of lab/one.').waitFor();
  await button(page, 'Remove').click();
  await page.getByLabel('Also disable the tokens that the-member owns').check();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('No members yet').waitFor();

  await tab(page, 'Settings');
  await button(page, 'Delete the project').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the project' }).click();
  await page.waitForURL(/\/projects$/);
  await page.getByRole('link', { name: 'filed' }).waitFor();
  expect(await page.getByRole('link', { name: 'lab/one' }).count()).toBe(0);
});

test('what gateway.yaml states cannot be changed until it is moved to the database', async () => {
  const page = await console.open('/projects/filed?tab=settings');
  await page.getByText(/^Managed by gateway\.yaml line \d+$/).waitFor();
  expect(await page.getByLabel('Amount (USD)').count()).toBe(0);
  expect(await button(page, 'Delete the project').count()).toBe(0);
  await button(page, 'Move to the database').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Move to the database' }).click();
  await page.getByRole('textbox', { name: 'Requests per minute' }).fill('50');
  await button(page, 'Save the settings').click();
  await page.getByText('The settings of filed are saved.').waitFor();
});

test('budgets are seen at a glance, with the one that is nearest to its end first', async () => {
  await console.admin('PUT', '/projects/spent', {
    budget: { amount: 0.001, period: 'day', endsStreams: true },
  });
  await spend('spent');
  const page = await console.open('/budgets');
  const rows = page.getByRole('table', { name: 'Budgets of projects' }).getByRole('row');
  await expect.poll(() => rows.nth(1).textContent()).toMatch(/^spent\$[\d.]+ of \$0.001 per dayspent\$0/);
  await expect.poll(() => rows.nth(2).textContent()).toMatch(/^filed\$0.00 of \$20.00 per week0%\$20.00/);
  await page.getByText('Notices are written to the log at 50, 80, 100 percent.').waitFor();
  await expectAccessible(page);
  await page.getByText('Users', { exact: true }).last().click();
  await page.getByText('No budgets set').waitFor();
  await page.goto(`${console.gateway.baseUrl}/console/projects/spent`);
  await page.getByText(/Resets at .*Running streams end once it is spent/).waitFor();
  await page.getByRole('table', { name: 'Models used this month' }).getByText('sim-fast').waitFor();
});

test.each<Who>(['manager', 'member', 'viewer'])(
  'a %s sees the project, and does what the role allows',
  async who => {
    const page = await console.open('/projects', who);
    await page.getByRole('link', { name: project }).click();
    await page.getByText('No limits.').waitFor();
    expect(await page.getByRole('tab', { name: 'Settings' }).count()).toBe(0);
    expect(await page.getByRole('main').getByRole('link', { name: 'Audit log' }).count()).toBe(
      who === 'manager' ? 1 : 0,
    );
    await tab(page, 'Members');
    await page.getByRole('cell', { name: 'the-viewer' }).waitFor();
    expect(await button(page, 'Add member').count()).toBe(who === 'manager' ? 1 : 0);
    expect(await button(page, 'Remove').count()).toBe(who === 'manager' ? 3 : 0);
    await page.goto(`${console.gateway.baseUrl}/console/projects/filed`);
    await page.getByText('There is no such project.').waitFor();
  },
);
