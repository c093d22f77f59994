import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type Console, expectAccessible, phone, project } from './console.ts';
import { startConsole } from './console-of-file.ts';

let console: Console;
startConsole(started => {
  console = started;
});

const at = (path: string) => `${console.gateway.baseUrl}/console${path}`;
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });

test('the first start leads an admin to the first answer', async () => {
  const page = await console.open('', 'nobody');
  await page.waitForURL(at('/playground'));
  await page.goto(at('/start'));
  await page.getByText('admin-password').waitFor();
  await page.getByRole('listitem', { name: 'Step 1: Sign in' }).getByText('Open').waitFor();
  await expectAccessible(page);
  await page.context().addCookies(await console.signIn('the-admin'));

  await page.goto(at(''));
  await page.waitForURL(at('/start'));
  for (const step of ['Step 1: Sign in', 'Step 2: Add a model and a token']) {
    await page.getByRole('listitem', { name: step }).getByText('Done').waitFor();
  }
  await page
    .getByRole('listitem', { name: /^Step 3/ })
    .getByText('Open', { exact: true })
    .waitFor();
  const answer = await fetch(`${console.gateway.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${console.gateway.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sim-fast', messages: [{ role: 'user', content: 'Hello' }] }),
  });
  expect(answer.status).toBe(200);
  // The step is ticked without a reload.
  await page
    .getByRole('listitem', { name: /^Step 3/ })
    .getByText('Done')
    .waitFor({ timeout: 20_000 });
  await page.goto(at(''));
  await page.waitForURL(at('/usage'));
});

test('the palette finds pages, records and actions by keyboard, and shortcuts are listed', async () => {
  await console.admin('POST', '/tokens', { name: 'nightly-crawler', project });
  const page = await console.open('/projects');
  await heading(page, 'Projects').waitFor();
  const search = page
    .getByRole('textbox', { name: 'Search' })
    .or(page.getByRole('combobox', { name: 'Search' }));

  await page.keyboard.press('Control+k');
  await search.fill('nightly');
  await page.getByRole('dialog').getByText('nightly-crawler').waitFor();
  await expectAccessible(page);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await heading(page, 'nightly-crawler').waitFor();

  await page.getByRole('button', { name: 'Search' }).click();
  await search.fill('dark');
  await page.getByRole('dialog').getByText('Use the dark theme').click();
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
  await page.reload();
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
  await page.getByRole('button', { name: 'Theme' }).click();
  await page.getByRole('menuitemradio', { name: 'Light theme' }).click();
  await page.locator('html[data-mantine-color-scheme=light]').waitFor();

  await page.keyboard.press('Escape');
  await page.keyboard.press('Shift+?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await search.fill('nothing has this name');
  await page.getByText('No results').waitFor();

  // A viewer is offered neither what is refused nor records that are not theirs.
  const viewer = await console.open('/tokens', 'viewer');
  await heading(viewer, 'Tokens').waitFor();
  await viewer.keyboard.press('Control+k');
  await viewer.getByRole('dialog').getByText('Usage').waitFor();
  expect(
    await viewer
      .getByRole('dialog')
      .getByText(/Create a token|Providers|Users/)
      .count(),
  ).toBe(0);
  await viewer.goto(at('/providers'));
  await viewer.getByText('You may not see this page').waitFor();
});

test('a lost connection says so and recovers by itself, and nothing typed is lost', async () => {
  const page = await console.open('/tokens/new');
  const name = page.getByRole('form', { name: 'Token' }).getByRole('textbox', { name: 'Name', exact: true });
  await name.fill('typed while connected');
  const lost = page.getByText('The gateway does not respond.');
  await page.route('**/*', route => route.abort());
  await page.getByRole('button', { name: 'Create the token' }).click();
  await lost.waitFor();
  await page.getByRole('form').getByText('The gateway cannot be reached.').waitFor();
  await expectAccessible(page);
  expect(await name.inputValue()).toBe('typed while connected');
  await page.unroute('**/*');
  await page.getByText('Connection restored').waitFor();
  await lost.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Create the token' }).click();
  await heading(page, 'Token typed while connected created').waitFor();
  const { data } = await console.admin('GET', '/tokens?name=typed');
  expect(data).toHaveLength(1);

  // A page whose code cannot be loaded leaves the rest of the console as it is, and comes when the gateway is back.
  await page.route('**/*', route => route.abort());
  await page.getByRole('link', { name: 'Audit log' }).click();
  await page.getByText('This page could not be shown').waitFor();
  await lost.waitFor();
  await page.unroute('**/*');
  await heading(page, 'Audit log').waitFor();
  // The browser reports the code that did not come, and nothing else.
  for (const complaint of console.complaints.splice(0)) expect(complaint).toMatch(/preload|import/);
});

test('a console whose code does not come says so, and hides that once it does', async () => {
  const page = await console.open('/settings');
  await heading(page, 'Settings').waitFor();
  await page.route('**/assets/*.js', route => route.abort());
  await page.reload();
  const notLoaded = page.getByText('The console is not loaded.');
  expect(await notLoaded.isVisible()).toBe(false);
  await notLoaded.waitFor();
  await expectAccessible(page);
  await page.unroute('**/assets/*.js');
  await page.reload();
  await heading(page, 'Settings').waitFor();
  await notLoaded.waitFor({ state: 'detached' });
});

test('a session that ends asks for a sign-in over the page, which keeps what was typed', async () => {
  const page = await console.open('/tokens/new', 'member');
  const name = page.getByRole('form', { name: 'Token' }).getByRole('textbox', { name: 'Name', exact: true });
  await name.fill('typed before');
  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Create the token' }).click();
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.waitFor();
  await expectAccessible(page);
  await dialog.locator('input[autocomplete=current-password]').fill('a password of tests');
  await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await name.inputValue()).toBe('typed before');
  await page.getByRole('button', { name: 'Create the token' }).click();
  await heading(page, 'Token typed before created').waitFor();

  // Who does not sign in again comes to the sign-in page, and from there back.
  await page.goto(at('/tokens?name=typed'));
  await page.getByRole('link', { name: 'typed before' }).waitFor();
  const cookies = await page.context().cookies();
  await page.context().clearCookies();
  await page.getByRole('link', { name: 'typed before' }).click();
  await dialog.waitFor();
  // A sign-in in another tab is noticed when the user comes back to this one.
  await page.context().addCookies(cookies);
  await page.evaluate("dispatchEvent(new Event('focus'))");
  await dialog.waitFor({ state: 'detached' });
  await heading(page, 'typed before').waitFor();
  await page.context().clearCookies();
  await page.goBack();
  await dialog.getByRole('button', { name: 'Leave this page' }).click();
  await page.waitForURL(/\/sign-in\?returnTo=%2Ftokens/);
});

test('the palette closes by Escape, by a click outside, by its keys, and is opened again', async () => {
  for (const options of [{}, phone]) {
    const page = await console.open('/projects', 'admin', options);
    await heading(page, 'Projects').waitFor();
    const palette = page.getByRole('dialog', { name: 'Search pages, records and actions' });
    const closes: (() => Promise<unknown>)[] = [
      () => page.keyboard.press('Escape'),
      () => page.mouse.click(5, 5),
      () => page.keyboard.press('Control+k'),
    ];
    for (const close of closes) {
      await page.keyboard.press('Control+k');
      await palette.waitFor();
      await close();
      await palette.waitFor({ state: 'detached' });
    }
    await page.getByRole('button', { name: 'Search' }).click();
    await palette.waitFor();
  }
});

test('the address of the gateway leads a browser to the console, and tells others what it is', async () => {
  const { baseUrl } = console.gateway;
  const page = await console.open('', 'nobody');
  await page.goto(`${baseUrl}/`);
  await page.waitForURL(/\/console\//);
  const redirect = await fetch(baseUrl, { headers: { accept: 'text/html,*/*' }, redirect: 'manual' });
  expect([redirect.status, redirect.headers.get('location')]).toEqual([302, '/console/']);
  for (const accept of ['application/json', '*/*']) {
    const answer = await fetch(baseUrl, { headers: { accept }, redirect: 'manual' });
    expect([answer.status, await answer.json()]).toMatchObject([404, { error: {} }]);
  }
});

test('a list does not scroll the page beside it', async () => {
  for (const name of ['one', 'two'])
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        console.admin('POST', '/tokens', { name: `${name}-${n}`, project }),
      ),
    );
  for (const path of ['/tokens', '/audit', '/models', '/users', '/requests/history'])
    for (const viewport of [
      { width: 1440, height: 900 },
      { width: 1280, height: 720 },
    ]) {
      const page = await console.open(path, 'admin', { viewport });
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page
        .getByText(/in total|more below|No matching requests/)
        .first()
        .waitFor();
      const room = () =>
        page.evaluate<number>(
          'document.documentElement.scrollHeight - document.documentElement.clientHeight',
        );
      await expect.poll(room, { message: `${path} at ${viewport.width}` }).toBe(0);
      await page.context().close();
    }
});

test('on a phone, the chat of the Playground begins on the first screen after its set-up', async () => {
  const page = await console.open('/playground', 'nobody', phone);
  const tab = page.getByRole('tab', { name: 'Chat' });
  await tab.waitFor();
  const box = await tab.boundingBox();
  expect(box?.y).toBeLessThan(phone.viewport.height);
  const tops = await page
    .getByRole('tab')
    .evaluateAll(tabs => new Set(tabs.map(tab => Math.round(tab.getBoundingClientRect().top))).size);
  expect(tops).toBe(1);
  const settings = page.getByRole('button', { name: 'Format and settings' });
  await settings.click();
  await page.getByText('System prompt').first().waitFor();
  await page.getByRole('button', { name: 'Fewer settings' }).click();
  await page.getByText('System prompt').first().waitFor({ state: 'detached' });
});

test('tests of models and providers are in the audit log in words', async () => {
  await console.admin('POST', '/models/sim-fast/test', {}).catch(() => undefined);
  await console.admin('POST', '/providers/simulator/test', { model: 'sim-fast' }).catch(() => undefined);
  const page = await console.open('/audit');
  for (const words of ['tested a model', 'tested a provider'])
    await page.getByRole('cell', { name: words }).first().waitFor();
  expect(await page.getByRole('cell', { name: /^test(Model|Provider)$/ }).count()).toBe(0);
});
