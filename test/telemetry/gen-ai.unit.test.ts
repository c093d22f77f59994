import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { noUsage } from '@model-gateway/canonical';
import { providerProfiles } from '@model-gateway/providers';
import { operationNames, usageAttributes } from '@model-gateway/service';
import * as conventions from '@opentelemetry/semantic-conventions/incubating';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const registry = Object.entries(conventions).filter(([, value]) => typeof value === 'string');

/** Returns the values of an attribute that OpenTelemetry's conventions for generative AI list. */
const valuesOf = (attribute: string) =>
  registry.filter(([key]) => key.startsWith(`${attribute}_VALUE_`)).map(([, value]) => value as string);
/** Names of attributes, which are the constants without a value of one. */
const attributes = registry
  .filter(([key]) => key.startsWith('ATTR_GEN_AI_'))
  .map(([, value]) => value as string);

/** Providers of the conventions for which there is no kind. */
const withoutKind = ['azure.ai.inference', 'gcp.gen_ai', 'ibm.watsonx.ai'];

test('kinds of providers have the names of the conventions where these list the provider', () => {
  const listed = valuesOf('GEN_AI_PROVIDER_NAME');
  const names = Object.entries(providerProfiles).map(([kind, { telemetryName = kind }]) => telemetryName);
  expect(listed.filter(value => !names.includes(value)).toSorted()).toEqual(withoutKind);
  const given = Object.values(providerProfiles).flatMap(({ telemetryName }) => telemetryName ?? []);
  expect(given.filter(name => !listed.includes(name))).toEqual([]);
});

test('operations of the conventions have their names', () => {
  const listed = valuesOf('GEN_AI_OPERATION_NAME');
  expect(listed).toContain(operationNames.generate);
  expect(listed).toContain(operationNames.embed);
});

test('each attribute gen_ai.* is one of the conventions', () => {
  const files = globSync(['shared/service/src/tracing/*.ts', 'shared/ingress/src/attempts/*.ts'], {
    cwd: root,
  });
  const text = [...files, 'services/worker/src/realtime/bridge-usage.ts']
    .map(file => readFileSync(resolve(root, file), 'utf8'))
    .join('\n');
  const named = [...text.matchAll(/'(gen_ai\.[a-z_.]+)':/g)].map(([, name = '']) => name);
  const all = { input: 1, output: 1, cachedInput: 1, cacheWrite5m: 1, cacheWrite1h: 1, reasoning: 1 };
  const used = new Set([...named, ...Object.keys(usageAttributes({ ...noUsage, ...all }))]);
  expect(used.size).toBeGreaterThan(10);
  expect([...used].filter(name => !attributes.includes(name))).toEqual([]);
});
