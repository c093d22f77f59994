import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { GenerateEvent, GenerateRequest } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { CohereClientV2 } from 'cohere-ai';
import { describe, expect, test } from 'vitest';
import { encodeInput, refusal } from '../../testing/encode-input.ts';
import type { CanonicalInput } from '../dialect.ts';
import { cohereChatDialect } from './dialect.ts';

const user = (text: string) => ({ role: 'user' as const, content: [{ type: 'text' as const, text }] });

function inputOf(request: GenerateRequest): CanonicalInput {
  const envelope = testEnvelope({ format: 'chat' });
  return encodeInput({ model: 'command-a', request }, envelope) as CanonicalInput;
}

const sent = (request: GenerateRequest) =>
  JSON.parse(cohereChatDialect.encode(inputOf(request)).body.toString());

const weather = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
};

describe('a request', () => {
  const request: GenerateRequest = {
    messages: [
      { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'media', kind: 'image', mediaType: 'image/png', source: { type: 'base64', data: 'iVBO' } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'I look it up.' },
          { type: 'tool-call', id: 'call_1', name: 'weather', arguments: '{"city":"Oslo"}' },
        ],
      },
      {
        role: 'tool',
        content: [{ type: 'tool-result', callId: 'call_1', content: [{ type: 'text', text: 'Sunny' }] }],
      },
    ],
    tools: [{ type: 'function', name: 'weather', description: 'Weather', parameters: weather }],
    toolChoice: { type: 'required' },
    maxTokens: 100,
    stop: ['END'],
    temperature: 0.5,
    topP: 0.9,
    topK: 40,
    seed: 7,
    frequencyPenalty: 0.1,
    presencePenalty: 0.2,
    reasoning: { budget: 512 },
    output: { type: 'schema', schema: weather },
  };

  test("is what the vendor's SDK sends for the same conversation", async () => {
    const bodies: unknown[] = [];
    const server = createServer(async (asked, response) => {
      bodies.push({ path: asked.url, body: await json(asked) });
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end();
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = new CohereClientV2({ token: 'k', baseUrl });
    await client.chatStream({
      model: 'command-a',
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', imageUrl: { url: 'data:image/png;base64,iVBO' } },
          ],
        },
        {
          role: 'assistant',
          toolPlan: 'I look it up.',
          toolCalls: [
            { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
          ],
        },
        { role: 'tool', toolCallId: 'call_1', content: 'Sunny' },
      ],
      tools: [
        { type: 'function', function: { name: 'weather', description: 'Weather', parameters: weather } },
      ],
      toolChoice: 'REQUIRED',
      maxTokens: 100,
      stopSequences: ['END'],
      temperature: 0.5,
      p: 0.9,
      k: 40,
      seed: 7,
      frequencyPenalty: 0.1,
      presencePenalty: 0.2,
      thinking: { type: 'enabled', tokenBudget: 512 },
      responseFormat: { type: 'json_object', jsonSchema: weather },
    });
    server.close().closeAllConnections();
    expect(bodies).toEqual([{ path: '/v2/chat', body: sent(request) }]);
  });

  test('a choice of one tool offers that tool alone', () => {
    const other = { type: 'function' as const, name: 'other' };
    const tools = [...(request.tools ?? []), other];
    expect(sent({ ...request, tools, toolChoice: { type: 'tool', name: 'other' } })).toMatchObject({
      tools: [{ function: { name: 'other', parameters: { type: 'object', properties: {} } } }],
      tool_choice: 'REQUIRED',
    });
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
    [{ logprobs: {} }, 'logprobs'],
    [{ logitBias: { 5: 1 } }, 'logitBias'],
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
const end = (reason: string, more: object = {}) =>
  event({
    type: 'message-end',
    delta: {
      finish_reason: reason,
      usage: {
        billed_units: { input_tokens: 9, output_tokens: 5 },
        tokens: { input_tokens: 70, output_tokens: 8 },
        cached_tokens: 4,
      },
      ...more,
    },
  });
const begin = event({ type: 'message-start', id: 'c-1', delta: { message: { role: 'assistant' } } });

function decode(stream: string, size = 1e9): GenerateEvent[] {
  const decoder = cohereChatDialect.decodeStream(inputOf({ messages: [user('Hi')] }));
  const bytes = Buffer.from(stream);
  const events: GenerateEvent[] = [];
  for (let at = 0; at < bytes.length; at += size) events.push(...decoder.read(bytes.subarray(at, at + size)));
  return [...events, ...decoder.end()];
}

const usage = expect.objectContaining({ input: 9, cachedInput: 4, output: 5 });

describe('an answer', () => {
  test.each([1, 7, 1e9])('thinking, text and citations become parts, read %i bytes at a time', size => {
    const citation = {
      ...{ start: 0, end: 4, text: 'Oslo' },
      sources: [
        { type: 'document', id: 'd', document: { url: 'https://no.example', title: 'Norway' } },
        { type: 'tool', id: 't', tool_output: { temperature: '4' } },
      ],
    };
    const stream =
      begin +
      message('content-start', 0, { content: { type: 'thinking', thinking: '' } }) +
      message('content-delta', 0, { content: { thinking: 'Hm' } }) +
      event({ type: 'content-end', index: 0 }) +
      message('content-start', 1, { content: { type: 'text', text: '' } }) +
      message('content-delta', 1, { content: { text: 'Oslo' } }) +
      message('citation-start', 0, { citations: citation }) +
      event({ type: 'citation-end', index: 0 }) +
      message('content-delta', 1, { content: { text: ' 👋' } }) +
      event({ type: 'content-end', index: 1 }) +
      event({ type: 'debug', prompt: 'x' }) +
      end('COMPLETE');
    expect(decode(stream, size)).toEqual([
      { type: 'start', id: 'c-1', model: 'command-a' },
      { type: 'part-start', index: 0, part: { type: 'reasoning' } },
      { type: 'part-delta', index: 0, text: 'Hm' },
      { type: 'part-end', index: 0 },
      { type: 'part-start', index: 1, part: { type: 'text' } },
      { type: 'part-delta', index: 1, text: 'Oslo' },
      { type: 'part-delta', index: 1, text: ' 👋' },
      {
        ...{ type: 'part-end', index: 1 },
        citations: [{ url: 'https://no.example', title: 'Norway', start: 0, end: 4 }],
      },
      { type: 'finish', reason: 'stop', raw: 'COMPLETE', usage },
    ]);
  });

  test('a plan and two calls become reasoning and calls', () => {
    const call = (index: number, id: string) =>
      message('tool-call-start', index, {
        tool_calls: { id, type: 'function', function: { name: 'weather', arguments: '' } },
      }) +
      message('tool-call-delta', index, { tool_calls: { function: { arguments: '{"city":"Oslo"}' } } }) +
      event({ type: 'tool-call-end', index });
    const events = decode(
      begin +
        message('tool-plan-delta', 0, { tool_plan: 'Look' }) +
        call(0, 'a') +
        call(1, 'b') +
        end('TOOL_CALL'),
    );
    const starts = events.flatMap(each => (each.type === 'part-start' ? [each.part] : []));
    expect(starts).toEqual([
      { type: 'reasoning' },
      { type: 'tool-call', id: 'a', name: 'weather' },
      { type: 'tool-call', id: 'b', name: 'weather' },
    ]);
    expect(events.at(-1)).toEqual({ type: 'finish', reason: 'tool-calls', raw: 'TOOL_CALL', usage });
  });

  test.each([
    ['MAX_TOKENS', 'length'],
    ['STOP_SEQUENCE', 'stop-sequence'],
    ['NEW_REASON', 'other'],
  ])('the finish reason %s becomes %s', (raw, reason) => {
    const text = message('content-delta', 0, { content: { text: 'Hi' } });
    expect(decode(begin + text + end(raw)).at(-1)).toMatchObject({ type: 'finish', reason, raw });
  });

  test.each([
    ['an end that failed', end('ERROR', { error: 'out of memory' }), 'upstream', 'out of memory'],
    ['an end by timeout', end('TIMEOUT'), 'timeout', 'The upstream ran out of time.'],
    ['no end', '', 'upstream', 'The upstream ended its answer too early.'],
    [
      'an error in the middle',
      'data: {"message":"internal server error"}\n\n',
      'upstream',
      'internal server error',
    ],
    ['an event without a type', 'data: {}\n\n', 'upstream', 'The upstream sent a malformed event.'],
  ])('%s is an error', (_what, last, kind, text) => {
    const events = decode(begin + message('content-delta', 0, { content: { text: 'Hi' } }) + last);
    expect(events.at(-1)).toMatchObject({ type: 'error', kind, message: text });
  });

  test('a whole answer has the same parts', () => {
    const call = { id: 'a', type: 'function', function: { name: 'weather', arguments: '{}' } };
    const body = {
      ...{ id: 'c-2', finish_reason: 'TOOL_CALL' },
      message: { role: 'assistant', tool_plan: 'Look', tool_calls: [call] },
      usage: { tokens: { input_tokens: 3, output_tokens: 2 } },
    };
    const input = inputOf({ messages: [user('Hi')] });
    const events = cohereChatDialect.decodeBody(Buffer.from(JSON.stringify(body)), input);
    expect(events?.at(0)).toEqual({ type: 'start', id: 'c-2', model: 'command-a' });
    expect(events?.at(-1)).toMatchObject({ reason: 'tool-calls', usage: { input: 3, output: 2 } });
    expect(cohereChatDialect.decodeBody(Buffer.from('{"message":"no"}'), input)).toBeUndefined();
  });
});
