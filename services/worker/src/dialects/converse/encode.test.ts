import type { GenerateRequest } from '@model-gateway/canonical';
import { describe, expect, test } from 'vitest';
import { encodeInput, refusal } from '../../testing/encode-input.ts';
import type { CanonicalInput } from '../dialect.ts';
import { encode } from './encode.ts';

const nova = 'us.amazon.nova-pro-v1:0';
const hi: GenerateRequest['messages'][number] = { role: 'user', content: [{ type: 'text', text: 'Hi' }] };
const city = { type: 'object', properties: { city: { type: 'string' } } };
const weather = { type: 'function', name: 'weather', parameters: city } as const;

function body(request: Partial<GenerateRequest>, model = nova): Record<string, unknown> {
  const input = encodeInput({ request: { messages: [hi], ...request }, model }) as CanonicalInput;
  return JSON.parse(encode(input).body.toString());
}

test('a request without settings has only the conversation', () => {
  expect(body({})).toEqual({ messages: [{ role: 'user', content: [{ text: 'Hi' }] }] });
});

test('settings have the places that Converse gives them', () => {
  expect(
    body({ maxTokens: 9, temperature: 1.5, topP: 0.5, topK: 7, stop: ['END', ''], serviceTier: 'flex' }),
  ).toMatchObject({
    inferenceConfig: { maxTokens: 9, temperature: 1, topP: 0.5, stopSequences: ['END'] },
    additionalModelRequestFields: { inferenceConfig: { topK: 7 } },
    serviceTier: { type: 'flex' },
  });
});

test.each([
  ['mistral.mistral-large-2407-v1:0', { topK: 7 }, { top_k: 7 }],
  ['cohere.command-r-plus-v1:0', { topK: 7 }, { k: 7 }],
  ['meta.llama3-70b-instruct-v1:0', { topK: 7 }, undefined],
  ['openai.gpt-oss-120b-1:0', { reasoning: { effort: 'minimal' } }, { reasoning_effort: 'low' }],
  ['deepseek.r1-v1:0', { reasoning: { effort: 'high' } }, undefined],
  [
    'us.amazon.nova-2-lite-v1:0',
    { reasoning: { effort: 'high' } },
    { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'high' } },
  ],
  [
    'us.amazon.nova-2-lite-v1:0',
    { reasoning: { effort: 'high' }, maxTokens: 9 },
    { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'medium' } },
  ],
] as [string, Partial<GenerateRequest>, unknown][])('%s takes %j as %j', (model, request, fields) => {
  expect(body(request, model).additionalModelRequestFields).toEqual(fields);
});

describe('a conversation', () => {
  const call = {
    type: 'tool-call',
    id: 'call 1',
    name: 'weather',
    arguments: '{"n":12345678901234567890}',
  } as const;
  const result = { type: 'tool-result' as const, callId: 'call 1', content: [], error: true };
  const messages: GenerateRequest['messages'] = [
    { role: 'system', content: [{ type: 'text', text: 'Be brief.', cache: { ttl: '1h' } }] },
    hi,
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Hm.', signature: { format: 'converse', value: 'sig' } },
        { type: 'reasoning', text: 'Not ours.', signature: { format: 'messages', value: 'x' } },
        { type: 'reasoning', text: '', redacted: true, signature: { format: 'converse', value: 'AAEC' } },
        { type: 'text', text: ' ' },
        call,
      ],
    },
    { role: 'tool', content: [result] },
    hi,
  ];

  test('has alternating turns with results first, exact numbers, and the reasoning that Bedrock signed', () => {
    const input = encodeInput({ request: { messages, tools: [weather] }, model: nova }) as CanonicalInput;
    const text = encode(input).body.toString();
    expect(text).toContain('"input":{"n":12345678901234567890}');
    const { system, messages: turns } = JSON.parse(text);
    const toolUseId = turns[1].content[2].toolUse.toolUseId;
    expect(toolUseId).toMatch(/^call_[0-9a-f]{32}$/);
    expect(system).toEqual([{ text: 'Be brief.' }, { cachePoint: { type: 'default' } }]);
    expect(turns).toEqual([
      { role: 'user', content: [{ text: 'Hi' }] },
      {
        role: 'assistant',
        content: [
          { reasoningContent: { reasoningText: { text: 'Hm.', signature: 'sig' } } },
          { reasoningContent: { redactedContent: 'AAEC' } },
          expect.objectContaining({ toolUse: expect.objectContaining({ name: 'weather' }) }),
        ],
      },
      {
        role: 'user',
        content: [
          { toolResult: { toolUseId, content: [{ text: '(empty)' }], status: 'error' } },
          { text: 'Hi' },
        ],
      },
    ]);
  });

  test('has its calls and results as text if no tool may be called, since Bedrock refuses their blocks then', () => {
    const sent = body({ messages, tools: [weather], toolChoice: { type: 'none' } });
    expect(sent.toolConfig).toBeUndefined();
    expect(JSON.stringify(sent)).not.toMatch(/toolUse|toolResult/);
    expect(JSON.stringify(sent)).toContain('[Called the tool weather with');
  });

  test('has ids of nine characters for models of Mistral', () => {
    const { messages: turns } = body(
      { messages, tools: [weather] },
      'mistral.mistral-large-2407-v1:0',
    ) as never;
    expect(JSON.stringify(turns)).toMatch(/"toolUseId":"[0-9a-f]{9}".*"toolUseId":"[0-9a-f]{9}"/);
  });

  test('keeps the last four cache breakpoints, and none for models that refuse them', () => {
    const cached = { type: 'text', text: 'x', cache: {} } as const;
    const many: GenerateRequest['messages'] = [{ role: 'user', content: Array(6).fill(cached) }];
    const points = (model: string) =>
      (JSON.stringify(body({ messages: many }, model)).match(/cachePoint/g) ?? []).length;
    expect([points(nova), points('meta.llama3-70b-instruct-v1:0')]).toEqual([4, 0]);
  });
});

describe('media', () => {
  const pdf = { type: 'media', kind: 'document', source: { type: 'base64', data: 'JVBERi0x' } } as const;
  const user = (...content: object[]) =>
    ({ messages: [{ role: 'user', content }] }) as Partial<GenerateRequest>;

  test('images and documents are bytes, with names that Bedrock takes, and a text beside documents', () => {
    const named = { ...pdf, name: 'My  report_2.pdf' };
    const png = {
      type: 'media',
      kind: 'image',
      mediaType: 'image/png',
      source: { type: 'base64', data: 'iVBO' },
    };
    expect(body(user(named, named, png)).messages).toEqual([
      {
        role: 'user',
        content: [
          { text: '.' },
          { document: { format: 'pdf', name: 'My report 2', source: { bytes: 'JVBERi0x' } } },
          { document: { format: 'pdf', name: 'My report 2 2', source: { bytes: 'JVBERi0x' } } },
          { image: { format: 'png', source: { bytes: 'iVBO' } } },
        ],
      },
    ]);
  });

  test('an object of S3 is a location; another URL is refused for another target', () => {
    const image = (url: string) => user({ type: 'media', kind: 'image', source: { type: 'url', url } });
    expect(body(image('s3://b/a.jpg')).messages).toMatchObject([
      { content: [{ image: { format: 'jpeg', source: { s3Location: { uri: 's3://b/a.jpg' } } } }] },
    ]);
    expect(refusal(() => body(image('https://x.example/a')))).toMatchObject({
      kind: 'invalid-request',
      path: 'messages',
    });
  });
});

describe('tools and output', () => {
  test('tools have schemas, choices and a valid name', () => {
    expect(
      body({ tools: [{ ...weather, name: 'get weather' }], toolChoice: { type: 'required' } }),
    ).toMatchObject({
      toolConfig: {
        tools: [{ toolSpec: { name: expect.stringMatching(/^get_weather_/), inputSchema: { json: city } } }],
        toolChoice: { any: {} },
      },
    });
  });

  const output = { type: 'schema', name: 'place', schema: city } as const;

  test('a schema of the answer is a setting where the model has it, else a tool', () => {
    expect(body({ output }, 'openai.gpt-oss-20b-1:0').outputConfig).toEqual({
      textFormat: {
        type: 'json_schema',
        structure: { jsonSchema: { schema: JSON.stringify(city), name: 'place' } },
      },
    });
    expect(body({ output }).toolConfig).toMatchObject({
      tools: [{ toolSpec: { name: 'final_answer', inputSchema: { json: city } } }],
      toolChoice: { any: {} },
    });
  });

  test.each([
    ['n', { n: 2 }],
    ['logprobs', { logprobs: {} }],
    ['modalities', { modalities: ['audio'] }],
    ['tools', { tools: [{ type: 'web-search' }] }],
  ] as [string, Partial<GenerateRequest>][])('%s is refused by its path', (path, request) => {
    expect(refusal(() => body(request))).toMatchObject({ kind: 'invalid-request', path });
  });
});
