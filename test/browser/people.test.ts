import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type Console, expectAccessible, project } from './console.ts';
import { startConsole } from './console-of-file.ts';

let console: Console;
startConsole(started => {
  console = started;
});

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const confirm = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
/** Reads the secret of the dialog that shows it once, and closes the dialog. */
async function keep(page: Page, label: string): Promise<string> {
  const secret = (await page.getByLabel(`The ${label}`, { exact: true }).textContent()) ?? '';
  expect(await button(page, 'Done').isDisabled()).toBe(true);
  await expectAccessible(page);
  await page.getByLabel(`I have saved the ${label}`).check();
  await button(page, 'Done').click();
  return secret;
}
/** Returns the status of a sign-in. */
const signIn = async (user: string, password: string) =>
  (
    await fetch(`${console.gateway.baseUrl}/api/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ user, password }),
    })
  ).status;
/** Returns the status of a request to the admin API with a token. */
const asAccount = async (token: string) =>
  (
    await fetch(`${console.gateway.baseUrl}/api/v1/projects`, {
      headers: { authorization: `Bearer ${token}` },
    })
  ).status;

test('an admin makes a user, changes login and budget, resets the password, and deletes the user', async () => {
  const page = await console.open('/users');
  await button(page, 'Create a user').click();
  await page.getByLabel('Name').last().fill('the-member');
  await button(page, 'Create the user').click();
  await page.getByText('There is a user with this name already.').waitFor();
  await page.getByLabel('Name').last().fill('ada');
  await button(page, 'Create the user').click();
  const first = await keep(page, 'password');
  await page.waitForURL(/\/users\/ada$/);
  expect(await signIn('ada', first)).toBe(201);

  await page.getByLabel('Email address').fill('the-member');
  await button(page, 'Save the sign-in').click();
  await page.getByText('must be an email address').first().waitFor();
  await page.getByLabel('Email address').fill('ada@example.com');
  await page.getByLabel('Admin of the whole installation').check();
  // Both forms are of one user: to save one leaves the other as it is.
  await page.getByLabel('Amount (USD)').fill('20');
  await button(page, 'Save the sign-in').click();
  await page.getByText('The sign-in of ada is saved.').waitFor();
  await button(page, 'Save the budget').click();
  await page.getByText('The budget of ada is saved.').waitFor();
  expect(await console.admin('GET', '/users/ada')).toMatchObject({
    budget: { amount: 20, period: 'month' },
    login: { email: 'ada@example.com', role: 'admin' },
  });

  await button(page, 'Reset password').click();
  await expectAccessible(page);
  await button(page, 'Set the password').click();
  const second = await keep(page, 'password');
  expect(await signIn('ada', first)).toBe(401);
  expect(await signIn('ada@example.com', second)).toBe(201);
  await button(page, 'Reset password').click();
  await page.getByLabel('Enter one').check();
  await page.getByRole('textbox', { name: 'New password' }).fill('short');
  await button(page, 'Set the password').click();
  await page.getByText(/must have at least 12 characters/i).waitFor();
  await page.getByRole('textbox', { name: 'New password' }).fill('a password that was typed');
  await button(page, 'Set the password').click();
  await page.getByText('ada has a new password.').waitFor();

  await page.getByLabel('Sign-in disabled').check();
  await button(page, 'Save the sign-in').click();
  await expect.poll(() => signIn('ada', 'a password that was typed')).toBe(401);
  await button(page, 'Remove the login').click();
  await confirm(page, 'Remove the login');
  await page.getByText('ada cannot sign in yet.').waitFor();
  await button(page, 'Delete the user').click();
  await confirm(page, 'Delete the user');
  await page.waitForURL(/\/users$/);
  await page.getByLabel('Name').fill('AD');
  await page.getByRole('link', { name: 'the-admin' }).waitFor();
  await page.waitForURL(/\/users\?name=AD$/);
  expect(await page.getByRole('link', { name: 'ada' }).count()).toBe(0);
});

test('an admin makes a service account, rotates its token, and revokes it', async () => {
  const page = await console.open('/accounts');
  await page.getByText('No service accounts yet').waitFor();
  await button(page, 'Create a service account').click();
  await page.getByLabel('Name').fill('ci');
  await page.getByLabel('Expires').fill('2020-01-01T00:00');
  await button(page, 'Create the service account').click();
  await page.getByText('must be in the future').waitFor();
  await button(page, '30 days').click();
  const projects = page
    .getByRole('combobox', { name: 'Projects' })
    .or(page.getByRole('textbox', { name: 'Projects' }));
  await projects.fill(project);
  await projects.press('Enter');
  await expectAccessible(page);
  await button(page, 'Create the service account').click();
  const first = await keep(page, 'token');
  expect(await asAccount(first)).toBe(200);
  await page.getByRole('heading', { name: 'ci' }).waitFor();
  await button(page, 'Rotate the token').click();
  await confirm(page, 'Rotate the token');
  const second = await keep(page, 'token');
  expect([await asAccount(first), await asAccount(second)]).toEqual([401, 200]);
  await expectAccessible(page);
  await button(page, 'Revoke').click();
  await confirm(page, 'Revoke');
  await page.waitForURL(/\/accounts$/);
  expect(await asAccount(second)).toBe(401);
});

test('the audit log is filtered by its URL, shows a change, and is exported', async () => {
  await console.admin('PUT', '/projects/audited', {
    weight: 1,
    limits: { models: { 'gpt-5': { concurrency: 1 } } },
  });
  await console.admin('PUT', '/projects/audited', {
    weight: 2,
    limits: { models: { 'gpt-5': { concurrency: 3 } } },
  });
  const page = await console.open('/audit?subject=audited');
  const rows = page.getByRole('table', { name: 'Events' }).getByRole('row');
  await expect.poll(() => rows.count()).toBe(3);
  await rows.nth(1).getByRole('link').click();
  const change = page.getByRole('table', { name: 'Change' });
  await change.getByRole('row', { name: 'weight 1 2' }).waitFor();
  await change.getByRole('row', { name: 'limits.models["gpt-5"].concurrency 1 3' }).waitFor();
  await expectAccessible(page);
  // The link shows a colleague the same act, also if the list does not have it.
  await page.goto(page.url().replace('subject=audited', 'subject=other'));
  await change.getByRole('row', { name: 'weight 1 2' }).waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await page.getByText('No matching events').waitFor();
  await button(page, 'Clear filters').click();
  await page.waitForURL(/\/audit$/);
  await page.getByLabel('Action').first().click();
  await page.getByRole('option', { name: 'setProject' }).click();
  await page.waitForURL(/action=setProject/);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    // The link follows the URL of the page.
    page.locator('a[href*="action=setProject"][href*="format=csv"]').click(),
  ]);
  const lines = readFileSync(await download.path(), 'utf8')
    .trim()
    .split('\n');
  expect(lines[0]).toContain('action');
  expect(lines.slice(1).every(line => line.includes('setProject'))).toBe(true);
});

test('an admin sees the health check, the settings and the catalog, without secrets', async () => {
  const page = await console.open('/settings');
  await page.getByRole('table', { name: 'Findings' }).getByText('database', { exact: true }).waitFor();
  await page.getByRole('tab', { name: 'Settings in force' }).click();
  await page.getByLabel('Name or description').fill('admin_token');
  await page.getByText('(secret)').first().waitFor();
  expect(await page.content()).not.toContain(console.gateway.adminToken);
  await page.getByRole('tab', { name: 'Catalog' }).click();
  await page.getByText('name: simulator').waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    button(page, 'Download gateway.yaml').click(),
  ]);
  expect(readFileSync(await download.path(), 'utf8')).toContain('- name: sim-fast');
  await page.getByRole('tab', { name: 'Rejected records' }).click();
  await page.getByText('No rejected records').waitFor();
});

test('a tab that is chosen in the moment in which a filter is applied is shown', async () => {
  const page = await console.open('/settings?tab=settings');
  const filter = page.getByRole('textbox', { name: 'Name or description' });
  for (let times = 0; times < 5; times++) {
    await filter.fill(`admin_token${times}`);
    // The pause of the filter is over before the page gets to the click.
    await page.getByRole('tab', { name: 'Catalog' }).evaluate((tab: { click(): void }) => {
      const until = performance.now() + 300;
      while (performance.now() < until);
      tab.click();
    });
    await page.getByText('name: simulator').waitFor();
    await page.getByRole('tab', { name: 'Settings in force' }).click();
    await filter.waitFor();
  }
});

test('a manager sees the acts of the own project alone, and others see none of these pages', async () => {
  const page = await console.open('/audit', 'manager');
  await page.getByRole('cell', { name: 'added a member' }).first().waitFor();
  expect(await page.getByRole('cell', { name: 'audited' }).count()).toBe(0);
  for (const path of ['/users', '/accounts', '/settings', '/audit']) {
    const page = await console.open(path, 'viewer');
    await page.getByText('You may not see this page').waitFor();
  }
});
