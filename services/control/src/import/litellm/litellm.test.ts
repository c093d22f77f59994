import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseCatalog } from '@model-gateway/catalog';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { catalogText, environmentText } from '../catalog-text.ts';
import { reportText } from '../report.ts';
import type { Imported } from '../result.ts';
import { rowsOf } from '../table-file.ts';
import { importLitellm, type LitellmSource } from './litellm.ts';
import { readConfig } from './read-config.ts';

const file = (name: string) => fileURLToPath(new URL(`../fixtures/litellm/${name}`, import.meta.url));
const rows = (name: string) => rowsOf(readFileSync(file(name), 'utf8'), name);

function source(more: Partial<LitellmSource> = {}): LitellmSource {
  return {
    ...{ config: readConfig(file('config.yaml')), variables: {}, now: new Date('2026-01-01T00:00:00Z') },
    ...{
      keys: rows('keys.jsonl'),
      teams: rows('teams.json'),
      users: rows('users.json'),
      budgets: rows('budgets.json'),
    },
    ...more,
  };
}

const none = { keys: [], teams: [], users: [], budgets: [] };
const imported = importLitellm(source());
const model = (name: string, { catalog }: Imported = imported) =>
  catalog.models.find(each => each.name === name);
const provider = (name: string) => imported.catalog.providers.find(each => each.name === name);
const remark = (path: string, { remarks }: Imported = imported) => remarks.find(each => each.path === path);

/** Imports a config with these deployments. */
function configured(model_list: object[], more: object = {}): Imported {
  return importLitellm(source({ ...none, config: { model_list, ...more } }));
}

test('a config in all documented shapes becomes a gateway.yaml that the gateway accepts', () => {
  expect(source().config).toMatchObject({ model_list: { length: 37 } });
  expect(imported.catalog.models.map(({ name }) => name)).toEqual(
    [
      'gpt-5-mini bare-name sonnet opus flash groq-llama house two-keys by-rpm ordered azure-chat bedrock-claude vertex openai/* claude-*',
      'orgs with-headers local-llama embed-small tei-embed rerank command draw listen speak talk reason instruct moderate',
      'router gpt-4 hidden-alias',
    ].flatMap(names => names.split(' ')),
  );
  const written = parse(catalogText(imported, 'test'));
  expect(parseCatalog(written).problems).toBeUndefined();
  expect(written).toEqual(imported.catalog);
});

test('several deployments of a name are targets, by weight, by rpm or in order', () => {
  expect(model('two-keys')?.targets.map(({ weight }) => weight)).toEqual([3, 1]);
  expect(model('by-rpm')?.targets.map(({ weight }) => weight)).toEqual([60, 600]);
  expect(model('ordered')?.targets).toMatchObject([
    { provider: 'openai', weight: 1 },
    { provider: 'deepseek', weight: 0 },
  ]);
  expect(model('orgs')?.targets).toMatchObject([
    { provider: 'openai-org-1', weight: 0.5 },
    { provider: 'openai-org-2', weight: 0.5 },
  ]);
  expect(model('gpt-5-mini')?.targets).toEqual([{ provider: 'openai', model: 'gpt-5-mini' }]);
});

test('providers have the address, formats and key that LiteLLM uses', () => {
  expect(provider('openai')).toEqual({ name: 'openai', kind: 'openai', apiKey: { env: 'OPENAI_API_KEY' } });
  expect(provider('groq')).toMatchObject({
    kind: 'groq',
  });
  expect(provider('azure')).toEqual({
    ...{ name: 'azure', kind: 'azure-openai', baseUrl: 'https://my-resource.openai.azure.com' },
    ...{ options: { apiVersion: '2025-01-01-preview' }, apiKey: { env: 'AZURE_API_KEY' } },
  });
  expect(provider('house-credential')).toMatchObject({
    baseUrl: 'http://127.0.0.1:9/v1',
    apiKey: { env: 'HOUSE_KEY' },
  });
  expect(provider('openai-responses')).toMatchObject({ kind: 'openai', api: ['responses'] });
  expect(provider('openai-completions')).toMatchObject({ api: ['completions'] });
  expect(provider('huggingface')).toEqual({
    name: 'huggingface',
    kind: 'tei',
    baseUrl: 'http://127.0.0.1:9',
  });
  expect(model('claude-*')?.targets[0]).toMatchObject({ model: 'claude-*' });
  expect(model('openai/*')?.targets[0]).toMatchObject({ model: '*' });
  expect(model('talk')).toMatchObject({ realtime: 'upstream' });
});

test('models of speech and transcription are those of their vendors', () => {
  const deployed = (model: string, mode: string) => ({
    ...{ model_name: model, litellm_params: { model }, model_info: { mode } },
  });
  const result = configured([
    deployed('elevenlabs/eleven_v3', 'audio_speech'),
    deployed('deepgram/nova-3', 'audio_transcription'),
    deployed('elevenlabs/scribe_v2', 'audio_transcription'),
  ]);
  expect(result.catalog.providers).toEqual([
    { name: 'elevenlabs', kind: 'elevenlabs', apiKey: { env: 'ELEVENLABS_API_KEY' } },
    { name: 'deepgram', kind: 'deepgram', apiKey: { env: 'DEEPGRAM_API_KEY' } },
  ]);
  expect(result.catalog.models.map(({ targets }) => targets)).toEqual([
    [{ provider: 'elevenlabs', model: 'eleven_v3' }],
    [{ provider: 'deepgram', model: 'nova-3' }],
  ]);
  expect(remark('model_list[2]', result)?.reason).toMatch(/no transcriptions of ElevenLabs/);
});

test("models of embeddings on Bedrock are carried over if the gateway has the model's format", () => {
  const deployed = (model: string) => ({
    ...{ model_name: model, litellm_params: { model: `bedrock/${model}` } },
    model_info: { mode: 'embedding' },
  });
  const result = configured([
    deployed('amazon.titan-embed-text-v2:0'),
    deployed('eu-west-1/cohere.embed-english-v3'),
    deployed('amazon.nova-2-multimodal-embeddings-v1:0'),
  ]);
  expect(result.catalog.models.map(({ targets }) => targets[0]?.model)).toEqual([
    'amazon.titan-embed-text-v2:0',
    'cohere.embed-english-v3',
  ]);
  expect(remark('model_list[2]', result)?.reason).toMatch(/nova-2-multimodal.* with the mode embedding/);
});

test('prices, limits and times keep their meaning in the units of the gateway', () => {
  expect(model('house')?.targets[0]?.price).toEqual({ input: 0.15, output: 0.6 });
  expect(model('speak')?.targets[0]?.price).toEqual({ characters: 15 });
  expect(model('listen')?.targets[0]?.price).toEqual({ second: 0.0001 });
  expect(model('rerank')?.targets[0]?.price).toEqual({ search: 0.002 });
  expect(model('draw')?.targets[0]?.price).toEqual({ image: 0.04 });
  expect(model('sonnet')).toMatchObject({
    limits: { context: 200_000, maxOutput: 64_000 },
    timeouts: { firstToken: '45500ms', idle: '45500ms', total: '300s' },
    retries: 2,
  });
  expect(model('opus')?.timeouts).toEqual({ total: '120s' });
});

test('fallbacks are by cause, and an alias has the targets and fallbacks of its model', () => {
  expect(model('sonnet')?.fallbacks).toEqual({
    contentPolicy: ['opus'],
    rateLimit: ['opus', 'gpt-5-mini'],
    outage: ['opus', 'gpt-5-mini'],
  });
  expect(model('house')?.fallbacks).toEqual({
    contextLength: ['sonnet'],
    rateLimit: ['groq-llama'],
    outage: ['groq-llama'],
  });
  expect(model('flash')?.fallbacks).toEqual(['gpt-5-mini']);
  expect(model('gpt-5-mini')?.fallbacks).toBeUndefined();
  expect(model('hidden-alias')).toEqual({ ...model('sonnet'), name: 'hidden-alias' });
});

test('general fallbacks are also for long prompts and content policies, if no others are configured for these', () => {
  const deployments = ['a', 'b'].map(model_name => ({ model_name, litellm_params: { model: 'openai/m' } }));
  const { catalog } = configured(deployments, { litellm_settings: { fallbacks: [{ a: ['b'] }] } });
  const b = ['b'];
  expect(catalog.models[0]?.fallbacks).toEqual({
    contextLength: b,
    contentPolicy: b,
    rateLimit: b,
    outage: b,
  });
});

test('secrets are in the environment file alone', () => {
  const secrets = ['AIza-by-value', 'sk-first', 'sk-second', 'sk-or-by-value', 'eyJ-secret', 'secret-header'];
  const shown = catalogText(imported, 'test') + reportText(imported) + JSON.stringify(imported.remarks);
  for (const secret of [...secrets, 'sk-master-secret', 'litellm:password'])
    expect(shown).not.toContain(secret);
  expect(environmentText(imported.secrets)).toBe(
    [
      "LITELLM_GEMINI_API_KEY='AIza-by-value'",
      "LITELLM_OPENAI_2_API_KEY='sk-first'",
      "LITELLM_OPENAI_3_API_KEY='sk-second'",
      "OPENROUTER_API_KEY='sk-or-by-value'",
      '',
    ].join('\n'),
  );
});

test.each([
  ['model_list[14]', /Entra ID/],
  ['model_list[19]', /stands for every model/],
  ['model_list[35]', /"nowhere"/],
  ['model_list[36]', /mock answer/],
  ['model_list[3].litellm_params.temperature', /no defaults/],
  ['model_list[21].litellm_params.extra_headers.X-Api-Key', /secret/],
  ['router_settings.fallbacks[2].house[0]', /same request/],
  ['router_settings.fallbacks[1].unknown', /not the name of a model/],
  ['router_settings.redis_host', /NATS/],
  ['general_settings.master_key', /GATEWAY_ADMIN_TOKEN/],
  ['litellm_settings.cache', /store answers/],
  ['keys[3]', /expired/],
  ['keys[5]', /own pages/],
])('%s is reported as not carried over', (path, reason) => {
  expect(remark(path)).toMatchObject({ outcome: 'lost', reason: expect.stringMatching(reason) });
});

test('keys become tokens by their hash, with scopes, limits, budgets, owners and projects', () => {
  const [search, blocked, spent, byBudget] = imported.tokens.map(({ wanted }) => wanted);
  expect(search).toEqual({
    sha256: createHash('sha256').update('sk-1234567890abcdef').digest('hex'),
    ...{ name: 'search', project: 'Search', owner: 'ada@example.com' },
    models: ['gpt-5-mini', 'embed-small', 'tei-embed'],
    limits: {
      ...{ requestsPerMinute: 100, tokensPerMinute: 50_000, concurrency: 4 },
      models: { 'gpt-5-mini': { requestsPerMinute: 20 } },
    },
    budget: { amount: 10, period: 'month' },
    tags: { 'cost-centre': '42' },
  });
  expect(blocked).toMatchObject({ disabled: true, endpoints: ['chat', 'embeddings'] });
  expect(blocked).not.toHaveProperty('models');
  expect(spent).toMatchObject({ name: 'spent', disabled: true });
  expect(byBudget).toMatchObject({
    ...{ project: 'Search', models: ['gpt-5-mini', 'embed-small', 'tei-embed', 'sonnet'] },
    ...{ budget: { amount: 20, period: 'total' }, limits: { requestsPerMinute: 30 } },
  });
  expect(imported.tokens).toHaveLength(4);
  expect(imported.catalog.projects).toEqual([
    {
      name: 'Search',
      limits: { requestsPerMinute: 1_000 },
      budget: { amount: 100, period: 'week' },
      allowUnpriced: true,
    },
  ]);
  expect(imported.catalog.users).toEqual([
    { name: 'ada@example.com', budget: { amount: 50, period: 'day' } },
  ]);
});

test.each([
  ['a limit of zero', { rpm_limit: 0 }],
  ['a blocked team', { team_id: 't' }],
])('a key with %s becomes a token that is disabled', (_, field) => {
  const keys = [{ token: 'a'.repeat(64), ...field }];
  const { tokens } = importLitellm(source({ ...none, keys, teams: [{ team_id: 't', blocked: true }] }));
  expect(tokens[0]?.wanted.disabled).toBe(true);
});

test('a key that may use no endpoint of the gateway is no token, which could do more', () => {
  const keys = [{ token: 'a'.repeat(64), allowed_routes: ['management_routes'] }];
  const result = importLitellm(source({ ...none, keys }));
  expect(result.tokens).toEqual([]);
  expect(remark('keys[0]', result)?.reason).toMatch(/no endpoint/);
});

test('a key that the admin API would refuse is reported', () => {
  const models = Array.from({ length: 1_001 }, (_, at) => `m${at}`);
  const result = importLitellm(source({ ...none, keys: [{ token: 'a'.repeat(64), models }] }));
  expect(result.tokens).toEqual([]);
  expect(remark('keys[0]', result)?.reason).toBe(
    'The gateway refuses such a token: models must hold at most 1000 entries.',
  );
});

test('a key whose models are all lost may use none', () => {
  const keys = [
    { token: 'a'.repeat(64), models: ['a*b*c'] },
    { token: 'b'.repeat(64), models: ['no-default-models'] },
  ];
  const { tokens } = importLitellm(source({ ...none, keys }));
  expect(tokens.map(({ wanted }) => wanted.models)).toEqual([[], []]);
});

test('an address in a variable is read at the import, and reported if it is not set', () => {
  const list = [
    { model_name: 'm', litellm_params: { model: 'hosted_vllm/q', api_base: 'os.environ/HOUSE' } },
  ];
  const unset = configured(list);
  expect(unset.catalog.models).toEqual([]);
  expect(remark('model_list[0]', unset)?.reason).toMatch(/a variable that is not set here/);
  const set = importLitellm(
    source({ ...none, config: { model_list: list }, variables: { HOUSE: 'http://h:8000/v1' } }),
  );
  expect(set.catalog.providers[0]).toMatchObject({ baseUrl: 'http://h:8000/v1' });
});

test('what the parser of the gateway refuses is left out and reported', () => {
  const long = 'm'.repeat(201);
  const result = configured([
    { model_name: long, litellm_params: { model: 'openai/m' } },
    { model_name: 'fine', litellm_params: { model: 'openai/m' } },
  ]);
  expect(result.catalog.models.map(({ name }) => name)).toEqual(['fine']);
  const remark = result.remarks.find(({ reason }) => reason.includes('at most 200 characters'));
  expect(remark).toMatchObject({ path: 'model_list[0]', outcome: 'lost' });
  expect(remark?.reason.match(/is left out/g)).toHaveLength(1);
});

describe('a cloud', () => {
  const deployed = (litellm_params: object) => {
    const { catalog, remarks } = configured([{ model_name: 'm', litellm_params }]);
    return { ...catalog.providers[0], model: catalog.models[0]?.targets[0]?.model, remarks };
  };

  test.each([
    [
      'Bedrock by an access key',
      {
        model: 'bedrock/us.anthropic.claude-sonnet-4-20250514-v1:0',
        aws_access_key_id: 'AKIAIOSFODNN7EXAMPLE',
        aws_secret_access_key: 'os.environ/AWS_SECRET_ACCESS_KEY',
        aws_region_name: 'eu-central-1',
      },
      {
        kind: 'bedrock',
        model: 'us.anthropic.claude-sonnet-4-20250514-v1:0',
        options: { region: 'eu-central-1', accessKeyId: 'AKIAIOSFODNN7EXAMPLE' },
        apiKey: { env: 'AWS_SECRET_ACCESS_KEY' },
      },
    ],
    [
      'Bedrock by the chain of the workers, with the region in the name',
      { model: 'bedrock/converse/ap-south-1/meta.llama3-1-70b-instruct-v1:0' },
      { model: 'meta.llama3-1-70b-instruct-v1:0', options: { region: 'ap-south-1' } },
    ],
    [
      'Vertex AI by a service account',
      {
        model: 'vertex_ai/claude-sonnet-4@20250514',
        vertex_project: 'my-project',
        vertex_location: 'us-east5',
        vertex_credentials: 'os.environ/VERTEX_CREDENTIALS',
      },
      {
        kind: 'vertex',
        model: 'claude-sonnet-4@20250514',
        options: { project: 'my-project', location: 'us-east5' },
        apiKey: { env: 'VERTEX_CREDENTIALS' },
      },
    ],
    [
      "Vertex AI at LiteLLM's place",
      { model: 'gemini-2.5-flash' },
      { kind: 'vertex', model: 'gemini-2.5-flash', options: { location: 'us-central1' } },
    ],
    [
      'Azure by Entra ID',
      {
        model: 'azure/my-deployment',
        api_base: 'https://my.openai.azure.com/openai/deployments/x',
        ...{ tenant_id: 'tenant', client_id: 'client', client_secret: 'os.environ/AZURE_SECRET' },
      },
      {
        kind: 'azure-openai',
        model: 'my-deployment',
        baseUrl: 'https://my.openai.azure.com',
        options: { tenantId: 'tenant', clientId: 'client' },
        apiKey: { env: 'AZURE_SECRET' },
      },
    ],
  ])('%s keeps its options and its credential', (_what, params, expected) => {
    expect(deployed(params)).toMatchObject({ ...expected, remarks: [] });
  });

  test('a file of credentials, and an option of another form, are reported', () => {
    const vertex = deployed({ model: 'vertex_ai/gemini-2.5-pro', vertex_credentials: '/etc/key.json' });
    expect(vertex).not.toHaveProperty('apiKey');
    expect(vertex.remarks).toMatchObject([
      { outcome: 'changed', reason: expect.stringMatching(/^It names a file/) },
    ]);
    const bedrock = deployed({ model: 'bedrock/x.y', aws_region_name: 'nowhere' });
    expect(bedrock.remarks.slice(0, 1)).toMatchObject([
      { outcome: 'lost', reason: 'It must be a region such as us-east-1.' },
    ]);
  });
});
