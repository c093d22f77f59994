import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Catalog } from '@model-gateway/catalog';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { catalogText } from '../testing/catalog.ts';
import { until } from '../testing/control.ts';
import { Stage } from '../testing/stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.set();
});
afterEach(() => stage.clear());

const names = (catalog: Catalog) =>
  catalog
    .models()
    .map(model => model.name)
    .join();

test('a change of the catalog file is applied, however an editor writes it', async () => {
  const env = await stage.withCatalog(catalogText('fast'));
  await stage.control(env);
  const catalog = await stage.catalog();
  expect(names(catalog)).toBe('fast');
  const replace = (text: string) => {
    writeFileSync(`${env.GATEWAY_CONFIG}.new`, text);
    renameSync(`${env.GATEWAY_CONFIG}.new`, env.GATEWAY_CONFIG);
  };
  for (const [name, write] of [
    ['rewritten', (text: string) => writeFileSync(env.GATEWAY_CONFIG, text)],
    ['replaced', replace],
    ['replaced-again', replace],
  ] as const) {
    write(catalogText(name));
    await until(() => names(catalog) === name);
  }
});

test('the old catalog stays in force while the new file is invalid, and the reason is reported', async () => {
  const env = await stage.withCatalog(catalogText('fast'));
  const path = env.GATEWAY_CONFIG;
  const control = await stage.control(env);
  const catalog = await stage.catalog();
  const untilReported = (text: string) => until(() => control.problems().join().startsWith(text));

  writeFileSync(path, catalogText('slow', '  - { name: x, targets: [ { provider: hosue, model: y } ] }'));
  await untilReported(`${path}: models[1].targets[0].provider: "hosue" is not the name of a provider`);
  writeFileSync(path, 'providers: [ "secret-by-value');
  await untilReported(`${path}: line 1, column`);
  expect(control.problems().join()).not.toContain('secret');
  writeFileSync(path, '');
  await untilReported(`${path}: must be a mapping of fields`);
  rmSync(path);
  await untilReported(`${path}: cannot be read: there is no such file`);
  expect(names(catalog)).toBe('fast');

  writeFileSync(path, catalogText('fast'));
  await until(() => control.problems().length === 0);
  writeFileSync(path, catalogText('slow'));
  await until(() => names(catalog) === 'slow');
});

test('a catalog file that Kubernetes replaces by a symbolic link is reloaded', async () => {
  const GATEWAY_DATA = await stage.folder();
  const mounted = join(GATEWAY_DATA, 'config');
  const swap = (version: string, text: string) => {
    mkdirSync(join(mounted, version), { recursive: true });
    writeFileSync(join(mounted, version, 'gateway.yaml'), text);
    symlinkSync(version, join(mounted, '..data_tmp'));
    renameSync(join(mounted, '..data_tmp'), join(mounted, '..data'));
  };
  swap('..1', catalogText('fast'));
  const GATEWAY_CONFIG = join(mounted, 'gateway.yaml');
  symlinkSync('..data/gateway.yaml', GATEWAY_CONFIG);
  await stage.control({ GATEWAY_DATA, GATEWAY_CONFIG });
  const catalog = await stage.catalog();
  swap('..2', catalogText('faster'));
  await until(() => names(catalog) === 'faster');
});

test('only changed entries of the catalog are written, and an unchanged secret is not sealed again', async () => {
  const env = await stage.withCatalog(catalogText('fast'));
  const first = await stage.control(env);
  const catalog = await stage.catalog();
  const before = await stage.read('catalog');
  const more = '  - { name: more, targets: [ { provider: openai, model: gpt } ] }';
  writeFileSync(env.GATEWAY_CONFIG, catalogText('fast', more));
  await until(() => names(catalog) === 'fast,more');
  const after = await stage.read('catalog');
  expect(after.size).toBe(before.size + 1);
  expect(Object.fromEntries(after)).toEqual(expect.objectContaining(Object.fromEntries(before)));
  await first.stop();
  await stage.control(env);
  expect(await stage.read('catalog')).toEqual(after);
});

test('a changed secret is sealed again, and other providers are unchanged', async () => {
  const env = await stage.withCatalog(catalogText('fast'));
  await stage.control(env);
  const catalog = await stage.catalog();
  const [house, openai] = [catalog.provider('house'), catalog.provider('openai')];
  writeFileSync(env.GATEWAY_CONFIG, catalogText('fast').replace('secret-by-value', 'another-value'));
  await until(() => catalog.provider('house')?.version !== house?.version);
  expect(catalog.provider('house')?.apiKey).not.toEqual(house?.apiKey);
  expect(catalog.provider('openai')).toEqual(openai);
});

test('headers that the gateway sets itself are refused in a file and by the API', async () => {
  const settings = { kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:1/v1', headers: { host: 'a' } };
  const file = await stage.withCatalog(
    JSON.stringify({ providers: [{ name: 'house', ...settings }], models: [] }),
  );
  await expect(stage.control(file)).rejects.toThrow(
    'providers[0].headers.host: is a header that the gateway sets itself',
  );
  const control = await stage.control({ GATEWAY_DATA: await stage.folder() });
  const answer = await control.api('PUT', '/providers/other', settings);
  expect([answer.status, (answer.body as { detail: string }).detail]).toEqual([
    400,
    'headers.host: is a header that the gateway sets itself.',
  ]);
});

test('an invalid catalog file is refused at the start with the file, the paths and the reasons', async () => {
  const env = await stage.withCatalog('providers: []\nmodels:\n  - { name: a, targets: [], wieght: 1 }\n');
  await expect(stage.control(env)).rejects.toMatchObject({
    name: 'ConfigError',
    message: [
      `${env.GATEWAY_CONFIG}: models[0].targets: must hold at least one target`,
      `${env.GATEWAY_CONFIG}: models[0].wieght: is not a known field`,
    ].join('\n'),
  });
  const GATEWAY_CONFIG = join(env.GATEWAY_DATA, 'nowhere.yaml');
  await expect(stage.control({ ...env, GATEWAY_CONFIG })).rejects.toThrow(
    `${GATEWAY_CONFIG}: cannot be read`,
  );
});
