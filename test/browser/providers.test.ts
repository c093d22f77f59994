import { request as ask } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { type ConnectProxy, startConnectProxy } from '../../services/worker/src/testing/connect-proxy.ts';
import { privateCa } from '../../services/worker/src/testing/private-ca.ts';
import { type Console, phone } from './console.ts';
import { startConsole } from './console-of-file.ts';
import { expectFits } from './console-pages.ts';

const serverName = 'house.internal';
const ca = privateCa(serverName);
let running: Console;
/** The simulator over TLS, for clients with a certificate. */
let upstream: Server;
let proxy: ConnectProxy;
/** The requests that the upstream got: the name in the client's certificate, its API key, and the header `x-team`. */
const asked: string[] = [];

startConsole(
  async started => {
    running = started;
    const options = { key: ca.pem('server.key'), cert: ca.pem('server.pem'), ca: ca.pem('ca.pem') };
    upstream = createServer(
      { ...options, requestCert: true, rejectUnauthorized: true },
      (request, response) => {
        const { subject } = (request.socket as TLSSocket).getPeerCertificate();
        asked.push([subject.CN, request.headers.authorization, request.headers['x-team']].join(' '));
        const { method = 'GET', headers } = request;
        const sent = ask(`${running.simulator.url}${request.url}`, { method, headers }, answer => {
          response.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(response);
        });
        sent.on('error', () => response.destroy());
        request.pipe(sent);
      },
    );
    await new Promise<void>(resolve => upstream.listen(0, '127.0.0.1', resolve));
    proxy = await startConnectProxy((upstream.address() as AddressInfo).port);
  },
  { env: { GATEWAY_API_REFERENCES: `${ca.folder}/*` } },
);
afterAll(() => {
  proxy?.close();
  upstream?.closeAllConnections();
  upstream?.close();
  ca[Symbol.dispose]();
});

/** Sends a request of a client; resolves to its status, and to what the upstream was asked. */
async function chat(): Promise<[number, string[]]> {
  asked.length = 0;
  const { status } = await fetch(`${running.gateway.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${running.gateway.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'house', messages: [{ role: 'user', content: 'Hi' }] }),
  });
  return [status, [...asked]];
}

const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
const group = (page: Page, name: string) => page.getByRole('group', { name, exact: true });
const secret = (page: Page, name: string) => group(page, name).getByRole('textbox', { name: 'Secret' });

async function choose(
  page: Page,
  label: string,
  option: string,
  within = page.locator('main'),
): Promise<void> {
  await within.getByRole('combobox', { name: label }).click();
  await page.getByRole('option', { name: option }).click();
}

const chooseKeys = (page: Page, count: string) =>
  page.getByRole('radiogroup', { name: 'Number of API keys' }).getByText(count, { exact: true }).click();

async function save(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Save' }).click();
  // It is shown while anything is not saved.
  await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' });
}

/** Fills the form with several keys, a header, a proxy and certificates, some of which the gateway refuses. */
async function fillProvider(page: Page): Promise<void> {
  await field(page, 'Name').first().fill('lab');
  await field(page, 'Base URL').fill('https://far.example/v1');
  await chooseKeys(page, 'Several');
  await group(page, 'API key 1').getByRole('textbox', { name: 'Name' }).fill('first');
  await group(page, 'API key 1').getByRole('textbox', { name: 'Weight' }).fill('5000');
  await secret(page, 'API key 1').fill('invalid');
  await group(page, 'API key 2').getByRole('textbox', { name: 'Name' }).fill('first');
  await secret(page, 'API key 2').fill('sk-second');
  await page.getByRole('button', { name: 'Add a header' }).click();
  await group(page, 'Header 1').getByRole('textbox', { name: 'Name' }).fill('x-team');
  await choose(page, 'Value', 'Environment variable', group(page, 'Header 1'));
  await field(page, 'Variable name').fill('GATEWAY_MASTER_KEY');
  await choose(page, 'Proxy mode', 'Custom proxy');
  await field(page, 'Proxy URL').fill('proxy:3128');
  await field(page, 'Username').fill('user');
  await choose(page, 'Password', 'Secret', group(page, 'Proxy'));
  await secret(page, 'Proxy').fill('p@ss');
  await field(page, 'CA certificate file').fill(ca.path('ca.pem'));
  await field(page, 'Server name').fill(serverName);
  await field(page, 'Client certificate file').fill(ca.path('client.pem'));
}

test('a provider with several keys, a secret header, a proxy and certificates is made in the form, and serves', async () => {
  const page = await running.open('/providers/new/provider');
  await fillProvider(page);
  const add = page.getByRole('button', { name: 'Add the provider' });
  await add.click();
  const weight = group(page, 'API key 1').getByText('Must be at most 1000.', { exact: true });
  await weight.waitFor();
  await group(page, 'API key 2').getByText('Is the name of another key.', { exact: true }).waitFor();
  await group(page, 'Proxy')
    .getByText(/^Must be an http:/)
    .waitFor();
  await group(page, 'TLS').getByText('Is required with cert.', { exact: true }).waitFor();
  expect(await secret(page, 'API key 2').inputValue()).toBe('sk-second');
  expect(await secret(page, 'Proxy').inputValue()).toBe('p@ss');
  await expectFits(page);
  await group(page, 'API key 1').getByRole('textbox', { name: 'Weight' }).fill('1000');
  await group(page, 'API key 2').getByRole('textbox', { name: 'Name' }).fill('second');
  await field(page, 'Proxy URL').fill(proxy.url);
  await field(page, 'Client key file').fill('/etc/passwd');
  await add.click();
  await group(page, 'TLS')
    .getByText(/GATEWAY_API_REFERENCES does not allow it/)
    .waitFor();
  await group(page, 'Header 1')
    .getByText(/GATEWAY_API_REFERENCES does not allow it/)
    .waitFor();
  await field(page, 'Client key file').fill(ca.path('client.key'));
  await choose(page, 'Value', 'Secret', group(page, 'Header 1'));
  await secret(page, 'Header 1').fill('of-search');
  await add.click();
  await page.getByRole('heading', { name: 'lab', level: 1 }).waitFor();
  await running.admin('PUT', '/models/house', { targets: [{ provider: 'lab', model: 'sim-fast' }] });
  await expect.poll(async () => (await chat())[0]).toBe(200);
  const credential = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
  expect(new Set(proxy.asked)).toEqual(new Set([`far.example:443 ${credential}`]));
  // The first key is refused, and the page says so.
  expect(await chat()).toEqual([200, ['client Bearer sk-second of-search']]);
  const state = page.getByRole('region', { name: 'State' });
  await state.getByText('API key first').first().waitFor({ timeout: 20_000 });
  await state.getByText('Key refused').first().waitFor();
  const shown = await page.content();
  expect(['sk-second', 'p@ss', 'of-search'].filter(text => shown.includes(text))).toEqual([]);
  await page.getByRole('tab', { name: 'Settings' }).click();
  await page.getByText('first (weight 1000), second').waitFor();
  await page.getByText(`server name ${serverName}, client certificate ${ca.path('client.pem')}`).waitFor();
});

test('keys are renamed, replaced and removed, and what is not typed anew is kept', async () => {
  const page = await running.open('/providers/lab/edit');
  await secret(page, 'API key 1').waitFor();
  expect(await secret(page, 'API key 2').inputValue()).toBe('');
  await group(page, 'API key 2').getByRole('textbox', { name: 'Name' }).fill('team-b');
  // The key that rests does so by its name.
  await group(page, 'API key 1').getByRole('textbox', { name: 'Name' }).fill('team-a');
  await secret(page, 'API key 1').fill('sk-first');
  await secret(page, 'Header 1').fill('sales');
  await save(page);
  await expect.poll(async () => (await chat())[1]).toEqual(['client Bearer sk-first sales']);
  await page.getByRole('button', { name: 'Remove the API key team-a' }).click();
  await save(page);
  await expect.poll(async () => (await chat())[1]).toEqual(['client Bearer sk-second sales']);
  await chooseKeys(page, 'One');
  await save(page);
  expect(await running.admin('GET', '/providers/lab')).toMatchObject({
    apiKey: { set: true },
    apiKeys: null,
  });
  await chooseKeys(page, 'Several');
  await secret(page, 'API key 2').fill('sk-third');
  await save(page);
  await page.getByRole('button', { name: 'Remove the header x-team' }).click();
  await page.getByRole('button', { name: 'Remove the API key 2' }).click();
  await save(page);
  await expect.poll(async () => (await chat())[1]).toEqual(['client Bearer sk-second ']);
  await field(page, 'Base URL').fill('https://elsewhere.example/v1');
  await page.getByRole('button', { name: 'Save' }).click();
  const again = 'Must be given again, because kind or baseUrl changes.';
  await group(page, 'API key 1').getByText(again, { exact: true }).waitFor();
  await group(page, 'Proxy').getByText(again, { exact: true }).waitFor();
  expect(await field(page, 'Base URL').inputValue()).toBe('https://elsewhere.example/v1');
  await page.getByRole('button', { name: 'Undo' }).click();
  await chooseKeys(page, 'None');
  await choose(page, 'Proxy mode', 'No proxy');
  for (const name of ['CA certificate file', 'Server name']) await field(page, name).fill('');
  await save(page);
  expect(await running.admin('GET', '/providers/lab')).toMatchObject({
    ...{ apiKey: null, apiKeys: null, headers: {}, proxy: 'none' },
    tls: { cert: { file: ca.path('client.pem') }, key: { file: ca.path('client.key') } },
  });
});

test('the discovery and the options of a provider are set, with the messages of the gateway at them', async () => {
  const page = await running.open('/providers/new/provider');
  await field(page, 'Name').first().fill('listed');
  await field(page, 'Base URL').fill(`${running.simulator.url}/v1`);
  await page.getByRole('checkbox', { name: 'Discover models' }).check();
  await field(page, 'Prefix').fill('listed/');
  const include = field(page, 'Include').or(page.getByRole('combobox', { name: 'Include' }));
  await include.fill('sim-*, a*b*');
  await field(page, 'Refresh interval').fill('1s');
  await page.getByRole('button', { name: 'Add an option' }).click();
  await field(page, 'Name of option 1').fill('colour');
  await field(page, 'Value of option 1').fill('red');
  await page.getByRole('button', { name: 'Add the provider' }).click();
  await group(page, 'Models').getByText('Must hold at most one *.', { exact: true }).waitFor();
  await group(page, 'Models').getByText(/10s/).last().waitFor();
  await page.getByText('Is not an option of the kind openai-compatible.', { exact: true }).waitFor();
  await include.press('Backspace');
  await field(page, 'Refresh interval').fill('10s');
  await page.getByRole('button', { name: 'Remove the option colour' }).click();
  await page.getByRole('button', { name: 'Add the provider' }).click();
  await page.getByRole('heading', { name: 'listed', level: 1 }).waitFor();
  expect((await running.admin('GET', '/providers/listed')).models).toEqual({
    ...{ discover: true, include: ['sim-*'], prefix: 'listed/', every: '10s' },
  });
});

test('the form with every part fits a phone, and is accessible', async () => {
  await running.admin('PUT', '/providers/full', {
    ...{ kind: 'openai-compatible', baseUrl: 'https://far.example/v1' },
    apiKeys: [
      { key: { value: 'a' }, name: 'a-name-of-sixty-letters-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' },
      { key: { file: `${ca.folder}/b` } },
    ],
    headers: { 'x-team': 'search' },
    proxy: { url: 'http://proxy.corp.example:3128', password: { value: 'p' } },
    models: 'discover',
  });
  const page = await running.open('/providers/full/edit', 'admin', phone);
  await group(page, 'API key 2').getByRole('textbox', { name: 'File path' }).waitFor();
  await expectFits(page);
});

test('a provider of gateway.yaml cannot be changed in the console', async () => {
  const page = await running.open('/providers/simulator');
  await page.getByRole('link', { name: 'Edit' }).click();
  await page.getByText(/^Managed by gateway\.yaml line \d+$/).waitFor();
  expect(await page.getByRole('textbox', { name: 'Base URL' }).count()).toBe(0);
});
