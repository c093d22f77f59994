import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminToken, type TestControl } from '../testing/control.ts';
import { runGateway } from '../testing/run-gateway.ts';
import { Stage } from '../testing/stage.ts';
import { exitCodeFor, exitCodeOf, exitCodes } from './exit-codes.ts';

const wrongFile = fileURLToPath(new URL('../../package.json', import.meta.url));
let stage: Stage;
let control: TestControl;
beforeAll(async () => {
  stage = await Stage.set();
  control = await stage.control({ GATEWAY_DATA: await stage.folder() });
  await control.api('POST', '/tokens', { name: 'used' });
});
afterAll(() => stage.clear());

const run = (line: string, env: Record<string, string> = {}) =>
  runGateway(line.split(' '), { GATEWAY_URL: control.url, GATEWAY_ADMIN_TOKEN: adminToken, ...env });

describe('the command exits with', () => {
  test.each([
    [0, 'what was asked', 'token list', {}, /^$/],
    [1, 'a request that the gateway refuses', 'project delete default', {}, /./],
    [
      2,
      'a value that the gateway refuses',
      'token create --name x --expires-at 2000-01-01T00:00:00Z',
      {},
      /./,
    ],
    [2, 'a file that the gateway refuses', `diff ${wrongFile}`, {}, /./],
    [2, 'an unknown option', 'token list --nmae x', {}, /./],
    [2, 'an invalid setting', 'token list', { GATEWAY_URL: 'here' }, /GATEWAY_URL/],
    [
      3,
      'a wrong credential',
      'token list',
      { GATEWAY_ADMIN_TOKEN: 'wrong' },
      /Incorrect admin token provided\./,
    ],
    [
      3,
      'no credential',
      'token list',
      { GATEWAY_ADMIN_TOKEN: '', GATEWAY_DATA: '/nowhere' },
      /no admin token: \/nowhere/,
    ],
    [4, 'a thing that is not there', 'project show nothing', {}, /./],
    [
      5,
      'a gateway that is not there',
      'token list',
      { GATEWAY_URL: 'http://127.0.0.1:1' },
      /cannot reach a gateway at http:\/\/127\.0\.0\.1:1/,
    ],
  ] as const)('%i for %s', async (code, _what, line, env, message) => {
    const ended = await run(line, { GATEWAY_LOGIN_FILE: '/nowhere/logins.json', ...env });
    expect(ended).toMatchObject({ code, err: code === 0 ? '' : expect.stringMatching(/^gateway: /) });
    expect(ended.err).toMatch(message);
  });

  test('3 for a role that does not allow it', async () => {
    const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
    await run('project set lab');
    const made = await run(
      `account create --name ci --role viewer --projects lab --expires-at ${expiresAt} --json`,
    );
    const token = JSON.parse(made.out).token;
    expect(await run('user list', { GATEWAY_ADMIN_TOKEN: token })).toMatchObject({ code: 3, out: '' });
  });
});

test('docs/command.md has the exit codes', () => {
  const page = readFileSync(new URL('../../../../docs/command.md', import.meta.url), 'utf8');
  for (const [code, meaning] of Object.entries(exitCodes))
    expect(page).toMatch(new RegExp(`^\\| ${code} +\\| ${meaning} *\\|$`, 'm'));
});

test('a wrong password is not a wrong command line', () => {
  expect(exitCodeOf(400, 'incorrect_credentials')).toBe(3);
});

test('a gateway that cannot answer now is like one that cannot be reached', () => {
  expect([500, 502, 503, 504, 429].map(status => exitCodeOf(status))).toEqual([1, 5, 5, 5, 1]);
  expect(exitCodeFor(new Error('anything'))).toBe(1);
});
