import { providerProfiles } from '@model-gateway/providers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stack, startStack } from '../stack/stack.ts';
import { startVendorDouble, type VendorDouble } from './double.ts';

let double: VendorDouble;
let stack: Stack;

/** The fields with which each kind is told that a model, of which nothing is known, shall not think. */
const off: Record<string, object> = {
  deepseek: { thinking: { type: 'disabled' } },
  zhipu: { thinking: { type: 'disabled' } },
  moonshot: { thinking: { type: 'disabled' } },
  volcengine: { thinking: { type: 'disabled' } },
  minimax: { thinking: { type: 'disabled' } },
  dashscope: { enable_thinking: false },
  siliconflow: { enable_thinking: false },
  vllm: { chat_template_kwargs: { enable_thinking: false, thinking: false } },
  sglang: { chat_template_kwargs: { enable_thinking: false, thinking: false } },
  'llama-cpp': { chat_template_kwargs: { enable_thinking: false, thinking: false } },
  ...Object.fromEntries(
    [
      'openai',
      'openai-compatible',
      'openrouter',
      'fireworks',
      'mistral',
      'groq',
      'xai',
      'deepinfra',
      'ollama',
    ].map(kind => [kind, { reasoning_effort: 'none' }]),
  ),
};
const kinds = Object.keys(off);

beforeAll(async () => {
  double = await startVendorDouble();
  stack = await startStack({
    catalog: {
      providers: kinds.map(kind => {
        const { baseUrl, choosesFormats } = providerProfiles[kind] ?? {};
        const path = baseUrl ? new URL(baseUrl).pathname.replace(/\/$/, '') : '/v1';
        return {
          ...{ name: kind, kind, baseUrl: double.url + path, apiKey: { value: 'k' } },
          ...(choosesFormats && { api: ['chat' as const] }),
        };
      }),
      models: kinds.map(kind => ({ name: `${kind}/*`, targets: [{ provider: kind, model: '*' }] })),
    },
  });
});
afterAll(async () => {
  await stack?.stop();
  double?.stop();
});

const messages = [{ role: 'user', content: 'Hi' }];

/** The ways in which a client of each format turns thinking off. */
const clients: Record<string, (model: string) => [path: string, body: object]> = {
  chat: model => ['/v1/chat/completions', { model, messages, reasoning_effort: 'none' }],
  messages: model => ['/v1/messages', { model, messages, max_tokens: 9, thinking: { type: 'disabled' } }],
  responses: model => ['/v1/responses', { model, input: 'Hi', store: false, reasoning: { effort: 'none' } }],
  'generate-content': model => [
    `/v1beta/models/${model}:generateContent`,
    {
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      generationConfig: { thinkingConfig: { thinkingBudget: 0 } },
    },
  ],
};

const fields = ['reasoning_effort', 'reasoning', 'thinking', 'enable_thinking', 'chat_template_kwargs'];

/** True if a kind speaks responses itself: its requests are passed on, as the worker's tests of that dialect show. */
const passesOn = (kind: string) => {
  const { choosesFormats, formats } = providerProfiles[kind] ?? {};
  return !choosesFormats && formats?.generate?.includes('responses');
};
const pairs = kinds.flatMap(kind =>
  Object.keys(clients).flatMap(client => (client === 'responses' && passesOn(kind) ? [] : { kind, client })),
);

test.each(pairs)('thinking that a client of $client turned off is off at $kind', async ({ kind, client }) => {
  const [path, body] = clients[client]?.(`${kind}/model-1`) ?? [];
  const before = double.asked.length;
  const response = await fetch(stack.url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${stack.token}`,
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
    },
    body: JSON.stringify(body),
  });
  expect(response.status, await response.text()).toBe(200);
  const [asked, ...more] = double.asked.slice(before);
  expect(more).toEqual([]);
  const told = Object.entries(asked?.body ?? {}).filter(([field]) => fields.includes(field));
  expect(Object.fromEntries(told)).toEqual(off[kind]);
});
