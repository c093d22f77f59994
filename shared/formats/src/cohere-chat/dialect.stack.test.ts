import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { GenerateEvent, GenerateRequest } from '@model-gateway/canonical';
import { brief, readAll, refusal } from '@model-gateway/canonical/testing/events';
import {
  call,
  png,
  result,
  says,
  system,
  tells,
  thought,
  user,
} from '@model-gateway/canonical/testing/parts';
import { CohereClientV2 } from 'cohere-ai';
import { describe, expect, test } from 'vitest';
import { encodeInput } from '../testing/encode-input.ts';
import type { CanonicalInput } from '../upstream/dialect.ts';
import { cohereChatDialect } from './dialect.ts';

function inputOf(request: GenerateRequest): CanonicalInput {
  return encodeInput({ model: 'command-a', request }) as CanonicalInput;
}

const sent = (request: GenerateRequest) =>
  JSON.parse(cohereChatDialect.encode(inputOf(request)).body.toString());

const weather = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

describe('a request', () => {
  const request: GenerateRequest = {
    messages: [
      ...[system('Be brief.'), user('What is this?', png)],
      says(thought('I look it up.'), call('call_1', '{"city":"Oslo"}')),
      tells(result('call_1', 'Sunny')),
    ],
    tools: [{ type: 'function', name: 'f', description: 'Weather', parameters: weather }],
    toolChoice: { type: 'required' },
    ...{ maxTokens: 100, stop: ['END'], temperature: 0.5, topP: 0.9, topK: 40, seed: 7 },
    ...{ frequencyPenalty: 0.1, presencePenalty: 0.2, reasoning: { budget: 512 } },
    output: { type: 'schema', schema: weather },
  };

  test("is what the vendor's SDK sends for the same conversation", async () => {
    const bodies: unknown[] = [];
    const server = createServer(async (asked, response) => {
      bodies.push({ path: asked.url, body: await json(asked) });
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = new CohereClientV2({ token: 'k', baseUrl });
    const imageUrl = { url: 'data:image/png;base64,iVBO' };
    const called = {
      id: 'call_1',
      type: 'function',
      function: { name: 'f', arguments: '{"city":"Oslo"}' },
    } as const;
    await client.chatStream({
      model: 'command-a',
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', imageUrl },
          ],
        },
        { role: 'assistant', toolPlan: 'I look it up.', toolCalls: [called] },
        { role: 'tool', toolCallId: 'call_1', content: 'Sunny' },
      ],
      tools: [{ type: 'function', function: { name: 'f', description: 'Weather', parameters: weather } }],
      toolChoice: 'REQUIRED',
      ...{ maxTokens: 100, stopSequences: ['END'], temperature: 0.5, p: 0.9, k: 40, seed: 7 },
      ...{ frequencyPenalty: 0.1, presencePenalty: 0.2 },
      thinking: { type: 'enabled', tokenBudget: 512 },
      responseFormat: { type: 'json_object', jsonSchema: weather },
    });
    server.closeAllConnections();
    server.close();
    expect(bodies).toEqual([{ path: '/v2/chat', body: sent(request) }]);
  });

  test('a tool without parameters takes an object', () => {
    const { tools } = sent({ ...request, tools: [{ type: 'function', name: 'f' }] });
    expect(tools).toMatchObject([{ function: { parameters: { type: 'object', properties: {} } } }]);
  });

  test.each<[Partial<GenerateRequest>, object]>([
    [{ topP: 1 }, { p: 0.99 }],
    [{ topP: 0 }, { p: 0.01 }],
    [{ reasoning: { effort: 'none' } }, { thinking: { type: 'disabled' } }],
    [{ reasoning: { effort: 'medium' } }, { thinking: { type: 'enabled', token_budget: 4096 } }],
    [{ output: { type: 'json' } }, { response_format: { type: 'json_object' } }],
  ])('%j is sent as %j', (fields, expected) => {
    expect(sent({ messages: [user('Hi')], ...fields })).toMatchObject(expected);
  });

  test.each<[Partial<GenerateRequest>, string]>([
    [{ continuesLastTurn: true }, 'messages'],
    [{ tools: [{ type: 'custom', name: 'sql' }] }, 'tools'],
    [{ modalities: ['audio'] }, 'modalities'],
  ])('%j is refused by the path %s', (fields, path) => {
    expect(refusal(() => sent({ messages: [user('Hi')], ...fields }))).toMatchObject({
      ...{ kind: 'invalid-request', path },
    });
  });
});

const event = (data: { type: string; [field: string]: unknown }) =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const message = (type: string, index: number, fields: object) =>
  event({ type, index, delta: { message: fields } });
const counts = {
  billed_units: { input_tokens: 9, output_tokens: 5 },
  tokens: { input_tokens: 70, output_tokens: 8 },
  cached_tokens: 4,
};
const end = (finish_reason: string, more: object = {}) =>
  event({ type: 'message-end', delta: { finish_reason, usage: counts, ...more } });
const begin = event({ type: 'message-start', id: 'c-1', delta: { message: { role: 'assistant' } } });
const content = (index: number, content: object) => message('content-delta', index, { content });
const input = inputOf({ messages: [user('Hi')] });
const decode = (stream: string, size?: number): GenerateEvent[] =>
  readAll(cohereChatDialect.decodeStream(input), begin + stream, size);
const usage = expect.objectContaining({ input: 9, cachedInput: 4, output: 5 });

describe('an answer', () => {
  test.each([1, 7, 1e9])('thinking, text and citations become parts, read %i bytes at a time', size => {
    const url = { type: 'document', id: 'd', document: { url: 'https://no.example', title: 'Norway' } };
    const tool = { type: 'tool', id: 't', tool_output: { temperature: '4' } };
    const citations = { start: 0, end: 4, text: 'Oslo', sources: [url, tool] };
    const stream = [
      message('content-start', 0, { content: { type: 'thinking', thinking: '' } }),
      ...[content(0, { thinking: 'Hm' }), event({ type: 'content-end', index: 0 })],
      message('content-start', 1, { content: { type: 'text', text: '' } }),
      ...[content(1, { text: 'Oslo' }), message('citation-start', 0, { citations })],
      ...[event({ type: 'citation-end', index: 0 }), content(1, { text: ' 👋' })],
      ...[event({ type: 'content-end', index: 1 }), event({ type: 'debug', prompt: 'x' }), end('COMPLETE')],
    ].join('');
    const events = decode(stream, size);
    expect(events[0]).toEqual({ type: 'start', id: 'c-1', model: 'command-a' });
    expect(brief(events)).toBe('0+reasoning | 0 Hm | 0. | 1+text | 1 Oslo | 1  👋 | 1. | =stop');
    expect(events.slice(-2)).toMatchObject([
      { citations: [{ url: 'https://no.example', title: 'Norway', start: 0, end: 4 }] },
      { raw: 'COMPLETE', usage },
    ]);
  });

  test('a plan and two calls become reasoning and calls', () => {
    const tool_calls = (index: number, id: string) =>
      message('tool-call-start', index, {
        tool_calls: { id, type: 'function', function: { name: 'f', arguments: '' } },
      }) +
      message('tool-call-delta', index, { tool_calls: { function: { arguments: '{}' } } }) +
      event({ type: 'tool-call-end', index });
    const plan = message('tool-plan-delta', 0, { tool_plan: 'Look' });
    const events = decode(plan + tool_calls(0, 'a') + tool_calls(1, 'b') + end('TOOL_CALL'));
    const calls = '1+tool-call a f | 1 {} | 2+tool-call b f | 2 {} | 1. | 2.';
    expect(brief(events)).toBe(`0+reasoning | 0 Look | 0. | ${calls} | =tool-calls`);
    expect(events.at(-1)).toMatchObject({ raw: 'TOOL_CALL', usage });
  });

  test('calls of one index are told apart by their names', () => {
    const call = (id: string) =>
      message('tool-call-start', 0, { tool_calls: { id, type: 'function', function: { name: 'f' } } }) +
      message('tool-call-delta', 0, { tool_calls: { function: { arguments: '{}' } } });
    expect(brief(decode(call('a') + call('b') + end('TOOL_CALL')))).toBe(
      '0+tool-call a f | 0 {} | 0. | 1+tool-call b f | 1 {} | 1. | =tool-calls',
    );
  });

  test.each([
    ['MAX_TOKENS', 'length'],
    ['STOP_SEQUENCE', 'stop-sequence'],
    ['NEW_REASON', 'other'],
  ])('the finish reason %s becomes %s', (raw, reason) => {
    expect(decode(content(0, { text: 'Hi' }) + end(raw)).at(-1)).toMatchObject({
      type: 'finish',
      reason,
      raw,
    });
  });

  test.each([
    ['an end that failed', end('ERROR', { error: 'out of memory' }), 'upstream', 'out of memory'],
    ['an end by timeout', end('TIMEOUT'), 'timeout', 'The upstream ran out of time.'],
    ['no end', '', 'upstream', 'The upstream ended its answer too early.'],
    ['an error in the middle', 'data: {"message":"internal error"}\n\n', 'upstream', 'internal error'],
    ['an event without a type', 'data: {"x":1}\n\n', 'upstream', 'The upstream sent a malformed event.'],
  ])('%s is an error', (_what, last, kind, text) => {
    const events = decode(content(0, { text: 'Hi' }) + last);
    expect(events.at(-1)).toMatchObject({ type: 'error', kind, message: text });
  });

  test('a whole answer has the same parts', () => {
    const tool_calls = [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }];
    const body = {
      ...{ id: 'c-2', finish_reason: 'TOOL_CALL', usage: { tokens: { input_tokens: 3, output_tokens: 2 } } },
      message: { role: 'assistant', tool_plan: 'Look', tool_calls },
    };
    const events = cohereChatDialect.decodeBody(Buffer.from(JSON.stringify(body)), input) ?? [];
    expect(brief(events)).toBe('0+reasoning | 0 Look | 0. | 1+tool-call a f | 1 {} | 1. | =tool-calls');
    expect(events[0]).toEqual({ type: 'start', id: 'c-2', model: 'command-a' });
    expect(events.at(-1)).toMatchObject({ usage: { input: 3, output: 2 } });
    expect(cohereChatDialect.decodeBody(Buffer.from('{"message":"no"}'), input)).toBeUndefined();
  });
});
