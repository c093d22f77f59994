import { createHash } from 'node:crypto';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type KeptPrices, openKeptPrices, parseCatalog } from '@model-gateway/catalog';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { newDataFolder } from '../../testing/data-folder.ts';
import { createNewApiDatabase, type NewApiRows, optionsOf } from '../../testing/new-api-database.ts';
import { laptopKey, newApiSample } from '../../testing/new-api-sample.ts';
import { catalogText } from '../catalog-text.ts';
import { reportText } from '../report.ts';
import type { Imported } from '../result.ts';
import { addressOf } from './channel-types.ts';
import { readNewApi } from './database.ts';
import { importNewApi } from './new-api.ts';

let path: string;
let kept: KeptPrices;
let imported: Imported;
let databases = 0;
beforeAll(async () => {
  path = join(await newDataFolder(), 'one-api.db');
  kept = await openKeptPrices();
  imported = converted(newApiSample());
});
afterAll(() => rmSync(dirname(path), { recursive: true, force: true }));

function converted(rows: NewApiRows): Imported {
  const at = `${path}.${++databases}`;
  createNewApiDatabase(at, rows);
  return importNewApi(readNewApi(at), kept, new Date('2026-01-01T00:00:00Z'));
}

const model = (name: string) => imported.catalog.models.find(each => each.name === name);
const provider = (name: string) => imported.catalog.providers.find(each => each.name === name);
const token = (name: string) => imported.tokens.find(({ wanted }) => wanted.name === name)?.wanted;
const remark = (place: string) => imported.remarks.find(each => each.path === place);

test('a database becomes a gateway.yaml that the gateway accepts', () => {
  const written = parse(catalogText(imported, 'test'));
  expect(parseCatalog(written).problems).toBeUndefined();
  expect(written).toEqual(imported.catalog);
  expect(imported.catalog.models.map(({ name }) => name)).toEqual([
    ...['sim-1', 'fast', 'gpt-4o', 'dall-e-3', 'text-embedding-3-small', 'claude-sonnet-5', 'deepseek-chat'],
  ]);
});

test('channels become providers, one for each key that is enabled', () => {
  expect(provider('house')).toEqual({
    ...{ name: 'house', kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1' },
    ...{ apiKey: { env: 'NEW_API_HOUSE_API_KEY' }, headers: { 'X-Team': 'search' } },
  });
  expect(provider('openai')).toMatchObject({ kind: 'openai', headers: { 'OpenAI-Organization': 'org-1' } });
  expect([...imported.secrets.values()].filter(value => value.startsWith('claude'))).toEqual([
    'claude-1',
    'claude-3',
  ]);
  expect(provider('azure')).toMatchObject({
    ...{ kind: 'azure-openai', baseUrl: 'https://my.openai.azure.com' },
    options: { apiVersion: '2024-02-01' },
  });
});

test('the channels of the highest priority share the requests by weight, and the others are for failover', () => {
  expect(model('gpt-4o')?.targets).toEqual([
    { provider: 'house', model: 'gpt-4o', weight: 3 },
    { provider: 'openai', model: 'gpt-4o', weight: 1 },
    { provider: 'second', model: 'gpt-4o', weight: 0 },
    { provider: 'azure', model: 'gpt-4o', weight: 0 },
  ]);
  expect(model('claude-sonnet-5')?.targets.map(({ weight }) => weight)).toEqual([0.5, 0.5]);
  expect(model('fast')?.targets).toEqual([{ provider: 'house', model: 'sim-2' }]);
});

test('ratios become prices, and the ratio of a group those of its project', () => {
  expect(model('sim-1')?.price).toEqual({ input: 1, output: 4, cachedInput: 0.5 });
  expect(model('text-embedding-3-small')?.price).toEqual({ input: 0.02 });
  expect(model('dall-e-3')?.price).toEqual({ image: 0.04 });
  expect(model('gpt-4o')?.price).toBeUndefined();
  expect(model('deepseek-chat')?.price).toBeUndefined();
  const [vip] = imported.catalog.projects ?? [];
  expect(vip).toMatchObject({ name: 'vip', prices: { 'sim-1': { input: 2, output: 8, cachedInput: 1 } } });
  expect(remark('options.ModelRatio.gpt-4o')?.reason).toMatch(/list price/);
  expect(remark('channels[1].models')?.reason).toMatch(/No price is known of fast, gpt-4o/);
});

test('tokens have the SHA-256 of the key that clients send, and what is left of their quota', () => {
  expect(token('laptop')).toEqual({
    sha256: createHash('sha256').update(laptopKey).digest('hex'),
    ...{ name: 'laptop', project: 'vip', owner: 'ada' },
    models: ['sim-1', 'fast', 'gpt-4o', 'claude-sonnet-5', 'deepseek-chat'],
  });
  expect(token('limited')).toMatchObject({
    ...{ expiresAt: '2100-01-01T00:00:00.000Z', models: ['gpt-4o'], allowedAddresses: ['10.0.0.0/8'] },
    budget: { amount: 1.5, period: 'total' },
  });
  expect(token('limited')).not.toHaveProperty('disabled');
  expect(token('used up')).toMatchObject({ disabled: true });
  expect(token('of bob')).toMatchObject({ disabled: true });
  expect(remark('tokens[4]')?.reason).toBe('It has expired.');
  expect(remark('tokens[6]')?.reason).toBe('It is deleted.');
  expect(imported.catalog.users).toContainEqual({ name: 'ada', budget: { amount: 5, period: 'total' } });
});

test('a token whose lines of addresses are all invalid may be used from none', () => {
  const { tokens } = converted({
    users: [{ id: 1, username: 'u', password: 'p', quota: 9 }],
    tokens: [{ user_id: 1, key: 'k', unlimited_quota: 1, allow_ips: 'example.com' }],
  });
  expect(tokens[0]?.wanted.allowedAddresses).toEqual([]);
});

test('a channel whose keys are all disabled is no provider without a key', () => {
  const channel_info = '{"is_multi_key":true,"multi_key_status_list":{"0":2,"1":3}}';
  const { catalog, remarks } = converted({
    channels: [{ id: 1, name: 'c', type: 1, key: 'k1\nk2', models: 'm', channel_info }],
  });
  expect(catalog.providers).toEqual([]);
  expect(remarks).toContainEqual({
    path: 'channels[1]',
    outcome: 'lost',
    reason: 'c: all its keys are disabled.',
  });
});

test('another quota for a dollar changes prices and budgets alike', () => {
  const { catalog, tokens } = converted({
    channels: [{ id: 1, name: 'c', type: 1, key: 'k', models: 'm' }],
    users: [{ id: 1, username: 'u', password: 'p', quota: 1_000 }],
    tokens: [{ user_id: 1, key: 'k', remain_quota: 500 }],
    options: optionsOf({ QuotaPerUnit: '1000', ModelRatio: { m: 1 }, CompletionRatio: { m: 2 } }),
  });
  expect(catalog.models[0]?.price).toEqual({ input: 1_000, output: 2_000 });
  expect(tokens[0]?.wanted.budget).toEqual({ amount: 0.5, period: 'total' });
});

test.each([
  ['channels[5].key', /an access key, its secret and a region/],
  ['channels[6]', /disabled/],
  ['channels[1].header_override.X-Api-Key', /secret/],
  ['channels[2].setting.proxy', /proxy/],
  ['channels[3].channel_info.multi_key_status_list[1]', /disabled/],
  ['options.ModelPrice.deepseek-chat', /price for a request/],
  ['options.ModelRatio.deepseek-chat', /ModelPrice/],
  ['options.SMTPToken', /setting of new-api/],
  ['logs', /^1 row: /],
])('%s is reported as not carried over', (place, reason) => {
  expect(remark(place)).toMatchObject({ outcome: 'lost', reason: expect.stringMatching(reason) });
});

test('no secret is in gateway.yaml or in the report', () => {
  const shown = catalogText(imported, 'test') + reportText(imported) + JSON.stringify(imported.remarks);
  for (const secret of [
    'secret-of-house',
    'claude-1',
    'secret-header',
    'secret-of-smtp',
    'bcrypt',
    'token-of-bob',
  ])
    expect(shown).not.toContain(secret);
  expect(shown).not.toContain(laptopKey.slice(3));
});

test.each([
  [1, '', { kind: 'openai' }],
  [1, 'https://proxy.example/', { kind: 'openai-compatible', baseUrl: 'https://proxy.example/v1' }],
  [
    8,
    'https://x.example/api/chat/completions',
    { kind: 'openai-compatible', baseUrl: 'https://x.example/api' },
  ],
  [8, 'https://x.example/{model}', { lost: 'Its base_url is not one that ends with /chat/completions.' }],
  [14, '', { kind: 'anthropic' }],
  [17, '', { baseUrl: 'https://dashscope.aliyuncs.com/compatible-mode/v1' }],
  [45, 'doubao-coding-plan', { baseUrl: 'https://ark.cn-beijing.volces.com/api/coding/v3' }],
  [41, '', { kind: 'vertex' }],
  [39, '', { kind: 'cloudflare', baseUrl: 'https://api.cloudflare.com/client/v4' }],
  [49, '', { lost: 'The gateway has no provider for Coze.' }],
  [100, '', { lost: 'The gateway has no provider for channels of type 100.' }],
  [1, 'nonsense', { lost: 'Its base_url is no http URL.' }],
])('a channel of type %i at %j has the address %j', (type, stated, address) => {
  expect(addressOf(type, stated)).toMatchObject(address);
});

test.each([
  [
    33,
    { key: 'AKIAIOSFODNN7EXAMPLE|secret|us-east-1' },
    { kind: 'bedrock', options: { region: 'us-east-1', accessKeyId: 'AKIAIOSFODNN7EXAMPLE' } },
  ],
  [33, { key: 'bedrock-api-key|eu-west-1' }, { kind: 'bedrock', options: { region: 'eu-west-1' } }],
  [
    41,
    { key: '{\n"type": "service_account"\n}', other: '{"default": "us-east5", "m": "global"}' },
    { kind: 'vertex', options: { location: 'us-east5' } },
  ],
  [39, { key: 'k', other: 'abc123' }, { kind: 'cloudflare', options: { account: 'abc123' } }],
])('a channel of type %i with %j becomes the provider %j', (type, settings, expected) => {
  const { catalog, remarks } = converted({
    channels: [{ id: 1, name: 'c', type, models: 'm', ...settings }],
  });
  expect(catalog.providers).toMatchObject([{ ...expected, apiKey: { env: 'NEW_API_C_API_KEY' } }]);
  expect(remarks.filter(({ path }) => /\.(type|key|other)$/.test(path))).toEqual([]);
});

test('the database is only read, even while another program writes it', () => {
  const at = `${path}.wal`;
  createNewApiDatabase(at, newApiSample());
  const writer = new DatabaseSync(at);
  writer.exec('PRAGMA journal_mode = WAL; UPDATE users SET quota = 500000 WHERE id = 2');
  const before = statSync(at).mtimeMs;
  expect(readNewApi(at).users['2']?.quota).toBe(500_000);
  expect(statSync(at).mtimeMs).toBe(before);
  writer.close();
});

test('a file that is no database of new-api is refused with its name', () => {
  expect(() => readNewApi(`${path}.none`)).toThrow(`${path}.none cannot be read as a SQLite database`);
  writeFileSync(`${path}.text`, 'nonsense'.repeat(100));
  expect(() => readNewApi(`${path}.text`)).toThrow('cannot be read as a SQLite database');
  const other = new DatabaseSync(`${path}.other`);
  other.exec('CREATE TABLE channels (id integer)');
  other.close();
  expect(() => readNewApi(`${path}.other`)).toThrow('it has no tables tokens, users, options');
});

/** Creates the database of the sample, changes it, and returns its path. */
function changed(statements: string): string {
  const at = `${path}.${++databases}`;
  createNewApiDatabase(at, newApiSample());
  const database = new DatabaseSync(at);
  database.exec(statements);
  database.close();
  return at;
}

const numbers = (most: number) =>
  `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${most}) SELECT`;

test.each([
  ['a view', 'CREATE VIEW users AS SELECT * FROM other_users'],
  [
    'a view without end',
    `CREATE VIEW users AS ${numbers(1e15)} i AS id, hex(zeroblob(1000000)) AS username FROM n`,
  ],
  ['a virtual table', 'CREATE VIRTUAL TABLE users USING fts5(id, username)'],
])('%s in place of a table is not read', (_what, statement) => {
  const at = changed(`ALTER TABLE users RENAME TO other_users; ${statement}`);
  expect(() => readNewApi(at)).toThrow(`${at} is no database of new-api: it has no table users`);
});

test.each([
  ['a view', `CREATE VIEW more AS ${numbers(1e15)} i FROM n`],
  ['views that name each other', 'CREATE VIEW a AS SELECT * FROM b; CREATE VIEW b AS SELECT * FROM a'],
  ['a trigger', 'CREATE TRIGGER t AFTER UPDATE ON users BEGIN DELETE FROM users; END'],
  ['an index on an expression', 'CREATE INDEX i ON users (hex(username))'],
  ['a computed column', 'ALTER TABLE users ADD COLUMN made AS (hex(zeroblob(100000000)))'],
  ['a table of another kind', 'CREATE VIRTUAL TABLE words USING fts5(word)'],
])('%s beside the tables changes nothing', (_what, statement) => {
  const { users, others } = readNewApi(changed(statement));
  expect(Object.keys(users)).toEqual(Object.keys(readNewApi(changed('SELECT 1')).users));
  expect(Object.values(users).every(user => !('made' in user))).toBe(true);
  expect(others).not.toHaveProperty('more');
});

test.each([
  [
    'rows',
    `INSERT INTO options (key, value) ${numbers(200_001)} i, 'x' FROM n`,
    '200000 rows in its table options',
  ],
  [
    'a value',
    'UPDATE tokens SET name = hex(zeroblob(600000)) WHERE id = (SELECT min(id) FROM tokens)',
    'a value of more than 1000000 bytes in its table tokens',
  ],
  [
    'bytes',
    `INSERT INTO options (key, value) ${numbers(300)} i, zeroblob(900000) FROM n`,
    '256000000 bytes in its table options',
  ],
])('more %s than are read are refused with the bound', (_what, statement, message) => {
  const at = changed(statement);
  expect(() => readNewApi(at)).toThrow(`${at} has`);
  expect(() => readNewApi(at)).toThrow(message);
});

test('many rows of a table that is not carried over are counted up to a bound', () => {
  const at = changed(`CREATE TABLE many AS ${numbers(300_000)} i FROM n`);
  expect(readNewApi(at).others.many).toBe(200_001);
});

test('values of another type than the column are read as they are, and the import says what it leaves', () => {
  const at = changed(
    `
    UPDATE users SET username = x'ff00', quota = 'many' WHERE id = (SELECT min(id) FROM users);
    UPDATE tokens SET name = NULL, remain_quota = 9223372036854775807, models = x'00';
    UPDATE channels SET type = 'x', models = 1.5, key = x'80', model_mapping = '${'['.repeat(50_000)}';
    INSERT INTO options (key, value) VALUES ('__proto__', '{"a":1}'), (x'00', NULL);
  `.replace('models = x', 'model_limits = x'),
  );
  const source = readNewApi(at);
  expect(Object.values(source.tokens)[0]).toMatchObject({ remain_quota: '9223372036854775807' });
  expect(() => importNewApi(source, kept, new Date('2026-01-01T00:00:00Z'))).not.toThrow();
});

test('a file that was cut or whose pages were changed is refused with its name', () => {
  const whole = readFileSync(changed('SELECT 1'));
  const write = (bytes: Uint8Array) => {
    const at = `${path}.${++databases}`;
    writeFileSync(at, bytes);
    return at;
  };
  const cut = write(whole.subarray(0, whole.length / 2));
  expect(() => readNewApi(cut)).toThrow(cut);
  // Every page but the first is the page before it.
  const size = whole.readUInt16BE(16);
  const pages = Buffer.from(whole);
  for (let at = size; at + size <= whole.length; at += size) whole.copy(pages, at, at - size, at);
  const shifted = write(pages);
  expect(() => readNewApi(shifted)).toThrow(shifted);
});
