import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pathFrom, startupBanner } from './startup-banner.ts';

const door = {
  baseUrl: 'http://127.0.0.1:1',
  consoleUrl: 'http://127.0.0.1:1/console',
  token: 'sk-1',
  tokenFile: '.gateway/token',
};

const line = (models: string[]) =>
  startupBanner(door, models)
    .split('\n')
    .find(text => text.startsWith('curl ')) as string;

/** What a shell would hand to the program. */
const words = (command: string) =>
  execFileSync('sh', ['-c', `printf '%s\\n' ${command}`], { encoding: 'utf8' });

test('names base URL and token, and a curl line that a shell reads right', () => {
  const text = startupBanner(door, ['sim-fast', 'sim-1']);
  expect(text).toMatch(/Base URL +http:\/\/127\.0\.0\.1:1\n/);
  expect(text).toMatch(/Console +http:\/\/127\.0\.0\.1:1\/console\n/);
  expect(text).toMatch(/Token +sk-1\n +\(kept in \.gateway\/token; not shown again\)\n/);
  const body = words(line(['sim-fast', 'sim-1']))
    .trim()
    .split('\n')
    .at(-1) as string;
  expect(JSON.parse(body)).toMatchObject({ model: 'sim-1', stream: true, messages: [{ role: 'user' }] });
});

test('names no console where there is none', () => {
  expect(startupBanner({ ...door, consoleUrl: null }, [])).not.toContain('Console');
});

test("takes a model that is there, whatever it's called", () => {
  expect(words(line(['it\'s/a "model"']))).toContain(JSON.stringify('it\'s/a "model"'));
});

test('shows the token no more once it was shown: it says where it is kept', () => {
  const text = startupBanner({ ...door, token: null }, ['sim-1']);
  expect(text).not.toContain('sk-1');
  expect(text).toMatch(/Token +in \.gateway\/token\n/);
});

test('the curl line reads the token from its file, wherever that is', () => {
  const folder = mkdtempSync(join(tmpdir(), "it's a $(folder) "));
  try {
    const tokenFile = join(folder, 'token');
    writeFileSync(tokenFile, 'sk-of-the-file\n');
    const text = startupBanner({ ...door, token: null, tokenFile }, []);
    const command = text.split('\n').find(words => words.startsWith('curl ')) as string;
    expect(words(command)).toContain('Authorization: Bearer sk-of-the-file\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('whoever has no such file gets the token in the curl line', () => {
  const text = startupBanner({ ...door, tokenFile: null }, []);
  expect(text).toContain('Authorization: Bearer sk-1"');
  expect(text).not.toContain('$(cat');
});

test.each([
  ['/home/u/gateway', '.gateway/token'],
  ['/home/u', 'gateway/.gateway/token'],
  ['/home/u/elsewhere', '/home/u/gateway/.gateway/token'],
])('in %s the token is found as %s', (folder, path) => {
  expect(pathFrom(folder, '/home/u/gateway/.gateway/token')).toBe(path);
});
