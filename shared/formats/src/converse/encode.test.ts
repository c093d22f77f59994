import type { GenerateRequest, Message } from '@model-gateway/canonical';
import { refusal } from '@model-gateway/canonical/testing/events';
import {
  bytes,
  cached,
  call,
  failed,
  link,
  media,
  png,
  redacted,
  result,
  says,
  signed,
  system,
  tells,
  thought,
  user,
} from '@model-gateway/canonical/testing/parts';
import { rows } from '@model-gateway/canonical/testing/rows';
import { describe, expect, test } from 'vitest';
import { encodeInput } from '../testing/encode-input.ts';
import type { CanonicalInput } from '../upstream/dialect.ts';
import { encode } from './encode.ts';

type Fields = Partial<GenerateRequest>;
const nova = 'us.amazon.nova-pro-v1:0';
const hi = user('Hi');
const city = { type: 'object', properties: { city: { type: 'string' } } };
const weather = { type: 'function', name: 'f', parameters: city } as const;

const written = (request: Fields, model = nova) =>
  encode(encodeInput({ request: { messages: [hi], ...request }, model }) as CanonicalInput).body.toString();
const body = (...from: Parameters<typeof written>) => JSON.parse(written(...from));
const sentUser = (...content: object[]) => ({ role: 'user', content });

test('a request without settings has only the conversation', () => {
  expect(body({})).toEqual({ messages: [sentUser({ text: 'Hi' })] });
});

test('settings have the places that Converse gives them', () => {
  const settings = {
    maxTokens: 9,
    temperature: 1.5,
    topP: 0.5,
    topK: 7,
    stop: ['END', ''],
    serviceTier: 'flex',
  };
  expect(body(settings)).toMatchObject({
    inferenceConfig: { maxTokens: 9, temperature: 1, topP: 0.5, stopSequences: ['END'] },
    additionalModelRequestFields: { inferenceConfig: { topK: 7 } },
    serviceTier: { type: 'flex' },
  });
});

test.each(
  rows<[string, Fields, unknown?]>`
  - [mistral.mistral-large-2407-v1:0, {topK: 7}, {top_k: 7}]
  - [cohere.command-r-plus-v1:0, {topK: 7}, {k: 7}]
  - [meta.llama3-70b-instruct-v1:0, {topK: 7}]
  - [openai.gpt-oss-120b-1:0, {reasoning: {effort: minimal}}, {reasoning_effort: low}]
  - [openai.gpt-oss-120b-1:0, {reasoning: {effort: none}}, {reasoning_effort: low}]
  - [openai.gpt-5.4-v1:0, {reasoning: {effort: none}}, {reasoning: {effort: none}}]
  - [openai.gpt-5.4-v1:0, {reasoning: {budget: 0}}, {reasoning: {effort: none}}]
  - [openai.gpt-5.4-v1:0, {reasoning: {effort: max}}, {reasoning: {effort: high}}]
  - [us.amazon.nova-2-lite-v1:0, {reasoning: {effort: none}}, {reasoningConfig: {type: disabled}}]
  - [deepseek.r1-v1:0, {reasoning: {effort: high}}]
  - - us.amazon.nova-2-lite-v1:0
    - {reasoning: {effort: high}}
    - {reasoningConfig: {type: enabled, maxReasoningEffort: high}}
  - - us.amazon.nova-2-lite-v1:0
    - {reasoning: {effort: high}, maxTokens: 9}
    - {reasoningConfig: {type: enabled, maxReasoningEffort: medium}}
`,
)('%s takes %j as %j', (model, request, fields) => {
  expect(body(request, model).additionalModelRequestFields).toEqual(fields);
});

describe('a conversation', () => {
  const thoughts = [
    thought('Hm.', signed('sig', 'converse')),
    thought('Not ours.', signed('x')),
    redacted('AAEC', 'converse'),
  ];
  const called = call('call 1', '{"n":12345678901234567890}');
  const messages = [
    ...[system(cached('Be brief.', { ttl: '1h' })), hi, says(...thoughts, ' ', called)],
    ...[tells(failed(result('call 1'))), hi],
  ];

  test('has alternating turns with results first, exact numbers, and the reasoning that Bedrock signed', () => {
    const text = written({ messages, tools: [weather] });
    expect(text).toContain('"input":{"n":12345678901234567890}');
    const { system, messages: turns } = JSON.parse(text);
    const toolUseId = turns[1].content[2].toolUse.toolUseId;
    expect(toolUseId).toMatch(/^call_[0-9a-f]{32}$/);
    expect(system).toEqual([{ text: 'Be brief.' }, { cachePoint: { type: 'default' } }]);
    const own = [
      { reasoningContent: { reasoningText: { text: 'Hm.', signature: 'sig' } } },
      { reasoningContent: { redactedContent: 'AAEC' } },
    ];
    const toolResult = { toolUseId, content: [{ text: '(empty)' }], status: 'error' };
    expect(turns).toEqual([
      sentUser({ text: 'Hi' }),
      { role: 'assistant', content: [...own, { toolUse: expect.objectContaining({ name: 'f' }) }] },
      sentUser({ toolResult }, { text: 'Hi' }),
    ]);
  });

  test('has no turn without content, no white space at the end of a beginning of the answer, and ids that do not repeat', () => {
    const turns = (...given: Message[]) => body({ messages: given, tools: [weather] }).messages;
    const said = (text: string) => ({ role: 'assistant', content: [{ text }] });
    const dot = sentUser({ text: '.' });
    expect(turns(user(' '))).toEqual([dot]);
    expect(turns(hi, says('x'), user(''))).toEqual([sentUser({ text: 'Hi' }), said('x'), dot]);
    expect(turns(hi, says('x'), system(' '), user('y'))).toHaveLength(3);
    expect(turns(hi, says('So '))).toEqual([sentUser({ text: 'Hi' }), said('So')]);
    const asks = [says(call('call_0')), tells(result('call_0', 'a'))];
    const sent = JSON.stringify(turns(hi, ...asks, ...asks));
    expect(sent.match(/"toolUseId":"call_0(_2)?"/g)).toHaveLength(4);
    expect(sent.match(/"toolUseId":"call_0_2"/g)).toHaveLength(2);
  });

  test('has its calls and results as text if no tool may be called, since Bedrock refuses their blocks then', () => {
    const sent = written({ messages, tools: [weather], toolChoice: { type: 'none' } });
    expect(sent).not.toMatch(/toolConfig|toolUse|toolResult/);
    expect(sent).toContain('[Called the tool f with');
  });

  test('has ids of nine characters for models of Mistral', () => {
    const sent = written({ messages, tools: [weather] }, 'mistral.mistral-large-2407-v1:0');
    expect(sent).toMatch(/"toolUseId":"([0-9a-f]{9})".*"toolUseId":"\1"/);
  });

  test('keeps the last four cache breakpoints, and none for models that refuse them', () => {
    const many = [user(...Array.from({ length: 6 }, () => cached('x')))];
    const points = (model: string) => written({ messages: many }, model).match(/cachePoint/g)?.length;
    expect([points(nova), points('meta.llama3-70b-instruct-v1:0')]).toEqual([4, undefined]);
  });
});

describe('media', () => {
  test('images and documents are bytes, with names that Bedrock takes, and a text beside documents', () => {
    const pdf = media('document', bytes('JVBERi0x'), { name: 'My  report_2.pdf' });
    const document = (name: string) => ({ document: { format: 'pdf', name, source: { bytes: 'JVBERi0x' } } });
    const image = { image: { format: 'png', source: { bytes: 'iVBO' } } };
    const sent = [{ text: '.' }, document('My report 2'), document('My report 2 2'), image];
    expect(body({ messages: [user(pdf, pdf, png)] }).messages).toEqual([sentUser(...sent)]);
  });

  test('documents of one name get names that no other document has', () => {
    const named = (name: string) => media('document', bytes('JVBERi0x'), { name });
    const { content } = body({ messages: [user(named('a 2'), named('a'), named('a'), named('a'))] })
      .messages[0];
    const names = content.flatMap(({ document }: { document?: { name: string } }) => document?.name ?? []);
    expect(names).toEqual(['a 2', 'a', 'a 3', 'a 4']);
  });

  test('an object of S3 is a location; another URL is refused for another target', () => {
    const image = (url: string) => body({ messages: [user(media('image', link(url)))] }).messages;
    const source = { s3Location: { uri: 's3://b/a.jpg' } };
    expect(image('s3://b/a.jpg')).toEqual([sentUser({ image: { format: 'jpeg', source } })]);
    const refused = refusal(() => image('https://x.example/a'));
    expect(refused).toMatchObject({ kind: 'invalid-request', path: 'messages' });
  });
});

describe('tools and output', () => {
  const toolConfig = (name: unknown) => ({
    ...{ tools: [{ toolSpec: { name, inputSchema: { json: city } } }], toolChoice: { any: {} } },
  });

  test('tools have schemas, choices and a valid name', () => {
    const tools = [{ ...weather, name: 'get weather' }];
    const sent = body({ tools, toolChoice: { type: 'required' } });
    expect(sent).toMatchObject({ toolConfig: toolConfig(expect.stringMatching(/^get_weather_/)) });
  });

  test('a schema of the answer is a setting where the model has it, else a tool', () => {
    const output = { type: 'schema', name: 'place', schema: city } as const;
    const structure = { jsonSchema: { schema: JSON.stringify(city), name: 'place' } };
    const { outputConfig } = body({ output }, 'openai.gpt-oss-20b-1:0');
    expect(outputConfig).toEqual({ textFormat: { type: 'json_schema', structure } });
    expect(body({ output })).toMatchObject({ toolConfig: toolConfig('final_answer') });
  });

  test.each<[string, Fields]>([
    ['n', { n: 2 }],
    ['modalities', { modalities: ['audio'] }],
    ['tools', { tools: [{ type: 'web-search' }] }],
  ])('%s is refused by its path', (path, request) => {
    expect(refusal(() => body(request))).toMatchObject({ kind: 'invalid-request', path });
  });
});
