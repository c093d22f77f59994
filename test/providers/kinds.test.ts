import { type ProviderProfile, providerProfiles } from '@model-gateway/providers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stack, startStack } from '../stack/stack.ts';
import { type Asked, startVendorDouble, type VendorDouble } from './double.ts';

/** Kinds whose vendors have formats and credentials of their own, which have tests of their own. */
const own = ['anthropic', 'gemini', 'cohere', 'azure-openai', 'vertex', 'bedrock'];
const kinds = Object.entries(providerProfiles).filter(
  ([kind, { formats }]) => !own.includes(kind) && (!formats.generate || formats.generate[0] === 'chat'),
);
const withOperation = (operation: 'generate' | 'embed' | 'rerank') =>
  kinds.flatMap(([kind, { formats }]) => (formats[operation] ? [kind] : []));

let double: VendorDouble;
let stack: Stack;
beforeAll(async () => {
  double = await startVendorDouble();
  stack = await startStack({
    catalog: {
      providers: kinds.map(([kind, profile]) => ({
        ...{ name: kind, kind, baseUrl: double.url + pathOf(profile), apiKey: { value: `key-of-${kind}` } },
        ...(profile.options && { options: { account: 'account1' } }),
      })),
      models: kinds.map(([kind]) => ({ name: `${kind}/*`, targets: [{ provider: kind, model: '*' }] })),
    },
  });
});
afterAll(async () => {
  await stack?.stop();
  double?.stop();
});

/** Returns the path of a kind's own base URL, which the double has, too. */
function pathOf({ baseUrl }: ProviderProfile): string {
  return baseUrl ? new URL(baseUrl).pathname.replace(/\/$/, '') : '/v1';
}

async function ask(path: string, body: object): Promise<Asked> {
  const before = double.asked.length;
  const headers = {
    authorization: `Bearer ${stack.token}`,
    'content-type': 'application/json',
    'anthropic-version': '2023-06-01',
  };
  const response = await fetch(stack.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return double.asked.slice(before).at(-1) as Asked;
}

/** Paths of the vendors' APIs, as their SDKs and documents have them. */
const paths: Record<string, string> = {
  openai: '/v1',
  'openai-compatible': '/v1',
  ollama: '/v1',
  tei: '',
  mistral: '/v1',
  groq: '/openai/v1',
  deepseek: '/v1',
  xai: '/v1',
  openrouter: '/api/v1',
  together: '/v1',
  fireworks: '/inference/v1',
  cerebras: '/v1',
  sambanova: '/v1',
  perplexity: '',
  'nvidia-nim': '/v1',
  huggingface: '/v1',
  deepinfra: '/v1/openai',
  nebius: '/v1',
  moonshot: '/v1',
  zhipu: '/api/paas/v4',
  dashscope: '/compatible-mode/v1',
  minimax: '/v1',
  volcengine: '/api/v3',
  siliconflow: '/v1',
  'github-models': '/inference',
  cloudflare: '/client/v4/accounts/account1/ai/v1',
  voyage: '/v1',
  jina: '/v1',
  deepgram: '',
  vllm: '/v1',
  sglang: '/v1',
  'llama-cpp': '/v1',
  'lm-studio': '/v1',
};

const messages = [{ role: 'user', content: 'Hi' }];

test.each(withOperation('generate'))('%s gets chat at its path, with its key and its model', async kind => {
  for (const stream of [false, true]) {
    const { path, headers, body } = await ask('/v1/chat/completions', {
      ...{ model: `${kind}/team/model-1`, messages, stream },
    });
    expect(path).toBe(`${paths[kind]}/chat/completions`);
    expect(headers.authorization).toBe(`Bearer key-of-${kind}`);
    expect(body).toMatchObject({ model: 'team/model-1', messages });
  }
  // Another format's client is translated.
  const { path, body } = await ask('/v1/messages', { model: `${kind}/model-1`, max_tokens: 9, messages });
  expect(path).toBe(`${paths[kind]}/chat/completions`);
  const limit = kind === 'openai' ? 'max_completion_tokens' : 'max_tokens';
  expect(body).toMatchObject({ model: 'model-1', [limit]: 9, stream: true });
});

test.each(withOperation('embed'))('%s gets texts to embed at its path', async kind => {
  const { path, headers, body } = await ask('/v1/embeddings', { model: `${kind}/e`, input: ['a', 'b'] });
  const versioned = kind === 'tei' ? '/v1' : paths[kind];
  expect(path).toBe(`${versioned}/embeddings`);
  expect(headers.authorization).toBe(`Bearer key-of-${kind}`);
  expect(body).toMatchObject({ model: 'e', input: ['a', 'b'] });
});

test.each(withOperation('rerank').filter(kind => kind !== 'tei'))('%s gets documents to rank', async kind => {
  const request = { query: 'q', documents: ['a', 'b'] };
  const { path, body } = await ask('/v1/rerank', { model: `${kind}/r`, ...request, top_n: 1 });
  expect(path).toBe(`${paths[kind]}/rerank`);
  expect(body).toEqual({ model: 'r', ...request, [kind === 'voyage' ? 'top_k' : 'top_n']: 1 });
});

test('deepgram gets audio at its path, with its key and its model', async () => {
  const form = new FormData();
  form.set('model', 'deepgram/nova-3');
  form.set('file', new Blob(['ID3'], { type: 'audio/mpeg' }), 'a.mp3');
  const asked = await fetch(`${stack.url}/v1/audio/transcriptions`, {
    ...{ method: 'POST', headers: { authorization: `Bearer ${stack.token}` }, body: form },
  });
  expect(await asked.json()).toEqual({ text: 'Hello.', usage: { type: 'duration', seconds: 2 } });
  const { path, headers } = double.asked.at(-1) as Asked;
  expect(path).toBe(`${paths.deepgram}/v1/listen?model=nova-3&smart_format=true&detect_language=true`);
  expect(headers).toMatchObject({ authorization: 'Token key-of-deepgram', 'content-type': 'audio/mpeg' });
});

test('a strict server gets the fields that it knows, by its own names', async () => {
  const sent = { model: 'mistral/m', messages, max_completion_tokens: 5, seed: 7, user: 'u', stream: true };
  const { body } = await ask('/v1/chat/completions', sent);
  expect(body).toEqual({ model: 'm', messages, max_tokens: 5, random_seed: 7, stream: true });
});

test('tasks of vectors are named as the vendor names them', async () => {
  const request = { input: ['a'], input_type: 'search_query', dimensions: 2 };
  const embed = async (kind: string) =>
    (await ask('/v1/embeddings', { model: `${kind}/e`, ...request })).body;
  const sent = { model: 'e', input: ['a'] };
  expect(await embed('voyage')).toEqual({ ...sent, input_type: 'query', output_dimension: 2 });
  expect(await embed('jina')).toEqual({ ...sent, task: 'retrieval.query', dimensions: 2 });
  expect(await embed('nvidia-nim')).toEqual({ ...sent, input_type: 'query', dimensions: 2 });
});
