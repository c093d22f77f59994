import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { freePort } from '@model-gateway/bus/testing';
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { startProvider, type TestProvider } from '../../services/control/src/testing/openid-provider.ts';
import { cleanUp, Launched, type ReadyFile } from '../launcher/launched.ts';
import { findChromium } from './chromium.ts';

const executablePath = findChromium();
let gateway: ReadyFile;
let password: string;
let provider: TestProvider;
let attacker: Server;
let browser: Browser;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  if (!executablePath) return;
  attacker = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end('<p>evil</p>'),
  );
  await new Promise<void>(resolve => attacker.listen(0, '127.0.0.1', resolve));
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const client = { id: 'gateway', secret: 'secret-of-the-client' };
  provider = await startProvider({ ...client, redirectUrls: [`${publicUrl}/api/v1/session/oidc/callback`] });
  const launched = new Launched({
    env: {
      PORT: String(port),
      GATEWAY_PUBLIC_URL: publicUrl,
      GATEWAY_OIDC_ISSUER: provider.issuer,
      GATEWAY_OIDC_CLIENT_ID: client.id,
      GATEWAY_OIDC_CLIENT_SECRET: client.secret,
      GATEWAY_OIDC_NEW_USERS: 'make',
    },
  });
  [browser, gateway] = await Promise.all([chromium.launch({ executablePath }), launched.ready()]);
  password = readFileSync(join(launched.data, 'admin-password'), 'utf8').trim();
  // The banner follows the ready file.
  await vi.waitFor(() => expect(launched.output).toContain('user admin, password in '));
});
afterAll(async () => {
  await browser?.close();
  await cleanUp();
  await provider?.stop();
  attacker?.close();
});
beforeEach(async task => {
  if (!executablePath) return task.skip('there is no Chromium on this machine');
  context = await browser.newContext();
  page = await context.newPage();
  await page.goto(gateway.consoleUrl);
  return () => context.close();
});

/** Sends a request as a script of the page does, and returns its status; 0 if the browser refuses it. */
const ask = (method: string, path: string, body?: object, headers: Record<string, string> = {}, base = '') =>
  page.evaluate(
    async ([method, url, body, headers]) => {
      const init = {
        method,
        headers,
        credentials: 'include' as const,
        ...(body && { body: JSON.stringify(body) }),
      };
      return fetch(url, init).then(
        ({ status }) => status,
        () => 0,
      );
    },
    [method, `${base}/api/v1${path}`, body, headers] as const,
  );
const json = { 'content-type': 'application/json' };
const own = { ...json, 'x-gateway-csrf': '1' };
const signIn = () => ask('POST', '/session', { user: 'admin', password }, json);

/** Returns the rules of accessibility that the page violates. */
const violations = () =>
  page.evaluate<string[]>(
    `${axe.source}; axe.run().then(({ violations }) => violations.map(({ id, help }) => id + ': ' + help))`,
  );

test('a user signs in by password in the console, changes the password, and signs out', async () => {
  const admin = { ...json, authorization: `Bearer ${gateway.adminToken}` };
  await fetch(`${gateway.baseUrl}/api/v1/users/lea`, { method: 'PUT', headers: admin, body: '{}' });
  const made = await fetch(`${gateway.baseUrl}/api/v1/users/lea/password`, {
    ...{ method: 'POST', headers: admin, body: JSON.stringify({ password: 'an older password' }) },
  });
  expect(made.status).toBe(200);
  const passwordField = page.locator('input[autocomplete=current-password]');
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('User name or email address').fill('lea');
  await passwordField.fill('a wrong password');
  await passwordField.press('Enter');
  await page.getByText('The user or the password is wrong.').waitFor();
  expect(await violations()).toEqual([]);
  await passwordField.fill('an older password');
  await passwordField.press('Enter');
  await page.waitForURL(`${gateway.baseUrl}/console/playground`);
  await page.getByRole('button', { name: 'lea' }).click();
  await page.getByRole('menuitem', { name: 'Account' }).click();
  await page.getByText('No roles yet.').waitFor();
  await page.getByLabel('Current password').fill('an older password');
  await page.getByLabel('New password').fill('a newer password');
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('Password changed.').waitFor();
  expect(await violations()).toEqual([]);
  await page.getByRole('button', { name: 'lea' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.waitForURL(/\/console\/sign-in/);
  expect(await ask('GET', '/session')).toBe(401);
});

test('a page of another origin can neither use nor make a session', async () => {
  expect(await signIn()).toBe(201);
  const before = await context.cookies();
  const { port } = attacker.address() as AddressInfo;
  // The other port is the same site, so that the browser sends the cookie.
  await page.goto(`http://127.0.0.1:${port}/`);
  const base = gateway.baseUrl;
  expect(await ask('PUT', '/projects/forged', {}, own, base)).toBe(0);
  expect(await ask('POST', '/session', { user: 'admin', password }, json, base)).toBe(0);
  expect(await ask('POST', '/tokens', { name: 'forged' }, { 'content-type': 'text/plain' }, base)).toBe(0);
  // A form sends the cookie, and no header.
  const action = `${base}/api/v1/tokens`;
  const form = `<form method=post enctype=text/plain action="${action}"></form><script>document.forms[0].submit()</script>`;
  const [answer] = await Promise.all([
    page.waitForResponse(response => response.url() === action),
    page.setContent(form),
  ]);
  expect(answer.status()).toBe(403);
  await page.goto(gateway.consoleUrl);
  expect(await context.cookies()).toEqual(before);
  expect(await ask('GET', '/session')).toBe(200);
  expect(await ask('GET', '/projects/forged')).toBe(404);
});

test('a browser signs in by OpenID Connect from the sign-in page, which says why another one fails', async () => {
  provider.users.set('u-bea', { preferred_username: 'bea' });
  await page.goto(`${gateway.consoleUrl.replace('/playground', '')}/sign-in?returnTo=/account`);
  await page.getByRole('link', { name: 'Sign in with single sign-on' }).click();
  await page.fill('input[name=login]', 'u-bea');
  await page.fill('input[name=password]', 'any');
  await page.click('button[type=submit]');
  await page.click('button[type=submit]');
  await page.waitForURL(`${gateway.baseUrl}/console/account`);
  await page.getByRole('heading', { name: 'bea' }).waitFor();
  await page.getByRole('button', { name: 'bea' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.waitForURL(/\/console\/sign-in/);
  await page.goto(`${gateway.baseUrl}/api/v1/session/oidc/callback?code=forged`);
  await page.getByText('The answer of the provider was not valid').waitFor();
  expect(await ask('GET', '/session')).toBe(401);
});
