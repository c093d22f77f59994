import { control } from '@model-gateway/control';
import { processSettings, type Service } from '@model-gateway/service';
import { simulator } from '@model-gateway/simulator';
import { worker } from '@model-gateway/worker';
import { expect, test } from 'vitest';
import { programEnvironment, toolEnvironment } from '../setup/environment.mjs';
import { passedOn, type ServiceName, serviceEnvironment } from './environment.ts';
import { front } from './front/service.ts';

/** The settings that the launcher sets itself, whatever the environment contains. */
const setByLauncher = [
  ...[
    'HOST',
    'PORT',
    'LISTEN_FD',
    'REUSE_PORT',
    'OPS_PORT',
    'NATS_URL',
    'CONTROL_URL',
    'GATEWAY_TLS_CERT',
    'GATEWAY_TLS_KEY',
  ],
  ...['GATEWAY_DATA', 'GATEWAY_CONFIG', 'GATEWAY_ADMIN_TOKEN'],
  ...['GATEWAY_FIRST_TOKEN', 'GATEWAY_FIRST_TOKEN_SHA256'],
];

const everyName = (names: string[]) => Object.fromEntries(names.map(name => [name, 'x']));

test.each<[ServiceName, Pick<Service, 'settings'>]>([
  ['front', front],
  ['control', control],
  ['simulator', simulator],
  ['worker', worker],
])('%s gets every setting that it reads, from a variable or a file', (service, { settings }) => {
  const read = [...processSettings, ...settings].filter(name => !setByLauncher.includes(name));
  const files = read.map(name => `${name}_FILE`);
  const got = serviceEnvironment(service, everyName([...read, ...files]));
  expect(Object.keys(got)).toEqual(expect.arrayContaining([...read, ...files]));
});

test('every setting that the services read from the environment is checked before they start', () => {
  const read = [front, control, worker].flatMap(({ settings }) => [...processSettings, ...settings]);
  const missing = read.filter(name => !setByLauncher.includes(name) && !passedOn.includes(name));
  expect(missing).toEqual([]);
});

const keys = [
  ...['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GEMINI_API_KEY', 'COHERE_API_KEY', 'GOOGLE_API_KEY'],
  ...[
    'GATEWAY_OPENAI_KEY',
    'MY_KEY',
    'GOOGLE_APPLICATION_CREDENTIALS',
    'NODE_AUTH_TOKEN',
    'AWS_SECRET_ACCESS_KEY',
  ],
];
const secrets = [
  ...['DATABASE_URL', 'DATABASE_URL_FILE', 'GATEWAY_MASTER_KEY', 'GATEWAY_MASTER_KEY_FILE'],
  ...['GATEWAY_POOL_KEYS', 'GATEWAY_POOL_KEY', 'GATEWAY_POOL_KEY_FILE'],
  ...[
    'GATEWAY_ADMIN_TOKEN',
    'GATEWAY_ADMIN_TOKEN_FILE',
    'GATEWAY_ADMIN_PASSWORD',
    'GATEWAY_OIDC_CLIENT_SECRET',
    'GATEWAY_FIRST_TOKEN',
    'NATS_URL',
    'PGPASSWORD',
  ],
];
const surroundings = ['PATH', 'HOME', 'LC_ALL', 'NODE_EXTRA_CA_CERTS'];
const env = everyName([...keys, ...secrets, ...surroundings]);
const namesOf = (got: NodeJS.ProcessEnv) => Object.keys(got).sort();

test('each service gets only its own secrets', () => {
  expect(namesOf(serviceEnvironment('front', env))).toEqual([...surroundings].sort());
  expect(namesOf(serviceEnvironment('simulator', env))).toEqual([...surroundings].sort());
  const controls = [
    'DATABASE_URL',
    'DATABASE_URL_FILE',
    'GATEWAY_MASTER_KEY',
    'GATEWAY_MASTER_KEY_FILE',
    'GATEWAY_POOL_KEYS',
    'GATEWAY_ADMIN_PASSWORD',
    'GATEWAY_OIDC_CLIENT_SECRET',
    'PGPASSWORD',
  ];
  expect(namesOf(serviceEnvironment('control', env))).toEqual([...surroundings, ...controls].sort());
  const workers = [...keys, 'GATEWAY_POOL_KEY', 'GATEWAY_POOL_KEY_FILE', 'NATS_URL', ...surroundings];
  expect(namesOf(serviceEnvironment('worker', env))).toEqual(workers.sort());
});

test('other programs get no secret; tools that fetch get their proxies, mirrors and caches', () => {
  const fetchSettings = ['HTTPS_PROXY', 'PIP_INDEX_URL', 'GOPROXY', 'GOMODCACHE', 'DOCKER_HOST'];
  const all = { ...env, ...everyName(fetchSettings) };
  expect(namesOf(programEnvironment(all))).toEqual([...surroundings].sort());
  expect(namesOf(toolEnvironment(all))).toEqual([...surroundings, ...fetchSettings].sort());
});
