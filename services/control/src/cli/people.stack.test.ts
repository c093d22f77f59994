import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TokenInfo } from '@model-gateway/admin-api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminToken, type TestControl } from '../testing/control.ts';
import { runGateway } from '../testing/run-gateway.ts';
import { Stage } from '../testing/stage.ts';
import { gateway as commandLine } from './gateway.ts';

let stage: Stage;
let control: TestControl;
let folder: string;
const firstPassword = 'the first password';
beforeAll(async () => {
  stage = await Stage.set();
  folder = await stage.folder();
  control = await stage.control({ GATEWAY_DATA: folder, GATEWAY_ADMIN_PASSWORD: firstPassword });
});
afterAll(() => stage.clear());

const loginFile = () => join(folder, 'home', 'logins.json');
const signedIn = () => ({
  GATEWAY_URL: control.url,
  GATEWAY_LOGIN_FILE: loginFile(),
  GATEWAY_DATA: '/nowhere',
});

/** Runs the command in a process, with a standard input. */
const run = (line: string, input: string) =>
  runGateway(line.split(' '), { GATEWAY_ADMIN_TOKEN: '', ...signedIn() }, input);

const gateway = async (args: string[], env: Record<string, string>) =>
  String((await commandLine(args, env)).printed);

describe('gateway login', () => {
  test('keeps a session that the other commands use, until gateway logout', async () => {
    await expect(gateway(['session', 'show'], signedIn())).rejects.toThrow('sign in (gateway login)');
    expect(await run('login', 'wrong\n')).toMatchObject({
      ...{ code: 3, out: '', err: 'gateway: The user or the password is wrong.\n' },
    });
    const { code, out } = await run('login', `${firstPassword}\n`);
    expect([code, out]).toEqual([0, expect.stringMatching(/^NAME +admin$/m)]);
    expect(statSync(loginFile()).mode & 0o777).toBe(0o600);
    expect(readFileSync(loginFile(), 'utf8')).not.toContain(firstPassword);
    const made = await gateway(['token', 'create', '--name', 'mine', '--json'], signedIn());
    expect(JSON.parse(made)).toMatchObject({ name: 'mine' });
    const cookie = JSON.parse(readFileSync(loginFile(), 'utf8'))[control.url].cookie;
    expect(await gateway(['logout'], signedIn())).toBe('admin is signed out.');
    await expect(gateway(['session', 'show'], signedIn())).rejects.toThrow('sign in (gateway login)');
    const asked = await fetch(`${control.url}/api/v1/session`, { headers: { cookie } });
    expect(asked.status).toBe(401);
  });

  test('reads a password from a file, and gateway password changes it', async () => {
    const file = join(folder, 'password');
    writeFileSync(file, `${firstPassword}\n`);
    expect(await gateway(['login', '--user', 'admin', '--password-file', file], signedIn())).toMatch(
      /^KIND +user$/m,
    );
    const next = 'the second password';
    expect(await run('password', `${firstPassword}\n${next}\n`)).toMatchObject({
      code: 0,
      out: 'Your password is changed.\n',
    });
    expect(await gateway(['session', 'show'], signedIn())).toMatch(/\nadmin /);
    expect((await run('login', `${firstPassword}\n`)).code).toBe(3);
    expect((await run('login', `${next}\n`)).code).toBe(0);
    expect((await run('login', '')).err).toBe('gateway: no password was given\n');
  });
});

test('users, members and service accounts are managed, and what was done is listed', async () => {
  const env = { GATEWAY_URL: control.url, GATEWAY_ADMIN_TOKEN: adminToken };
  const command = (line: string) => gateway(line.split(' '), env);
  await command('project set lab');
  await command('user set ada');
  expect(await command('user login ada --email ada@example.com --role admin')).toMatch(
    /\nada +ada@example\.com +admin +- +enabled +- +api$/,
  );
  const [password] = (await command('user password ada')).split('\n');
  const session = await fetch(`${control.url}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user: 'ada', password }),
  });
  expect(session.status).toBe(201);
  expect(await gateway(['user', 'login', 'ada', '--role', '', '--disabled', 'yes'], env)).toMatch(
    /\nada +ada@example\.com +- +- +disabled +- +api$/,
  );
  expect(await command('member set ada --project lab --role manager')).toBe('NAME  ROLE\nada   manager');
  expect(await command('member list --project lab')).toBe('NAME  ROLE\nada   manager');
  expect(await command('user list')).toMatch(/\nada +ada@example\.com +- +lab:manager +disabled +- +api\n/);
  expect(await command('member remove ada --project lab')).toBe('ada has no role in lab any more.');
  expect(await command('user remove-login ada')).toBe('ada cannot sign in any more.');

  const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
  const made = await command(
    `account create --name ci --role viewer --projects lab --expires-at ${expiresAt} --json`,
  );
  const { id, token } = JSON.parse(made);
  const asAccount = { ...env, GATEWAY_ADMIN_TOKEN: token };
  expect(await gateway(['session', 'show'], asAccount)).toMatch(/\nci +account +- +lab:viewer +/);
  expect(await command('account list')).toMatch(/ ci +viewer +lab +in 23 hours +/);
  expect(await command(`account show ${id}`)).toMatch(/^PROJECTS +lab$/m);
  expect(await command(`account rotate ${id} --expires-at ${expiresAt}`)).toMatch(/\n\nsa-[\w-]{43}\n/);
  await expect(gateway(['session', 'show'], asAccount)).rejects.toThrow('Incorrect admin token provided.');
  expect(await command(`account revoke ${id}`)).toBe(`Service account ${id} is revoked.`);

  expect(await command('audit list --action setMember --project lab')).toMatch(
    /\n(?:now|.* ago) +admin token \(admin-token\) +127\.0\.0\.1 +setMember +member ada +lab$/,
  );
  expect(await command('audit list --limit 1')).toMatch(/\n\nOlder events: --cursor [-\w]+$/);
  const csv = await runGateway(['audit', 'export', '--action', 'setMember'], env);
  expect(csv.out.split('\r\n')).toEqual([
    expect.stringMatching(/^id,at,actorKind,/),
    expect.stringContaining(',setMember,'),
    '',
  ]);
  const lines = await runGateway(['audit', 'export', '--format', 'jsonl', '--subject', 'ada'], env);
  expect(JSON.parse(lines.out.split('\n')[0] ?? '')).toMatchObject({ subject: 'ada', action: 'setUser' });
});

test('the tokens of a user are disabled with the login or the role, where that is wanted', async () => {
  const command = (line: string) =>
    gateway(line.split(' '), { GATEWAY_URL: control.url, GATEWAY_ADMIN_TOKEN: adminToken });
  await command('project set shop');
  await command('user set eve');
  const made = await command('token create --name own --project shop --owner eve --json');
  const { id } = JSON.parse(made) as { id: string };
  const isDisabled = async () => {
    const { data } = JSON.parse(await command('token list --json')) as { data: TokenInfo[] };
    return data.find(token => token.id === id)?.disabled;
  };
  expect(await command('user login eve --disabled yes')).toMatch(/ disabled /);
  expect(await isDisabled()).toBe(false);
  await command('user login eve --disabled yes --tokens disable');
  expect(await isDisabled()).toBe(true);
  await command(`token enable ${id}`);
  await command('user remove-login eve --tokens disable');
  expect(await isDisabled()).toBe(true);
  await command(`token enable ${id}`);
  await command('member set eve --project shop --role viewer');
  await command('member remove eve --project shop --tokens disable');
  expect(await isDisabled()).toBe(true);
});

describe("the first admin's password", () => {
  const ask = (at: TestControl, password: string) =>
    fetch(`${at.url}/api/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ user: 'admin', password }),
    });

  test('is made and kept in a file, which goes when the password changes', async () => {
    const data = await stage.folder();
    const file = join(data, 'admin-password');
    const other = await stage.control({ GATEWAY_DATA: data });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const password = readFileSync(file, 'utf8').trim();
    expect(password).toMatch(/^[\w-]{20}$/);
    expect((await ask(other, password)).status).toBe(201);
    await other.api('POST', '/users/admin/password', { password: 'another password' });
    expect(existsSync(file)).toBe(false);
    await other.stop();
    // A later start neither makes one nor takes one of a setting.
    const again = await stage.control({ GATEWAY_DATA: data, GATEWAY_ADMIN_PASSWORD: 'a setting of later' });
    expect(existsSync(file)).toBe(false);
    expect((await ask(again, 'a setting of later')).status).toBe(401);
    expect((await ask(again, 'another password')).status).toBe(201);
    await again.api('DELETE', '/users/admin');
    await again.stop();
    const last = await stage.control({ GATEWAY_DATA: data, GATEWAY_ADMIN_PASSWORD: 'a setting of later' });
    expect((await ask(last, 'a setting of later')).status).toBe(401);
  });

  test('has 12 characters or more', async () => {
    const data = await stage.folder();
    await expect(stage.control({ GATEWAY_DATA: data, GATEWAY_ADMIN_PASSWORD: 'short' })).rejects.toThrow(
      'GATEWAY_ADMIN_PASSWORD: must have 12 to 256 characters',
    );
  });
});
