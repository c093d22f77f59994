import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminToken, type TestControl } from '../testing/control.ts';
import { createNewApiDatabase } from '../testing/new-api-database.ts';
import { newApiSample } from '../testing/new-api-sample.ts';
import { runGateway } from '../testing/run-gateway.ts';
import { Stage } from '../testing/stage.ts';
import { gateway } from './gateway.ts';

let stage: Stage;
let control: TestControl;
let folder: string;
beforeAll(async () => {
  stage = await Stage.set();
  folder = await stage.folder();
  control = await stage.control({ GATEWAY_DATA: await stage.folder() });
});
afterAll(() => stage.clear());

const fixture = (name: string) =>
  fileURLToPath(new URL(`../import/fixtures/litellm/${name}`, import.meta.url));
const tables = ['keys.jsonl', 'teams.json', 'users.json', 'budgets.json'];
const rows = tables.flatMap(name => [`--${name.split('.')[0]}`, fixture(name)]);

const run = (...args: string[]) =>
  runGateway(['import', ...args], { GATEWAY_URL: control.url, GATEWAY_ADMIN_TOKEN: adminToken });

/** Sets what a catalog with the projects and users of an import would. */
async function applyGroups(gatewayYaml: { projects?: object[]; users?: object[] }): Promise<void> {
  for (const kind of ['projects', 'users'] as const)
    for (const { name, ...settings } of (gatewayYaml[kind] ?? []) as { name: string }[])
      expect((await control.api('PUT', `/${kind}/${encodeURIComponent(name)}`, settings)).status).toBe(200);
}

test('without options, gateway.yaml is printed and the report goes to standard error', async () => {
  const { code, out, err } = await run('litellm', fixture('config.yaml'));
  expect(code).toBe(0);
  expect(out).toMatch(/^# Made from LiteLLM by gateway import\.[\s\S]*\nproviders:\n/);
  expect(err).toMatch(/^Carried over: 22 providers, 32 models, 36 targets, 0 projects/);
  expect(err).toContain('The source holds the values of 4 variables of gateway.yaml');
});

test('files are for their owner alone, are not replaced by others, and --dry-run writes none', async () => {
  const [output, environment] = [join(folder, 'gateway.yaml'), join(folder, 'gateway.env')];
  const args = ['litellm', fixture('config.yaml'), '--output', output, '--secrets', environment];
  const dry = await run(...args, '--dry-run');
  expect(dry).toMatchObject({ code: 0, err: '' });
  expect(dry.out).toContain(`--dry-run: ${output} and ${environment} would be written.`);
  expect(existsSync(output) || existsSync(environment)).toBe(false);
  expect((await run(...args)).out).toContain(`Written: ${output} and ${environment}.`);
  expect(statSync(environment).mode & 0o777).toBe(0o600);
  expect(readFileSync(environment, 'utf8')).toContain("LITELLM_GEMINI_API_KEY='AIza-by-value'\n");
  expect((await run(...args)).code).toBe(0);
  writeFileSync(output, 'mine');
  expect(await run(...args)).toMatchObject({
    ...{ code: 2, out: '' },
    err: `gateway: ${output} exists, with another content; --force replaces it\n`,
  });
  expect(readFileSync(output, 'utf8')).toBe('mine');
  expect((await run(...args, '--force')).code).toBe(0);
  expect(readFileSync(output, 'utf8')).toContain('providers:');
});

test('--json lists every value that is not carried over', async () => {
  const report = JSON.parse((await run('litellm', fixture('config.yaml'), '--json')).out);
  expect(report.carriedOver).toMatchObject({ providers: 22, models: 32 });
  expect(report.notCarriedOver).toContainEqual({
    path: 'litellm_settings.cache',
    reason: 'The gateway does not store answers to give them again.',
  });
  expect(report.variables).toContain('OPENROUTER_API_KEY');
  expect(report.gatewayYaml).toContain('providers:');
});

test('tokens are created once, after their projects have their limits', async () => {
  const args = ['litellm', fixture('config.yaml'), ...rows, '--output', join(folder, 'with-keys.yaml')];
  const early = await run(...args, '--tokens');
  expect(early).toMatchObject({ code: 1, out: '' });
  expect(early.err).toContain(
    'the project Search does not have the limits of the import: apply its gateway.yaml first',
  );
  expect(await control.tokens()).toEqual([]);
  await applyGroups({
    projects: [
      {
        ...{ name: 'Search', limits: { requestsPerMinute: 1_000 }, allowUnpriced: true },
        budget: { amount: 100, period: 'week' },
      },
    ],
    users: [{ name: 'ada@example.com', budget: { amount: 50, period: 'day' } }],
  });
  expect((await run(...args, '--tokens', '--dry-run')).out).toContain(
    '--dry-run: 4 tokens would be created.',
  );
  expect(await control.tokens()).toEqual([]);
  expect((await run(...args, '--tokens')).out).toContain('Tokens: 4 created, 0 exist already.');
  const tokens = await control.tokens();
  expect(tokens.map(({ name, disabled }) => [name, disabled]).toSorted()).toEqual([
    ['blocked', true],
    ['by budget', false],
    ['search', false],
    ['spent', true],
  ]);
  const again = await run(...args, '--tokens');
  expect(again).toMatchObject({ code: 0 });
  expect(again.out).toContain('Nothing is new: of 4 tokens, all exist.');
  expect(await control.tokens()).toEqual(tokens);
});

test('the tokens of new-api are created, and one that was revoked stays so', async () => {
  const path = join(folder, 'one-api.db');
  createNewApiDatabase(path, newApiSample());
  const { gatewayYaml } = JSON.parse((await run('new-api', path, '--json')).out);
  const { parse } = await import('yaml');
  await applyGroups(parse(gatewayYaml));
  expect((await run('new-api', path, '--tokens')).err).toContain('Tokens: 4 created, 0 exist already.');
  const laptop = (await control.tokens()).find(({ name }) => name === 'laptop');
  await control.api('DELETE', `/tokens/${laptop?.id}`);
  expect((await run('new-api', path, '--tokens')).err).toContain('Nothing is new: of 4 tokens, all exist.');
  expect((await control.tokens()).some(({ name }) => name === 'laptop')).toBe(false);
});

test.each([
  [['litellm', '/none.yaml'], '/none.yaml cannot be read'],
  [['new-api', '/none.db'], '/none.db cannot be read as a SQLite database'],
  [['litellm', fixture('config.yaml'), '--keys', '/none'], '/none cannot be read'],
  [['litellm', fixture('teams.json')], 'is no config.yaml of LiteLLM'],
])('%j fails with the reason', async (args, message) => {
  await expect(gateway(['import', ...args], {})).rejects.toThrow(message);
});

test('a config of invalid YAML is refused without its text', async () => {
  mkdirSync(join(folder, 'bad'));
  const path = join(folder, 'bad', 'config.yaml');
  writeFileSync(path, 'model_list: [\n  sk-secret: {');
  const { message } = await gateway(['import', 'litellm', path], {}).then(
    () => ({}),
    error => error,
  );
  expect(message).toContain(`${path} is not valid YAML`);
  expect(message).not.toContain('sk-secret');
});
