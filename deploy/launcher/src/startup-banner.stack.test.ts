import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pathFrom, startupBanner } from './startup-banner.ts';

const address = {
  baseUrl: 'http://127.0.0.1:1',
  consoleUrl: 'http://127.0.0.1:1/console',
  token: 'sk-1',
  tokenFile: '.gateway/token',
  adminPassword: '.gateway/admin-password',
};

const line = (models: string[]) =>
  startupBanner(address, models)
    .split('\n')
    .find(text => text.startsWith('curl ')) as string;

/** Returns the arguments that a shell would pass to the program. */
const words = (command: string) =>
  execFileSync('sh', ['-c', `printf '%s\\n' ${command}`], { encoding: 'utf8' });

test('the banner has base URL, token and a curl command that is quoted correctly', () => {
  const text = startupBanner(address, ['sim-fast', 'sim-1']);
  expect(text).toMatch(/Base URL +http:\/\/127\.0\.0\.1:1\n/);
  expect(text).toMatch(/Console +http:\/\/127\.0\.0\.1:1\/console\n/);
  expect(text).toMatch(/Token +sk-1\n +\(stored in \.gateway\/token; not shown again\)\n/);
  const body = words(line(['sim-fast', 'sim-1']))
    .trim()
    .split('\n')
    .at(-1) as string;
  expect(JSON.parse(body)).toMatchObject({ model: 'sim-1', stream: true, messages: [{ role: 'user' }] });
});

test('the banner says where the password of the first admin is, until it is changed', () => {
  expect(startupBanner(address, [])).toMatch(/Admin +user admin, password in \.gateway\/admin-password\n/);
  expect(startupBanner({ ...address, adminPassword: null }, [])).not.toContain('Admin');
});

test('the banner has no console line if no console is served', () => {
  expect(startupBanner({ ...address, consoleUrl: null }, [])).not.toContain('Console');
});

test('the curl command uses a listed model, whatever characters its name has', () => {
  expect(words(line(['it\'s/a "model"']))).toContain(JSON.stringify('it\'s/a "model"'));
});

test('a token that was shown before is replaced by the path of its file', () => {
  const text = startupBanner({ ...address, token: null }, ['sim-1']);
  expect(text).not.toContain('sk-1');
  expect(text).toMatch(/Token +in \.gateway\/token\n/);
});

test('the curl command reads the token from its file, whatever characters the path has', () => {
  const folder = mkdtempSync(join(tmpdir(), "it's a $(folder) "));
  try {
    const tokenFile = join(folder, 'token');
    writeFileSync(tokenFile, 'sk-of-the-file\n');
    const text = startupBanner({ ...address, token: null, tokenFile }, []);
    const command = text.split('\n').find(words => words.startsWith('curl ')) as string;
    expect(words(command)).toContain('Authorization: Bearer sk-of-the-file\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the curl command contains the token if there is no token file', () => {
  const text = startupBanner({ ...address, tokenFile: null }, []);
  expect(text).toContain('Authorization: Bearer sk-1"');
  expect(text).not.toContain('$(cat');
});

test.each([
  ['/home/u/gateway', '.gateway/token'],
  ['/home/u', 'gateway/.gateway/token'],
  ['/home/u/elsewhere', '/home/u/gateway/.gateway/token'],
])('from %s the path of the token file is %s', (folder, path) => {
  expect(pathFrom(folder, '/home/u/gateway/.gateway/token')).toBe(path);
});
