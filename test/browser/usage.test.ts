import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type Console, project } from './console.ts';
import { startConsole } from './console-of-file.ts';
import { askModel, untilInLedger } from './model-requests.ts';

const config = `
providers:
  - { name: simulator, kind: openai-compatible, baseUrl: "SIMULATOR/v1" }
models:
  - { name: sim-fast, price: { input: 1000, output: 2000 }, targets: [ { provider: simulator, model: sim-fast } ] }
  - { name: sim-other, price: { input: 10, output: 20 }, targets: [ { provider: simulator, model: sim-t20 } ] }
  - { name: "fault-*", targets: [ { provider: simulator, model: "fault-*" } ] }
`;

let console: Console;
startConsole(
  async started => {
    console = started;
    const made = { project, owner: 'the-member', tags: { team: 'atlas' } };
    const { token } = await console.admin('POST', '/tokens', { name: 'of-the-member', ...made });
    const { token: other } = await console.admin('POST', '/tokens', {
      name: 'elsewhere',
      project: 'default',
    });
    for (const model of ['sim-fast', 'sim-fast', 'sim-other', 'fault-400'])
      await askModel(console, token, model);
    await askModel(console, other, 'sim-other');
    await untilInLedger(console, 5);
  },
  { config },
);

const tile = (page: Page, name: string) =>
  page.getByRole('button', { name: new RegExp(`^${name}`) }).and(page.locator('[aria-pressed]'));
const row = (page: Page, name: string) =>
  page.getByRole('table', { name: /^Usage by/ }).getByRole('row', { name: new RegExp(name) });

test('an admin sees figures of all projects over time, groups and filters them, and sends the link', async () => {
  const page = await console.open('/usage');
  await row(page, 'sim-fast').waitFor();
  expect(await tile(page, 'Requests').textContent()).toContain('5');
  expect(await tile(page, 'Errors').textContent()).toContain('1');
  await page.getByRole('figure', { name: 'Spend by model' }).waitFor();
  expect(await row(page, 'sim-fast').getByRole('cell').allTextContents()).toContain('2');
  expect(await row(page, 'fault-400').getByRole('cell').allTextContents()).toContain('100%');

  await tile(page, 'Tokens').click();
  await page.getByRole('figure', { name: 'Tokens by kind' }).waitFor();
  await page.getByRole('combobox', { name: 'Group by' }).click();
  await page.getByRole('option', { name: 'Token' }).click();
  await row(page, 'of-the-member').waitFor();
  await page.getByRole('combobox', { name: 'Group by' }).click();
  await page.getByRole('option', { name: 'Tag' }).click();
  await page.getByLabel('Tag name').fill('team');
  await page.getByLabel('Tag name').press('Enter');
  await row(page, 'No team').waitFor();
  await row(page, 'atlas').getByRole('button', { name: 'atlas' }).click();
  await row(page, 'No team').waitFor({ state: 'detached' });
  await page.getByRole('combobox', { name: 'Model', exact: true }).click();
  await page.getByRole('option', { name: 'sim-other' }).click();
  await expect.poll(() => tile(page, 'Requests').textContent()).toContain('Requests1');

  const link = page.url();
  expect(new URL(link).searchParams.toString()).toBe(
    'show=tokens&by=tag%3Ateam&tag=team%3Aatlas&model=sim-other',
  );
  await page.goto(link);
  await expect.poll(() => tile(page, 'Requests').textContent()).toContain('Requests1');
  await row(page, 'atlas').getByRole('link', { name: 'Requests' }).click();
  await page
    .getByRole('table', { name: 'Request history' })
    .getByRole('cell', { name: 'sim-other' })
    .waitFor();
});

test('a time between two days, the time before, and exports', async () => {
  const page = await console.open('/usage?show=latency');
  await page.getByRole('figure', { name: 'Latency by model' }).waitFor();
  await page.getByRole('combobox', { name: 'Time range' }).click();
  await page.getByRole('option', { name: 'Custom range' }).click();
  await page.getByRole('button', { name: 'From' }).click();
  await page
    .getByRole('button', { name: '1', exact: true })
    .or(page.getByRole('button', { name: /^1 \w+ \d{4}$/ }))
    .first()
    .click();
  await page.getByRole('button', { name: 'Apply time' }).click();
  await page.getByRole('button', { name: 'Apply', exact: true }).click();
  await expect.poll(() => new URL(page.url()).searchParams.get('from')).toMatch(/^\d{4}-\d\d-/);
  await row(page, 'sim-fast').waitFor();
  await page.getByLabel('Compare with previous period').click();
  await page.getByRole('figure', { name: 'Latency compared with previous period' }).waitFor();
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const [table] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Table' }).click(),
  ]);
  expect(readFileSync(await table.path(), 'utf8')).toMatch(
    /^model,name,attempts,requests.*\r\nsim-fast,sim-fast,2,2,/,
  );
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const [attempts] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'All attempts' }).click(),
  ]);
  expect(
    readFileSync(await attempts.path(), 'utf8')
      .trim()
      .split('\r\n'),
  ).toHaveLength(6);
});

test('a viewer and a member see their project alone, and an empty time says what to do', async () => {
  for (const who of ['viewer', 'member'] as const) {
    const page = await console.open('/usage?by=project', who);
    await row(page, project).waitFor();
    expect(await row(page, 'default').count()).toBe(0);
    expect(await tile(page, 'Requests').textContent()).toContain('4');
    await page.goto(`${console.gateway.baseUrl}/console/usage?model=none`);
    await page.getByText('No usage in this period').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).last().click();
    await row(page, 'sim-fast').waitFor();
  }
});
