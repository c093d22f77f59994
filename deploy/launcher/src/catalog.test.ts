import { parseCatalog } from '@model-gateway/catalog';
import { providerProfiles } from '@model-gateway/providers';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { catalogText, type Offer } from './catalog.ts';

const simulatorUrl = 'http://127.0.0.1:4000';

function read(offer: Omit<Offer, 'simulatorUrl'>) {
  const { catalog, problems } = parseCatalog(parse(catalogText({ simulatorUrl, ...offer })));
  expect(problems).toBeUndefined();
  return catalog;
}

test('a catalog without API keys contains the simulator', () => {
  const catalog = read({ ollama: [], env: { OPENAI_API_KEY: '' } });
  expect(catalog?.providers).toMatchObject([
    { name: 'simulator', kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:4000/v1' },
  ]);
  expect(catalog?.models.map(model => model.name)).toEqual(['sim-fast', 'sim-1', 'sim-slow', 'sim-*']);
  expect(catalog?.models.at(-1)?.targets).toEqual([{ provider: 'simulator', model: 'sim-*' }]);
});

test('an API key in the environment adds its provider, which refers to the variable', () => {
  const env = { OPENAI_API_KEY: 'secret-1', ANTHROPIC_API_KEY: 'secret-2', GEMINI_API_KEY: 'secret-3' };
  const catalog = read({ ollama: [], env });
  expect(catalogText({ simulatorUrl, ollama: [], env })).not.toContain('secret-');
  expect(catalog?.providers.slice(1)).toMatchObject([
    {
      ...{ name: 'openai', kind: 'openai', apiKey: { env: 'OPENAI_API_KEY' } },
      models: { discover: true, prefix: 'openai/' },
    },
    { name: 'anthropic', kind: 'anthropic', apiKey: { env: 'ANTHROPIC_API_KEY' } },
    { name: 'gemini', kind: 'gemini', apiKey: { env: 'GEMINI_API_KEY' } },
  ]);
  expect(catalog?.models.slice(4)).toMatchObject([
    { name: 'openai/*', targets: [{ provider: 'openai', model: '*' }] },
    { name: 'anthropic/*', targets: [{ provider: 'anthropic', model: '*' }] },
    { name: 'gemini/*', targets: [{ provider: 'gemini', model: '*' }] },
  ]);
});

test('the key of every kind that has a variable adds a provider; a kind with a required option needs its variable too', () => {
  const kinds = Object.entries(providerProfiles).filter(([, { keyVariable }]) => keyVariable);
  const keys = Object.fromEntries(kinds.map(([, { keyVariable }]) => [keyVariable, 'secret']));
  const optional = kinds.filter(
    ([, { options = {} }]) => !Object.values(options).some(each => each.required),
  );
  const namesIn = (env: NodeJS.ProcessEnv) =>
    read({ ollama: [], env })
      ?.providers.slice(1)
      .map(({ name }) => name);
  expect(namesIn(keys)).toEqual(optional.map(([name]) => name));
  const cloudflare = { CLOUDFLARE_API_TOKEN: 'secret', CLOUDFLARE_ACCOUNT_ID: 'a1' };
  expect(read({ ollama: [], env: cloudflare })?.providers.at(-1)).toMatchObject({
    ...{ name: 'cloudflare', kind: 'cloudflare', options: { account: 'a1' } },
  });
});

test("Ollama's models are discovered, and a name without its tag is one, too", () => {
  const catalog = read({ ollama: ['llama3.1:8b', 'qwen3'], env: {} });
  const models = { discover: true, prefix: 'ollama/', every: 60_000 };
  expect(catalog?.providers.at(-1)).toMatchObject({ name: 'ollama', kind: 'ollama', models });
  expect(catalog?.models.slice(4)).toMatchObject([
    { name: 'ollama/*', targets: [{ provider: 'ollama', model: '*' }] },
  ]);
});
