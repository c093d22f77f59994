import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type Console, expectAccessible, phone, project } from './console.ts';
import { startConsole } from './console-of-file.ts';
import { expectFits, untilShown } from './console-pages.ts';

let console: Console;
startConsole(started => {
  console = started;
});

/** Returns the status of a request to the data plane with a secret. */
const statusWith = async (secret: string) => {
  const headers = { authorization: `Bearer ${secret}` };
  return (await fetch(`${console.gateway.baseUrl}/v1/models`, { headers })).status;
};
const secretOn = async (page: Page) =>
  (await page.getByLabel('The secret', { exact: true }).textContent()) ?? '';
const nameOf = (page: Page) =>
  page.getByRole('form', { name: 'Token' }).getByRole('textbox', { name: 'Name', exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

test('an admin makes a token, uses it in the Playground, changes, rotates, disables and revokes it', async () => {
  const page = await console.open('/tokens');
  await page.getByRole('link', { name: 'Create a token' }).click();

  // What the gateway refuses is said at the fields, and nothing that was typed is lost.
  await nameOf(page).fill('crawler');
  await page.getByRole('form', { name: 'Token' }).getByRole('combobox', { name: 'Project' }).fill(project);
  await page.getByLabel('Requests per minute').fill('0');
  await button(page, 'Create the token').click();
  await page.getByText('Must be greater than zero.').first().waitFor();
  expect(await nameOf(page).inputValue()).toBe('crawler');
  await page.reload();
  await page.getByText('Draft restored').waitFor();
  await page.getByLabel('Requests per minute').fill('100');
  await page.getByLabel('Amount (USD)').fill('5');
  await button(page, 'Add a tag').click();
  await page.getByLabel('Name of tag 1').fill('team');
  await page.getByLabel('Value of tag 1').fill('search');
  await page.getByRole('radiogroup', { name: 'Models' }).getByText('Selected').click();
  await page
    .getByRole('combobox', { name: 'Models' })
    .or(page.getByRole('textbox', { name: 'Models' }))
    .fill('sim-*,');
  await expectAccessible(page);
  await button(page, 'Create the token').click();

  await page.getByRole('heading', { name: 'Token crawler created' }).waitFor();
  const secret = await secretOn(page);
  expect(await statusWith(secret)).toBe(200);
  await button(page, 'Send a test request').click();
  await page.getByText('Token accepted').waitFor();
  await expectAccessible(page);
  await button(page, 'Open in the Playground').click();
  await page.waitForURL(/\/playground$/);
  expect(page.url()).not.toContain('sk-');
  await page.getByText('crawler').first().waitFor();

  await page.goto(`${console.gateway.baseUrl}/console/tokens?tag=team%3Asearch&name=CRAWL`);
  await page.getByRole('link', { name: 'crawler' }).click();
  await page.getByText('team:search').waitFor();
  await page.getByText(/of \$5(\.00)? per month/).waitFor();
  await expectAccessible(page);

  // Somebody else changes it while the form is open.
  await button(page, 'Edit')
    .or(page.getByRole('link', { name: 'Edit', exact: true }))
    .click();
  await nameOf(page).fill('crawler-2');
  const { data } = await console.admin('GET', '/tokens?name=crawler');
  await console.admin('PATCH', `/tokens/${data[0].id}`, { tags: { team: 'ads' } });
  await button(page, 'Save changes').click();
  await page.getByText('Someone else has changed this').waitFor();
  await button(page, 'Overwrite').click();
  await page.getByRole('heading', { name: 'crawler-2' }).waitFor();
  await page.getByText('team:ads').waitFor();

  await button(page, 'Rotate').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
  const next = await secretOn(page);
  await page.getByLabel('I have saved the secret').check();
  await button(page, 'Done').click();
  await page.getByText('every ingress refuses the old secret').waitFor();
  // The tab has the old secret of the Playground, so the page shows that it is refused.
  await page.getByText('Token refused').waitFor();
  expect([await statusWith(secret), await statusWith(next)]).toEqual([401, 200]);

  await button(page, 'Disable').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
  await page.getByText('Token disabled').waitFor();
  expect(await statusWith(next)).toBe(401);
  await button(page, 'Enable').click();
  await page.getByText('Token enabled').waitFor();
  expect(await statusWith(next)).toBe(200);

  await button(page, 'Revoke').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('Token revoked').waitFor();
  await page.getByText('Token refused').waitFor();
  expect(await statusWith(next)).toBe(401);
  await page.reload();
  await page.getByRole('heading', { name: 'Token not found' }).waitFor();
});

test('an answer that is lost on its way makes no second token', async () => {
  const page = await console.open('/tokens/new');
  let lost = 0;
  await page.route('**/api/v1/tokens', async route => {
    if (route.request().method() !== 'POST' || lost++ > 0) return route.fallback();
    await route.fetch();
    return route.abort();
  });
  await nameOf(page).fill('once');
  await button(page, 'Create the token').click();
  await page.getByRole('heading', { name: 'Token once created' }).waitFor();
  const { data } = await console.admin('GET', '/tokens?name=once');
  expect([lost, data.length, await statusWith(await secretOn(page))]).toEqual([2, 1, 200]);
});

test('each role sees and does what it may', async () => {
  const of = async (name: string, owner: string | null) =>
    (await console.admin('POST', '/tokens', { name, project, owner })).id as string;
  const [mine, others] = [await of('mine', 'the-member'), await of('of-nobody', null)];

  const member = await console.open('/tokens', 'member');
  await member.getByRole('link', { name: 'of-nobody' }).click();
  await member.getByRole('heading', { name: 'of-nobody' }).waitFor();
  await member.getByText('All models').waitFor();
  expect(await button(member, 'Revoke').count()).toBe(0);
  await member.goto(`${console.gateway.baseUrl}/console/tokens/${mine}`);
  await button(member, 'Revoke').waitFor();
  await member.goto(`${console.gateway.baseUrl}/console/tokens/new`);
  expect(await member.getByLabel('Owner').inputValue()).toBe('the-member');
  await nameOf(member).fill('made-by-member');
  await button(member, 'Create the token').click();
  await member.getByRole('heading', { name: 'Token made-by-member created' }).waitFor();

  const manager = await console.open(`/tokens/${others}/edit`, 'manager');
  await manager.getByRole('combobox', { name: 'Owner' }).or(manager.getByLabel('Owner')).first().click();
  await manager.getByRole('option', { name: 'the-member' }).click();
  await button(manager, 'Save changes').click();
  await manager.getByRole('heading', { name: 'of-nobody' }).waitFor();
  await manager.getByText('the-member').first().waitFor();

  const viewer = await console.open('/tokens', 'viewer');
  await viewer.getByRole('link', { name: 'mine' }).waitFor();
  expect(await viewer.getByRole('link', { name: 'Create a token' }).count()).toBe(0);
  await viewer.goto(`${console.gateway.baseUrl}/console/tokens/new`);
  await viewer.getByText('You may not create tokens').waitFor();
});

const long = 'a-very-long-name-of-a-token-'.repeat(7);
let longToken: Promise<{ id: string }> | undefined;
const idOfLong = async () => {
  longToken ??= console.admin('POST', '/tokens', {
    ...{ name: long, project, models: ['sim-*', long], tags: { team: long } },
    ...{
      limits: { requestsPerMinute: 5, models: { [long]: { concurrency: 2 } } },
      budget: { amount: 5, period: 'day' },
    },
  });
  return (await longToken).id;
};

test.each([
  ['/tokens', 'Tokens'],
  ['/tokens?name=nothing-has-this-name', 'Tokens'],
  ['/tokens/new', 'Create a token'],
  ['/tokens/:id', long],
  ['/tokens/:id/edit', `Edit ${long}`],
])('a very long name fits %s on a phone, which is accessible', async (path, heading) => {
  const page = await console.open(path.replace(':id', await idOfLong()), 'admin', phone);
  await page.getByRole('heading', { name: heading, exact: true }).waitFor();
  await untilShown(page);
  await expectFits(page);
});

test('a long list has only the rows on the screen in the document, and loads the rest as it is scrolled', async () => {
  await console.admin('PUT', '/projects/long', {});
  const make = (name: number) =>
    console.admin('POST', '/tokens', { name: `of-many-${name}`, project: 'long' });
  for (let made = 0; made < 120; made += 8)
    await Promise.all(Array.from({ length: 8 }, (_, more) => make(made + more)));
  const page = await console.open('/tokens?project=long');
  const list = page.getByRole('region', { name: /, scrollable$/ });
  await page.getByText('100 loaded, more below').waitFor();
  await expect
    .poll(async () => {
      await list.evaluate(element => element.scrollTo(0, element.scrollHeight));
      return page.getByText('120 in total').count();
    })
    .toBe(1);
  expect(await page.locator('tbody tr').count()).toBeLessThan(60);
});
