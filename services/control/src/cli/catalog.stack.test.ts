import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { catalogText } from '../testing/catalog.ts';
import { adminToken, type TestControl } from '../testing/control.ts';
import { Stage } from '../testing/stage.ts';
import { gateway } from './gateway.ts';

let stage: Stage;
let control: TestControl;
let folder: string;
beforeAll(async () => {
  stage = await Stage.set();
  const env = await stage.withCatalog(catalogText('of-file'));
  folder = env.GATEWAY_DATA;
  control = await stage.control({ ...env, GATEWAY_API_REFERENCES: 'TEAM_KEY' });
});
afterAll(() => stage.clear());

async function run(...args: string[]): Promise<[string, number]> {
  const env = { GATEWAY_URL: control.url, GATEWAY_ADMIN_TOKEN: adminToken };
  const { printed, exitCode } = await gateway(args, env);
  return [String(printed), exitCode];
}
const printed = async (line: string) => (await run(...line.split(' ')))[0];
const shown = async (line: string) => JSON.parse(await printed(`${line} --json`));
const file = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

test('the command sets what it is told of providers and models, and leaves the rest', async () => {
  const key = file('key', 'sk-of-command\n');
  const url = 'http://127.0.0.1:1/v1';
  await printed(`provider set p --kind openai-compatible --base-url ${url} --api-key-file ${key}`);
  expect(await printed('provider set p --pool far')).toMatch(
    /\np +openai-compatible +\S+ +set +far +api +-$/,
  );
  expect(await shown('provider set p --api-key-env TEAM_KEY')).toMatchObject({
    apiKey: { env: 'TEAM_KEY' },
    pool: 'far',
  });
  await run('provider', 'set', 'p', '--api-key-env', '', '--pool', '');
  expect(await shown('provider show p')).toMatchObject({ apiKey: null, pool: 'default', baseUrl: url });
});

test('the command sets models by options or by a file', async () => {
  await printed('provider set q --kind openai');
  const made = 'model set m --target q/a/b --target house/c --price input=1,output=2 --context 8000';
  expect(await printed(made)).toMatch(/\nm +q\/a\/b, house\/c +input=1,output=2 +8000 +api +-$/);
  await printed('model set m --max-output 100 --fallbacks of-file');
  expect(await shown('model show m')).toMatchObject({
    targets: [{ provider: 'q', model: 'a/b' }, { provider: 'house' }],
    price: { input: 1, output: 2 },
    limits: { context: 8_000, maxOutput: 100 },
    fallbacks: { rateLimit: ['of-file'], outage: ['of-file'] },
  });
  await run('model', 'set', 'm', '--price', '', '--context', '');
  expect(await shown('model show m')).toMatchObject({ price: null, limits: { maxOutput: 100 } });
  const path = file('model.yaml', 'targets: [ { provider: q, model: z } ]\ntimeouts: { total: 1m }\n');
  expect(await shown(`model set m --file ${path}`)).toMatchObject({
    timeouts: { total: '1m' },
    limits: {},
    fallbacks: null,
  });
  expect(await printed('model list')).toMatch(
    /of-file +house\/qwen3 +- +- +gateway\.yaml line 6 +-\nm +q\/z/,
  );
  await expect(printed(`model set m --file ${path} --context 1`)).rejects.toMatchObject({ exitCode: 2 });
  await expect(printed('model set m --target q')).rejects.toThrow('--target must be such as');
  await expect(printed('provider delete q')).rejects.toThrow('the model "m" uses it as a target');
  expect(await printed('model delete m')).toBe('Model m is deleted.');
  expect(await printed('provider delete q')).toBe('Provider q is deleted.');
  await expect(printed('model show m')).rejects.toMatchObject({ exitCode: 4 });
});

test('the command applies a gateway.yaml, shows its differences, and prints one that applies again', async () => {
  const path = file(
    'more.yaml',
    'providers: [ { name: r, kind: openai, apiKey: { value: sk-in-file } } ]\nmodels: [ { name: n, targets: [ { provider: r, model: x } ] } ]\nusers: [ { name: ada, budget: { amount: 5, period: day } } ]\n',
  );
  const [differences, differs] = await run('diff', path);
  expect([differences, differs]).toEqual([
    `+ provider "r"
  + kind: "openai"
  + apiKey.value: (secret)
+ model "n"
  + targets: [{"model":"x","provider":"r"}]
+ user "ada"
  + budget.amount: 5
  + budget.period: "day"
3 created, 0 changed, 0 deleted, 0 unchanged. Nothing was written.`,
    1,
  ]);
  expect(await run('apply', path, '--dry-run')).toEqual([differences, 0]);
  await expect(printed('model show n')).rejects.toMatchObject({ exitCode: 4 });
  expect((await run('apply', path))[0]).toMatch(/This is in force\.$/);
  expect(await run('diff', path)).toEqual(['0 created, 0 changed, 0 deleted, 3 unchanged.', 0]);
  const [exported] = await run('export');
  expect(exported).not.toMatch(/sk-|secret-/);
  expect(parse(exported).providers).toContainEqual({ name: 'r', kind: 'openai', apiKey: { set: true } });
  const whole = file('export.yaml', exported);
  expect((await run('diff', whole, '--prune'))[1]).toBe(0);
  const others = file(
    'others.yaml',
    'providers: []\nmodels: [ { name: of-file, targets: [ { provider: house, model: other } ] } ]\n',
  );
  await expect(printed(`apply ${others}`)).rejects.toMatchObject({ exitCode: 1 });
  await expect(printed(`diff ${others}`)).rejects.toMatchObject({ exitCode: 2 });
  const smaller = file('smaller.yaml', 'providers: []\nmodels: []\n');
  expect((await run('diff', smaller))[1]).toBe(0);
  const [pruned] = await run('apply', smaller, '--prune');
  expect(pruned).toMatch(/^- provider "p"\n.*- provider "r"\n.*- model "n"\n.*~ user "ada"\n/s);
  expect(await shown('model list')).toMatchObject({ data: [{ name: 'of-file' }] });
});

test('a file that is not YAML is an error with its line, and repeats no text', async () => {
  const path = file('bad.yaml', 'providers:\n  - { name: sk-secret');
  await expect(printed(`apply ${path}`)).rejects.toMatchObject({ exitCode: 2 });
  await expect(printed(`apply ${path}`)).rejects.toThrow(/bad\.yaml: line 2, column \d+: is not YAML/);
  await expect(printed(`apply ${path}`)).rejects.not.toThrow('sk-secret');
  await expect(printed('apply /no/such/file')).rejects.toThrow('cannot be read: ENOENT');
});

test('the command lists prices and settings', async () => {
  expect(await printed('price list')).toMatch(/\nof-file +house\/qwen3 +- +- +- +-$/m);
  const settings = await printed('setting list');
  expect(settings).toMatch(/\nGATEWAY_ADMIN_TOKEN +\(secret\) +environment\n/);
  expect(settings).not.toContain('`');
});

test('the command applies a file of models and projects alone, unless it prunes', async () => {
  const path = file(
    'part.yaml',
    'models: [ { name: part, targets: [ { provider: house, model: x, price: { input: 3 } } ] } ]\nprojects: [ { name: part, weight: 2 } ]\n',
  );
  expect(await printed(`diff ${path}`)).toContain('+ model "part"');
  expect(await printed(`apply ${path}`)).toContain('2 created');
  expect((await run('diff', path))[1]).toBe(0);
  await expect(printed(`apply ${path} --prune`)).rejects.toThrow('providers: is required.');
  // The price of the target is that of the model.
  expect(await printed('model list')).toMatch(/\npart +house\/x +input=3 +/);
  await printed('model delete part');
});

test('the command says once which variables the API may not name, and the setting that allows them', async () => {
  const providers = ['A', 'B', 'C'].map(
    name => `{ name: ${name}, kind: openai, apiKey: { env: KEY_${name} } }`,
  );
  const path = file('keys.yaml', `providers: [ ${providers.join(', ')} ]\n`);
  await expect(printed(`apply ${path}`)).rejects.toThrow(
    'GATEWAY_API_REFERENCES does not allow what 3 fields name: providers[0].apiKey, providers[1].apiKey, providers[2].apiKey. To allow it, start control with GATEWAY_API_REFERENCES=TEAM_KEY,KEY_A,KEY_B,KEY_C',
  );
});

test('fields with the same error are named together', async () => {
  const path = file('kinds.yaml', 'providers: [ { name: x }, { name: y } ]\n');
  await expect(printed(`apply ${path}`)).rejects.toThrow('providers[0].kind, providers[1].kind: ');
});
