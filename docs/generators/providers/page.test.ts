import { readFileSync } from 'node:fs';
import { providerProfiles } from '@model-gateway/providers';
import { expect, test } from 'vitest';
import { readComposeFile } from '../../../test/compose/compose-file.ts';
import { consoleKinds, consolePath, page, path } from './page.ts';

test("docs/providers.md and the console's list have the kinds of the code: npm run docs writes them", () => {
  expect(readFileSync(path, 'utf8') === page()).toBe(true);
  expect(readFileSync(consolePath, 'utf8') === consoleKinds()).toBe(true);
});

test('docker-compose.yml passes on the variables of clouds to the workers, and no value for those that are not set', () => {
  const { services, 'x-cloud-keys': clouds } = readComposeFile();
  expect(services.worker?.environment).toMatchObject(clouds);
  const { GOOGLE_APPLICATION_CREDENTIALS: file, ...passed } = clouds;
  expect(new Set(Object.values(passed))).toEqual(new Set([null]));
  expect(file).toMatch(/:\+\/gateway\/google\.json\}$/);
});

test('docker-compose.yml passes on the variables of every kind', () => {
  const variables = Object.values(providerProfiles).flatMap(({ keyVariable, options = {} }) => [
    ...(keyVariable ? [keyVariable] : []),
    ...Object.values(options).flatMap(({ variable }) => variable ?? []),
  ]);
  expect(Object.keys(readComposeFile()['x-provider-keys']).sort()).toEqual([...new Set(variables)].sort());
});
