import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { ConfigError } from './config.ts';
import { readSettings, type SettingName, settingSchemas } from './settings.ts';

const names = Object.keys(settingSchemas) as SettingName[];

test('only the named settings are read, as values', () => {
  const env = { GATEWAY_DRAIN: '1m', GATEWAY_CAPACITY: '20', GATEWAY_BODY_LIMIT: 'not read' };
  expect(readSettings(['GATEWAY_DRAIN', 'GATEWAY_CAPACITY'], env)).toEqual({
    GATEWAY_DRAIN: 60_000,
    GATEWAY_CAPACITY: 20,
  });
});

test('a setting that is not set has its default, or is absent', () => {
  expect(readSettings(['GATEWAY_DRAIN', 'GATEWAY_CAPACITY', 'DATABASE_URL'], {})).toEqual({
    GATEWAY_DRAIN: 30_000,
    GATEWAY_CAPACITY: 2_000,
  });
});

test('every setting but CONTROL_URL has a default or may be absent', () => {
  const read = () => readSettings(names, {});
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(/^CONTROL_URL: [^;]*$/);
});

test.each<[SettingName, string]>([
  ['PORT', '80800'],
  ['LISTEN_FD', '2'],
  ['LOG_LEVEL', 'loud'],
  ['LOG_REQUESTS', 'sampled:2'],
  ['OTEL_TRACES_SAMPLER_ARG', '1.1'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%ff'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
  ['GATEWAY_DRAIN', 'soon'],
  ['GATEWAY_TRUSTED_PROXIES', 'edge'],
  ['GATEWAY_CAPACITY', '0'],
  ['GATEWAY_POOL', 'a b'],
  ['GATEWAY_QUEUE_MS', '10s'],
  ['GATEWAY_NATS_REPLICAS', '6'],
  ['GATEWAY_MASTER_KEY', 'ab'.repeat(31)],
  ['GATEWAY_POOL_KEY', 'ab'.repeat(31)],
  ['GATEWAY_FIRST_TOKEN', 'sk-short'],
  ['GATEWAY_REALTIME_MESSAGE', '32000001'],
  ['DATABASE_URL', 'mysql://host/database'],
  ['CONTROL_URL', 'control'],
])('%s=%s has the wrong form: the error names the setting', (name, value) => {
  const read = () => readSettings([name], { [name]: value });
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(new RegExp(`^${name}: `));
});

test('all invalid settings are named in one error', () => {
  const read = () => readSettings(['GATEWAY_DRAIN', 'PORT'], { GATEWAY_DRAIN: 'soon', PORT: 'any' });
  expect(read).toThrow(/^GATEWAY_DRAIN: .*; PORT: /);
});

test('a process with an invalid setting ends before it listens, and names the setting', async () => {
  const program = fileURLToPath(new URL('testing/hello.ts', import.meta.url));
  const child = fork(program, { silent: true, env: { PATH: process.env.PATH, GATEWAY_DRAIN: 'soon' } });
  const messages: unknown[] = [];
  child.on('message', message => messages.push(message));
  const output = text(child.stderr as Readable);
  expect(await once(child, 'exit')).toEqual([1, null]);
  expect(await output).toMatch(/^hello: GATEWAY_DRAIN: is not a duration/);
  expect(messages).toEqual([]);
});

test.each(names)('%s is documented', name => {
  expect(settingSchemas[name].description).toMatch(/^\S.*[^.]$/);
});
