import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminToken, type TestControl } from '../testing/control.ts';
import { Stage } from '../testing/stage.ts';
import { gateway, UsageError, usage } from './gateway.ts';

let stage: Stage;
let control: TestControl;
let folder: string;
beforeAll(async () => {
  stage = await Stage.set();
  folder = await stage.folder();
  control = await stage.control({ GATEWAY_DATA: folder });
});
afterAll(() => stage.clear());

const program = fileURLToPath(new URL('./main.ts', import.meta.url));

async function run(args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...process.env, GATEWAY_URL: `${control.url}/`, GATEWAY_ADMIN_TOKEN: adminToken, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = { out: '', err: '' };
  child.stdout.on('data', chunk => (texts.out += chunk));
  child.stderr.on('data', chunk => (texts.err += chunk));
  const [code] = await once(child, 'close');
  return { code, ...texts };
}

test('the CLI creates, lists and revokes a token', async () => {
  const made = await run([
    'token',
    'create',
    '--name',
    'ci',
    '--project',
    'lab',
    '--expires-at',
    '2100-01-01T00:00:00Z',
  ]);
  expect(made).toMatchObject({ code: 0, err: '' });
  expect(made.out).toMatch(/^sk-[\w-]{43}$/m);
  const { id } = JSON.parse((await run(['token', 'create', '--name', 'two', '--json'])).out);
  const list = await run(['token', 'list']);
  expect(list.out.split('\n')).toHaveLength(4);
  expect(list.out).toMatch(/ci +lab +\S+ +2100-01-01T00:00:00.000Z/);
  expect((await run(['token', 'revoke', id])).out).toBe(`Token ${id} is revoked.\n`);
  const left = JSON.parse((await run(['token', 'list', '--json'])).out).data;
  expect(left.map((token: { name: string }) => token.name)).toEqual(['ci']);
  expect(await run(['token', 'revoke', id])).toMatchObject({
    code: 1,
    err: 'gateway: There is no such token.\n',
  });
});

test.each([
  [[], 'no command was given'],
  [['tokens'], "unknown command 'tokens'"],
  [['token', 'make'], "unknown command 'token make'"],
  [['token', 'create'], '--name is required'],
  [['token', 'create', 'ci', '--name', 'ci'], "unexpected argument 'ci'"],
  [['token', 'revoke'], 'ID is required'],
  [['token', 'list', '--name', 'x'], 'token list does not accept --name'],
  [['token', 'list', '--nmae', 'x'], "Unknown option '--nmae'"],
])('the command line %j is invalid: %s', async (args, message) => {
  const attempt = gateway(args, {});
  await expect(attempt).rejects.toBeInstanceOf(UsageError);
  await expect(attempt).rejects.toThrow(message);
});

test('an invalid command exits with code 2 and prints the usage', async () => {
  const { code, out, err } = await run(['token', 'make']);
  expect([code, out]).toEqual([2, '']);
  expect(err).toBe(`gateway: unknown command 'token make'\n\n${usage}\n`);
});

test('--help prints the usage without an error', async () => {
  expect(await gateway(['--help'], {})).toBe(usage);
});

test.each([
  ['a wrong token', { GATEWAY_ADMIN_TOKEN: 'wrong' }, 'Incorrect admin token provided.'],
  [
    'a gateway that is not there',
    { GATEWAY_URL: 'http://127.0.0.1:1' },
    'cannot reach a gateway at http://127.0.0.1:1',
  ],
  ['a missing token', { GATEWAY_ADMIN_TOKEN: '', GATEWAY_DATA: '/nowhere' }, 'no admin token: /nowhere'],
  ['an invalid URL', { GATEWAY_URL: 'here' }, 'GATEWAY_URL'],
])('%s is reported', async (_name, env, message) => {
  const settings = { GATEWAY_URL: control.url, GATEWAY_ADMIN_TOKEN: adminToken, ...env };
  await expect(gateway(['token', 'list'], settings)).rejects.toThrow(message);
});

test('without GATEWAY_ADMIN_TOKEN the token is read from the data folder', async () => {
  writeFileSync(join(folder, 'admin-token'), `${adminToken}\n`);
  expect(await gateway(['token', 'list'], { GATEWAY_URL: control.url, GATEWAY_DATA: folder })).toMatch(
    /^ID /,
  );
});
