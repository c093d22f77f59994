import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@model-gateway/bus/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Browser, type Page } from '../testing/browser.ts';
import type { TestControl } from '../testing/control.ts';
import { startProvider, type TestProvider } from '../testing/openid-provider.ts';
import { Stage } from '../testing/stage.ts';
import { loginByBrowser } from './browser-login.ts';
import { gateway } from './gateway.ts';

let stage: Stage;
let provider: TestProvider;
let control: TestControl;
let browser: Browser;
beforeAll(async () => {
  stage = await Stage.set();
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const client = { id: 'gateway', secret: 'secret-of-the-client' };
  provider = await startProvider({ ...client, redirectUrls: [`${publicUrl}/api/v1/session/oidc/callback`] });
  control = await stage.control(
    {
      ...{
        GATEWAY_DATA: await stage.folder(),
        GATEWAY_PUBLIC_URL: publicUrl,
        GATEWAY_OIDC_NEW_USERS: 'make',
      },
      ...{ GATEWAY_OIDC_ISSUER: provider.issuer, GATEWAY_OIDC_CLIENT_ID: client.id },
      GATEWAY_OIDC_CLIENT_SECRET: client.secret,
    },
    { port },
  );
});
beforeEach(() => {
  browser = new Browser();
});
afterAll(async () => {
  await stage?.clear();
  await provider?.stop();
});

const toCommand = (url: string) => new URL(url).searchParams.has('code') && !url.includes('/callback');

/** Signs in at the provider, and returns the page of the gateway that asks for the command. */
async function askedPage(start: string, user: string): Promise<Page> {
  const login = await browser.go(start);
  const consent = await browser.go(login.url, { form: { prompt: 'login', login: user, password: 'any' } });
  if (!consent.url.includes('/interaction/')) return consent;
  return browser.go(consent.url, { form: { prompt: 'consent' } });
}

const confirmUrl = () => `${control.url}/api/v1/session/command`;

/** Starts a sign-in of the command, and returns what it shows and its end. */
async function started() {
  const shown = Promise.withResolvers<string>();
  const ended = loginByBrowser({ url: control.url, port: 0, show: shown.resolve, open: undefined });
  const message = await shown.promise;
  const start = /http\S+/.exec(message)?.[0] as string;
  const code = /code is (\S+)\.$/.exec(message)?.[1] as string;
  return { start, code, ended, port: new URL(start).searchParams.get('port') as string };
}

const exchange = (code: string, verifier: string) =>
  control.api('POST', '/session/code', { code, verifier }, '');

describe('gateway login --sso', () => {
  test('signs in by the browser, and keeps the session', async () => {
    provider.users.set('u-ann', { preferred_username: 'ann' });
    const folder = await stage.folder();
    const env = {
      GATEWAY_URL: control.url,
      GATEWAY_LOGIN_FILE: join(folder, 'logins.json'),
      GATEWAY_DATA: '/nowhere',
    };
    const write = process.stderr.write.bind(process.stderr);
    const shown = Promise.withResolvers<string>();
    process.stderr.write = (text: string | Uint8Array) => {
      shown.resolve(String(text));
      return true;
    };
    const signedIn = gateway(['login', '--sso', '--no-browser'], env);
    const message = await shown.promise;
    process.stderr.write = write;
    const page = await askedPage(/http\S+/.exec(message)?.[0] as string, 'u-ann');
    expect(page.url).toBe(confirmUrl());
    expect(page.text).toContain('act as <b>ann</b>');
    expect(page.text).toContain(`<strong>${/code is (\S+)\.\n$/.exec(message)?.[1]}</strong>`);
    const last = await browser.go(confirmUrl(), { form: {} });
    expect(last).toMatchObject({ url: expect.stringMatching(/\/done$/), status: 200 });
    expect(String((await signedIn).printed)).toMatch(/^NAME +ann$/m);
    expect(String((await gateway(['session', 'show'], env)).printed)).toMatch(/\nann /);
    expect(readFileSync(env.GATEWAY_LOGIN_FILE, 'utf8')).toContain('gateway-session=');
    // The browser itself is signed in neither by it nor to the command.
    expect(browser.cookies.has('gateway-session')).toBe(false);
    expect(browser.cookies.has('gateway-command')).toBe(false);
  });

  test('takes no user, and no port of the system', async () => {
    const env = { GATEWAY_URL: control.url };
    await expect(gateway(['login', '--sso', '--user', 'ann'], env)).rejects.toThrow('--sso takes neither');
    await expect(gateway(['login', '--sso', '--port', '80'], env)).rejects.toThrow('--port must be');
  });
});

describe('the code that the browser brings', () => {
  /** Signs in up to the redirect to a command that nobody waits for, and returns its code. */
  async function codeFor(challenge: string): Promise<string> {
    provider.users.set('u-bob', { preferred_username: 'bob' });
    const query = new URLSearchParams({ port: '50000', challenge, state: 's'.repeat(43) });
    await askedPage(`${control.url}/api/v1/session/oidc?${query}`, 'u-bob');
    const { url } = await browser.go(confirmUrl(), { form: {}, stopAt: toCommand });
    expect(new URL(url).host).toBe('127.0.0.1:50000');
    expect(new URL(url).searchParams.get('state')).toBe('s'.repeat(43));
    return new URL(url).searchParams.get('code') as string;
  }
  // The SHA-256 of 43 letters v.
  const verifier = 'v'.repeat(43);
  const challengeOf = async (text: string) =>
    Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(text))).toString('base64url');

  test('is used once, with the secret of the command', async () => {
    const code = await codeFor(await challengeOf(verifier));
    const first = await exchange(code, verifier);
    expect([first.status, (first.body as { name: string }).name]).toEqual([201, 'bob']);
    expect((await exchange(code, verifier)).status).toBe(401);
  });

  test('is used up by an attempt with another secret', async () => {
    const code = await codeFor(await challengeOf(verifier));
    expect((await exchange(code, 'w'.repeat(43))).status).toBe(401);
    expect((await exchange(code, verifier)).status).toBe(401);
  });

  test('is no code but that of a confirmed sign-in', async () => {
    provider.users.set('u-bob', { preferred_username: 'bob' });
    const challenge = await challengeOf(verifier);
    const query = new URLSearchParams({ port: '50000', challenge, state: 's'.repeat(43) });
    await askedPage(`${control.url}/api/v1/session/oidc?${query}`, 'u-bob');
    const unconfirmed = browser.cookies.get('gateway-command') as string;
    expect((await exchange(unconfirmed, verifier)).status).toBe(401);
    expect((await exchange('v1.invented', verifier)).status).toBe(401);
  });

  test('is of no use once the user may not sign in any more', async () => {
    const code = await codeFor(await challengeOf(verifier));
    await control.api('PATCH', '/users/bob/login', { disabled: true });
    expect((await exchange(code, verifier)).status).toBe(401);
    await control.api('PATCH', '/users/bob/login', { disabled: false });
  });
});

describe('a page of another site', () => {
  test('cannot confirm in place of the user', async () => {
    const asked = await fetch(confirmUrl(), { method: 'POST', headers: { 'sec-fetch-site': 'cross-site' } });
    expect(asked.status).toBe(403);
  });

  test('cannot frame the page, nor run a script in it', async () => {
    provider.users.set('u-eve', { preferred_username: '<script>alert(1)</script>' });
    const { start, ended, port } = await started();
    const page = await askedPage(start, 'u-eve');
    expect(page.text).toContain('&lt;script&gt;');
    expect(page.text).not.toContain('<script>');
    const cookie = `gateway-command=${browser.cookies.get('gateway-command')}`;
    const policy = (await fetch(confirmUrl(), { headers: { cookie } })).headers.get(
      'content-security-policy',
    );
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain(`form-action 'self' http://127.0.0.1:${port};`);
    // The command takes no code without its state, nor by another host name.
    expect((await fetch(`http://127.0.0.1:${port}/?code=x&state=y`)).status).toBe(404);
    expect((await fetch(`http://localhost:${port}/`)).status).toBe(404);
    await browser.go(confirmUrl(), { form: {} });
    expect((await ended).status).toBe(201);
  });

  test('cannot name another place for the code than this computer', async () => {
    for (const query of ['port=22', 'port=50000', 'port=50000&challenge=x&state=y']) {
      const { status } = await fetch(`${control.url}/api/v1/session/oidc?${query}`, { redirect: 'manual' });
      expect([query, status]).toEqual([query, 400]);
    }
  });
});
