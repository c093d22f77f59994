import { providerProfiles } from '@model-gateway/providers';
import { describe, expect, test } from 'vitest';
import { parseCatalog } from './parse.ts';

const house = { name: 'house', kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:8000/v1' };
const fast = { name: 'fast', targets: [{ provider: 'house', model: 'qwen3' }] };
const withProvider = (more: object) => ({ providers: [{ ...house, ...more }], models: [fast] });
const withModel = (more: object) => ({ providers: [house], models: [{ ...fast, ...more }] });
const withTarget = (more: object) => withModel({ targets: [{ provider: 'house', model: 'qwen3', ...more }] });

const manyModels = Object.fromEntries(
  Array.from({ length: 1_001 }, (_, n) => [`model-${n}`, { concurrency: 1 }]),
);

const problemsOf = (input: unknown) =>
  parseCatalog(input).problems?.map(({ path, reason }) => `${path}: ${reason}`) ?? [];

describe('parseCatalog', () => {
  test('accepts the whole schema and fills in defaults', () => {
    const { catalog } = parseCatalog({
      providers: [
        { name: 'openai', kind: 'openai', api: 'responses', apiKey: { env: 'OPENAI_API_KEY' } },
        {
          ...house,
          baseUrl: 'http://127.0.0.1:8000/v1/',
          apiKey: { value: 'none' },
          headers: { 'X-Org': 'a' },
        },
        { name: 'local', kind: 'ollama', api: 'chat' },
        { name: 'claude', kind: 'anthropic', apiKey: { file: '/run/secrets/claude' }, pool: 'eu-1' },
        { name: 'gemini', kind: 'gemini' },
      ],
      models: [
        {
          name: 'fast',
          targets: [
            { provider: 'openai', model: 'gpt-5-mini', weight: 3 },
            { provider: 'house', model: 'qwen3', weight: 0.5 },
          ],
          timeouts: { idle: '90s', total: '1h' },
          limits: { context: 128_000, maxOutput: 4096 },
          drop: ['temperature'],
        },
        { name: 'house/*', targets: [{ provider: 'house', model: '*' }] },
      ],
    });
    expect(catalog?.providers[1]).toEqual({
      ...house,
      apiKey: { value: 'none' },
      headers: { 'X-Org': 'a' },
      pool: 'default',
    });
    expect(catalog?.models[0]?.timeouts).toEqual({ idle: 90_000, total: 3_600_000 });
    expect(catalog?.models[1]).toEqual({
      name: 'house/*',
      targets: [{ provider: 'house', model: '*' }],
      timeouts: { total: 1_800_000 },
      limits: {},
      drop: [],
    });
  });

  test.each<[string, unknown, string[]]>([
    ['an empty file', null, [': must be a mapping of fields']],
    ['an empty mapping', {}, ['providers: is required', 'models: is required']],
    [
      'a mapping instead of a list',
      { providers: {}, models: [fast] },
      ['providers: must be a list', 'models[0].targets[0].provider: "house" is not the name of a provider'],
    ],
    ['an unknown key at the top level', { ...withModel({}), modles: [] }, ['modles: is not a known field']],
    [
      'an unknown key of a provider',
      withProvider({ base_url: 'x' }),
      ['providers[0].base_url: is not a known field'],
    ],
    [
      'an unknown key of a target',
      withTarget({ 'we ight': 1 }),
      ['models[0].targets[0]["we ight"]: is not a known field'],
    ],
    [
      'a provider without a name',
      withProvider({ name: undefined }),
      [
        'providers[0].name: is required',
        'models[0].targets[0].provider: "house" is not the name of a provider',
      ],
    ],
    [
      'a number as a name',
      withModel({ name: 4 }),
      ['models[0].name: must be a string (quote it if it looks like a number or a date)'],
    ],
    [
      'an unknown kind',
      withProvider({ kind: 'openia' }),
      [`providers[0].kind: must be one of ${Object.keys(providerProfiles).join(', ')}`],
    ],
    [
      'an api that the kind does not have',
      withProvider({ kind: 'gemini', api: 'chat' }),
      [
        'providers[0].api: is allowed only for the kinds openai, openai-compatible, ollama, azure-openai, vllm, sglang, llama-cpp, lm-studio',
      ],
    ],
    [
      'an OpenAI-compatible provider without a base URL',
      withProvider({ baseUrl: undefined }),
      ['providers[0].baseUrl: is required for the kind openai-compatible'],
    ],
    [
      "a base URL with Azure's deployment",
      withProvider({ kind: 'azure-openai', baseUrl: 'https://x.openai.azure.com/openai/deployments/gpt' }),
      ['providers[0].baseUrl: must end before /openai/deployments: the deployment is the model of a target'],
    ],
    [
      'an option that the kind does not have, and one of another form',
      withProvider({ kind: 'azure-openai', options: { region: 'eu', apiVersion: 'latest version' } }),
      [
        'providers[0].options["region"]: is not an option of the kind azure-openai',
        'providers[0].options.apiVersion: must be a date such as 2024-10-21 or 2025-04-01-preview, or preview or latest',
      ],
    ],
    [
      'a base URL without a scheme',
      withProvider({ baseUrl: 'localhost:8000' }),
      ['providers[0].baseUrl: must be an http:// or https:// URL'],
    ],
    [
      'a base URL with a password',
      withProvider({ baseUrl: 'http://me:secret@house/v1' }),
      ['providers[0].baseUrl: must not hold a user name or password: use headers'],
    ],
    [
      'an API key in plain text',
      withProvider({ apiKey: 'sk-secret' }),
      ['providers[0].apiKey: must be exactly one of { env: NAME }, { file: PATH } and { value: SECRET }'],
    ],
    [
      'two API keys',
      withProvider({ apiKey: { env: 'A', value: 'sk-secret' } }),
      ['providers[0].apiKey: must be exactly one of { env: NAME }, { file: PATH } and { value: SECRET }'],
    ],
    [
      'a weight of a project that is out of bounds',
      {
        ...withModel({}),
        projects: [
          { name: 'a', weight: 0 },
          { name: 'b', weight: 1_001 },
        ],
      },
      ['projects[0].weight: must be at least 0.01', 'projects[1].weight: must be at most 1000'],
    ],
    [
      'limits that are too large for the API',
      {
        ...withModel({}),
        projects: [{ name: 'a', limits: { tokensPerMinute: 2e12, models: { 'b*': { concurrency: 1.5 } } } }],
      },
      [
        'projects[0].limits.tokensPerMinute: must be at most 1000000000000',
        'projects[0].limits.models["b*"].concurrency: must be a whole number',
      ],
    ],
    [
      'budgets of a project and a user that are wrong',
      {
        ...withModel({}),
        projects: [
          { name: 'a', budget: { amount: 0, period: 'year' } },
          { name: 'b', budget: { amount: '5', period: 'day', currency: 'EUR' } },
        ],
        users: [{ name: 'a', budget: {} }, { name: 'b', limits: {} }, { name: 'b' }],
      },
      [
        'projects[0].budget.amount: must be greater than zero',
        'projects[0].budget.period: must be one of day, week, month, total',
        'projects[1].budget.amount: must be a number',
        'projects[1].budget.currency: is not a known field',
        'users[0].budget.amount: is required',
        'users[0].budget.period: must be one of day, week, month, total',
        'users[1].limits: is not a known field',
        'users[2].name: "b" is already the name of users[1]',
      ],
    ],
    [
      'projects with wrong logging',
      {
        providers: [house],
        models: [fast],
        projects: [
          { name: 'a', logging: { redact: ['emails', { name: 'x y', pattern: '(a)\\1' }] } },
          { name: 'b', logging: { sample: 2, retentionDays: 0, maxBytes: 1e9, headers: true } },
          { name: 'c', logging: { sample: 1, redact: ['email', { name: 'x', pattern: '(a)\\1' }] } },
        ],
      },
      [
        'projects[0].logging.sample: is required',
        'projects[0].logging.redact[0]: must be one of email, phone, creditCard, iban, ipAddress, ssn, or an object of name and pattern',
        'projects[0].logging.redact[1].name: must be 1 to 50 letters, digits, _ or -',
        'projects[1].logging.sample: must be at most 1',
        'projects[1].logging.retentionDays: must be greater than zero',
        'projects[1].logging.maxBytes: must be at most 262144',
        'projects[1].logging.headers: is not a known field',
        'projects[2].logging.redact[1].pattern: is not a regular expression in RE2 syntax: error parsing regexp: invalid escape sequence: `\\1`',
      ],
    ],
    [
      'a header name with a space',
      withProvider({ headers: { 'x y': 'a' } }),
      ['providers[0].headers["x y"]: is not the name of a header'],
    ],
    ...['Host', 'content-length', 'TRANSFER-ENCODING', 'connection', 'te', 'upgrade', 'keep-alive'].map(
      (header): [string, unknown, string[]] => [
        `the header ${header}`,
        withProvider({ headers: { [header]: 'a' } }),
        [expect.stringMatching(/^providers\[0\]\.headers.*: is a header that the gateway sets itself$/)],
      ],
    ),
    [
      'several problems of headers',
      withProvider({ headers: { host: { env: 'HOST' }, 'x y': 'a' } }),
      [
        'providers[0].headers.host: is a header that the gateway sets itself',
        'providers[0].headers["x y"]: is not the name of a header',
      ],
    ],
    [
      'a header value of two lines',
      withProvider({ headers: { x: 'a\nb' } }),
      ['providers[0].headers.x: must be one line of text'],
    ],
    [
      'a pool name that is invalid in a subject',
      withProvider({ pool: 'a.b' }),
      ['providers[0].pool: must be 1 to 64 letters, digits, _ or -'],
    ],
    [
      'two providers with one name',
      { providers: [house, house], models: [fast] },
      ['providers[1].name: "house" is already the name of providers[0]'],
    ],
    [
      'two models with one name',
      { providers: [house], models: [fast, fast] },
      ['models[1].name: "fast" is already the name of models[0]'],
    ],
    [
      'a model without targets',
      withModel({ targets: [] }),
      ['models[0].targets: must hold at least one target'],
    ],
    [
      'an unknown provider',
      withTarget({ provider: 'hosue' }),
      ['models[0].targets[0].provider: "hosue" is not the name of a provider'],
    ],
    [
      'a * in a target of a model without one',
      withTarget({ model: '*' }),
      ['models[0].targets[0].model: contains a *, but the model\'s name "fast" does not'],
    ],
    [
      'limits of too many models',
      { ...withModel({}), projects: [{ name: 'a', limits: { models: manyModels } }] },
      ['projects[0].limits.models: must hold at most 1000 entries'],
    ],
    ['a name with two *', withModel({ name: '*/*' }), ['models[0].name: must hold at most one *']],
    ['a negative weight', withTarget({ weight: -1 }), ['models[0].targets[0].weight: must not be negative']],
    [
      'a number as a timeout',
      withModel({ timeouts: { idle: 60 } }),
      ['models[0].timeouts.idle: must be a string (quote it if it looks like a number or a date)'],
    ],
    [
      'a timeout without a unit',
      withModel({ timeouts: { total: '30' } }),
      ['models[0].timeouts.total: is not a duration such as 250ms, 60s, 30m, 24h or 7d'],
    ],
    [
      'a timeout of zero',
      withModel({ timeouts: { total: '0s' } }),
      ['models[0].timeouts.total: must be longer than zero and at most 24d'],
    ],
    [
      'a fractional token limit',
      withModel({ limits: { context: 0.5 } }),
      ['models[0].limits.context: must be a whole number'],
    ],
    [
      'a string instead of the list drop',
      withModel({ drop: 'temperature' }),
      ['models[0].drop: must be a list'],
    ],
    [
      'a fallback that is not a model',
      withModel({ fallbacks: ['fast', 'other'] }),
      [
        'models[0].fallbacks[0]: is the model itself',
        'models[0].fallbacks[1]: "other" is not the name of a model',
      ],
    ],
    [
      'a fallback for an outage that is not a model',
      withModel({ fallbacks: { outage: ['other'] } }),
      ['models[0].fallbacks.outage[0]: "other" is not the name of a model'],
    ],
    [
      'an unknown cause of a fallback',
      withModel({ fallbacks: { timeout: [] } }),
      ['models[0].fallbacks.timeout: is not a known field'],
    ],
  ])('reports the problem of %s', (_name, input, expected) => {
    expect(problemsOf(input)).toEqual(expected);
  });

  test('a list of fallbacks is for rate limits and outages, and may name what a pattern matches', () => {
    const pattern = { name: 'any/*', targets: [{ provider: 'house', model: '*' }] };
    const { catalog } = parseCatalog({
      providers: [house],
      models: [{ ...fast, fallbacks: ['any/x'] }, pattern],
    });
    expect(catalog?.models[0]?.fallbacks).toEqual({ rateLimit: ['any/x'], outage: ['any/x'] });
  });

  test('reports all problems at once, each with its path', () => {
    const problems = problemsOf({
      providers: [{ ...house, kind: 'x' }, house, null],
      models: [{ name: 'm', targets: [{ provider: 'nobody', model: 'a*b', wieght: 1 }] }],
    });
    expect(problems.map(text => text.split(':')[0])).toEqual([
      'providers[0].kind',
      'providers[2]',
      'models[0].targets[0].wieght',
      'providers[1].name',
      'models[0].targets[0].provider',
      'models[0].targets[0].model',
    ]);
  });

  test('never repeats a value that could be a secret', () => {
    const text = problemsOf({
      providers: [{ ...house, apiKey: { value: 'sk-secret', env: 1 }, headers: { x: 'sk-secret\n' } }],
      models: [],
    }).join();
    expect(text).not.toContain('sk-secret');
  });
});
