import type { Usage, WireFormat } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { readAll } from '@model-gateway/canonical/testing/events';
import { user } from '@model-gateway/canonical/testing/parts';
import { rows } from '@model-gateway/canonical/testing/rows';
import { describe, expect, test } from 'vitest';
import { WholeDecoder as ChatDecoder } from '../chat/decode.ts';
import { findDialect } from '../dialects.ts';
import { WholeDecoder as GenerateContentDecoder } from '../generate-content/decode.ts';
import { WholeDecoder as MessagesDecoder } from '../messages/decode.ts';
import { WholeDecoder as ResponsesDecoder } from '../responses/decode.ts';
import { readUsage, readUsageOf } from './any-usage.ts';
import type { Decoder, EncodeInput } from './dialect.ts';
import { laterTotals } from './loose-events.ts';

const facts = { envelope: testEnvelope({ stream: true }), model: 'up', drop: [], limits: {} };
const inputs: EncodeInput[] = [
  { ...facts, body: 'canonical', request: { messages: [user('Hi')] } },
  { ...facts, body: 'verbatim', text: Buffer.from('{}') },
];

type Event = Record<string, unknown>;

/** Events without a type of their own are of chat, text completions or Google. */
const stream = (events: readonly Event[]) =>
  events
    .map(event => `${event.type ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\n\n`)
    .join('');

/** The usage at the end of a stream, translated and passed on. */
function usages(format: WireFormat, events: readonly Event[]): (Usage | null | undefined)[] {
  return inputs.flatMap(input => {
    const dialect = findDialect('generate', format, input.body);
    if (!dialect) return [];
    const last = readAll(dialect.decodeStream(input), stream(events)).at(-1);
    return [last?.type === 'finish' ? last.usage : undefined];
  });
}

const chat = (...later: unknown[]): Event[] => [
  { choices: [{ index: 0, delta: { content: 'Hi' } }], usage: { prompt_tokens: 5, completion_tokens: 1 } },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  ...later.map(usage => ({ choices: [], usage })),
];
const completions = (...later: unknown[]): Event[] => [
  { choices: [{ index: 0, text: 'Hi' }], usage: { prompt_tokens: 5, completion_tokens: 1 } },
  { choices: [{ index: 0, text: '', finish_reason: 'stop' }] },
  ...later.map(usage => ({ choices: [], usage })),
];
const start = { input_tokens: 100, cache_read_input_tokens: 50, output_tokens: 1 };
const messages = (usage: unknown): Event[] => [
  { type: 'message_start', message: { id: 'm', model: 'up', usage: start } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
  { type: 'message_stop' },
];
const responses = (first: unknown, last: unknown): Event[] => {
  const response = { id: 'r', model: 'up', output: [] };
  return [
    { type: 'response.created', response: { ...response, status: 'in_progress', usage: first } },
    { type: 'response.completed', response: { ...response, status: 'completed', usage: last } },
  ];
};
const google = (...usages: unknown[]): Event[] =>
  usages.map((usageMetadata, at) => ({
    candidates: [
      {
        index: 0,
        content: { role: 'model', parts: [{ text: 'Hi' }] },
        ...(at === usages.length - 1 && { finishReason: 'STOP' }),
      },
    ],
    usageMetadata,
  }));

const text = { modality: 'TEXT', tokenCount: 8 };
const audio = { modality: 'AUDIO', tokenCount: 2 };

test.each<[WireFormat, Event[], Partial<Usage>]>([
  ['chat', chat({ completion_tokens: 3 }), { input: 5, output: 3 }],
  ['chat', chat({ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }), { input: 5, output: 1 }],
  ['chat', chat({ prompt_tokens: 5, completion_tokens: 4 }, null, {}, []), { input: 5, output: 4 }],
  [
    'chat',
    chat(
      { prompt_tokens_details: { cached_tokens: 3 }, completion_tokens: 2 },
      { prompt_tokens_details: { cached_tokens: 0 }, completion_tokens: 2 },
    ),
    { input: 5, cachedInput: 3, output: 2 },
  ],
  ['completions', completions({ completion_tokens: 3 }), { input: 5, output: 3 }],
  ['completions', completions({ prompt_tokens: 0, completion_tokens: 0 }), { input: 5, output: 1 }],
  [
    'messages',
    messages({ input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 7 }),
    { input: 150, cachedInput: 50, output: 7 },
  ],
  ['messages', messages({ output_tokens: 7 }), { input: 150, output: 7 }],
  ['messages', messages({ input_tokens: 120, output_tokens: 0 }), { input: 170, output: 1 }],
  ['messages', messages({ output_tokens: 7, server_tool_use: null }), { input: 150, output: 7 }],
  [
    'responses',
    responses({ input_tokens: 5, output_tokens: 1 }, { input_tokens: 0, output_tokens: 0 }),
    { input: 5, output: 1 },
  ],
  ['responses', responses({ input_tokens: 5 }, { output_tokens: 3 }), { input: 5, output: 3 }],
  ['responses', responses({ input_tokens: 5, output_tokens: 3 }, null), { input: 5, output: 3 }],
  ['responses', responses(null, { prompt_tokens: 5, completion_tokens: 3 }), { input: 5, output: 3 }],
  [
    'generate-content',
    google({ promptTokenCount: 10, totalTokenCount: 10 }, { promptTokenCount: 10, totalTokenCount: 14 }),
    { input: 10, output: 4 },
  ],
  [
    'generate-content',
    google({ promptTokenCount: 10, thoughtsTokenCount: 3, totalTokenCount: 17 }),
    { input: 10, reasoning: 3, output: 7 },
  ],
  [
    'generate-content',
    google(
      { promptTokenCount: 10, candidatesTokenCount: 4, promptTokensDetails: [text, audio] },
      { promptTokenCount: 0, candidatesTokenCount: 0, promptTokensDetails: [{ ...audio, tokenCount: 0 }] },
    ),
    { input: 10, output: 4, audioInput: 2 },
  ],
  ['generate-content', google({ promptTokenCount: 10, totalTokenCount: 10 }), { input: 10, output: 0 }],
])('a later usage of %s takes nothing back: %j', (format, events, usage) => {
  for (const read of usages(format, events)) expect(read).toMatchObject(usage);
});

const whole = (usage: object) => ({
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage,
});

test.each([
  [
    { prompt_tokens: 5, total_tokens: 8 },
    { input: 5, output: 3 },
  ],
  [
    { input_tokens: 5, output_tokens: 3 },
    { input: 5, output: 3 },
  ],
  [
    { prompt_tokens: 5, completion_tokens: 0, total_tokens: 5 },
    { input: 5, output: 0 },
  ],
])('the usage %j of a whole chat completion is %j', (usage, read) => {
  for (const input of inputs) {
    const dialect = findDialect('generate', 'chat', input.body);
    const body = Buffer.from(JSON.stringify(whole(usage)));
    const events =
      input.body === 'verbatim'
        ? readAll(dialect?.decodeWhole(input, 'application/json') as never, body)
        : dialect?.decodeBody(body, input);
    expect(events?.at(-1)).toMatchObject({ type: 'finish', usage: read });
  }
});

describe('usage under any name', () => {
  test.each(
    rows<[unknown, object | null]>`
  - [{input_tokens: 14, output_tokens: 3, total_tokens: 17, input_token_details: {audio_tokens: 10}}, {input: 14, audioInput: 10, output: 3}]
  - [{prompt_tokens: 10, completion_tokens: 1000, total_tokens: 1010}, {input: 10, output: 1000}]
  - [{prompt_tokens: 4, prompt_tokens_details: {cached_tokens: 2, image_tokens: 1}}, {input: 4, cachedInput: 2, imageInput: 1, output: 0}]
  - [{generated_images: 1, output_tokens: 16, total_tokens: 16}, {input: 0, output: 16}]
  - [{total_tokens: 9}, {input: 9}]
  - [{prompt_audio_seconds: 30, prompt_tokens: 3, completion_tokens: 42, total_tokens: 420, prompt_tokens_details: {audio_tokens: 375}}, {input: 378, audioInput: 375, output: 42, units: {seconds: 30}}]
  - [{type: duration, seconds: 2}, {input: 0, units: {seconds: 2}}]
  - [{duration: 9.5}, {units: {seconds: 9.5}}]
  - [{prompt_tokens: '4', completion_tokens: '2'}, {input: 4, output: 2}]
  - [{output_tokens: 5, output_tokens_details: {reasoning_tokens: 2, audio_tokens: 1}}, {output: 5, reasoning: 2, audioOutput: 1}]
  - [{prompt_tokens: 0, total_tokens: 0}, null]
  - [{seconds: 0}, null]
  - [{prompt_tokens: many, completion_tokens: -1}, null]
  - [{}, null]
  - [null, null]
  - [[1], null]
  - [5, null]
`,
  )('%j is read as %j', (raw, usage) => {
    const read = readUsage(raw);
    if (usage) expect(read).toMatchObject({ ...usage, raw });
    else expect(read).toBeNull();
  });

  test.each(
    rows<[object, object | null]>`
  - [{usage: {prompt_tokens: 3}, meta: {tokens: {input_tokens: 9}}}, {input: 3}]
  - [{usage: {total_tokens: 0}, meta: {billed_units: {search_units: 2}}}, {input: 0, units: {searches: 2}}]
  - [{meta: {billed_units: {input_tokens: 4}}}, {input: 4}]
  - [{meta: {tokens: {input_tokens: 7}, billed_units: {input_tokens: 5, search_units: 1}}}, {input: 7, units: {searches: 1}}]
  - [{meta: {tokens: {input_tokens: 0, output_tokens: 0}, billed_units: {input_tokens: 5}}}, {input: 5}]
  - [{meta: {billed_units: {total_tokens: 6}}}, {input: 6}]
  - [{usage: {billed_units: {input_tokens: 6, output_tokens: 2}}}, {input: 6, output: 2}]
  - [{results: [], tokens: {input_tokens: 28, output_tokens: 0}}, {input: 28, output: 0}]
  - [{meta: {billed_units: {search_units: 0}}}, null]
  - [{usage: null, meta: {}}, null]
  - [{}, null]
`,
  )('the usage of an answer with %j is %j', (answer, usage) => {
    const read = readUsageOf(answer);
    if (usage) expect(read).toMatchObject(usage);
    else expect(read).toBeNull();
  });
});

describe('running totals', () => {
  test.each(
    rows<[object, object, object]>`
  - [{a: 5}, {a: 0}, {a: 5}]
  - [{a: 5}, {a: 7}, {a: 7}]
  - [{a: 5, b: 1}, {b: 3}, {a: 5, b: 3}]
  - [{a: 5}, {a: null}, {a: 5}]
  - [{a: 5}, {a: many}, {a: 5}]
  - [{a: many}, {a: 5}, {a: 5}]
  - [{a: {b: 5, c: 1}}, {a: {b: 0}}, {a: {b: 5, c: 1}}]
  - [{a: {b: 5}}, {a: null}, {a: {b: 5}}]
  - [{a: null}, {a: {b: 5}}, {a: {b: 5}}]
  - [{tier: one}, {tier: two}, {tier: two}]
  - [{list: [{modality: TEXT, n: 5}, {modality: AUDIO, n: 2}]}, {list: [{modality: AUDIO, n: 3}, {modality: TEXT, n: 0}]}, {list: [{modality: TEXT, n: 5}, {modality: AUDIO, n: 3}]}]
  - [{list: [{modality: TEXT, n: 5}]}, {list: []}, {list: [{modality: TEXT, n: 5}]}]
  - [{list: [1, 2]}, {list: [3]}, {list: [3]}]
`,
  )('%j and later %j are %j', (earlier, later, totals) => {
    expect(laterTotals<Record<string, unknown>>({ ...earlier }, { ...later })).toEqual(totals);
  });

  test('the first counts are as they are', () => {
    expect(laterTotals(undefined, { a: 1, b: { c: 0 } })).toEqual({ a: 1, b: { c: 0 } });
  });
});

describe('extras that are billed', () => {
  function usageIn(decoder: Decoder, answer: object) {
    const last = readAll(decoder, JSON.stringify(answer), 1e9).at(-1);
    return last?.type === 'finish' ? last.usage : last;
  }

  test('the searches and the service tier of a response are read', () => {
    const search = { type: 'web_search_call', id: 'ws', status: 'completed' };
    const answer = {
      ...{ object: 'response', id: 'r', model: 'm', status: 'completed', service_tier: 'priority' },
      output: [
        { ...search, action: { type: 'search', query: 'a' } },
        { ...search, action: { type: 'open_page', url: 'https://a.com' } },
        search,
      ],
      usage: { input_tokens: 1, output_tokens: 2 },
    };
    expect(usageIn(new ResponsesDecoder(), answer)).toMatchObject({
      ...{ input: 1, output: 2, tier: 'priority', units: { webSearches: 2 } },
    });
  });

  test('the searches and the service tier of a message are read', () => {
    const usage = {
      ...{ input_tokens: 1, output_tokens: 2, service_tier: 'standard' },
      server_tool_use: { web_search_requests: 3 },
    };
    const answer = { type: 'message', id: 'm', model: 'm', content: [], stop_reason: 'end_turn', usage };
    expect(usageIn(new MessagesDecoder(), answer)).toMatchObject({
      ...{ input: 1, tier: 'standard', units: { webSearches: 3 } },
    });
  });

  test('the searches of generate content are read', () => {
    const answer = {
      candidates: [
        {
          content: { role: 'model', parts: [{ text: 'Hi' }] },
          finishReason: 'STOP',
          groundingMetadata: { webSearchQueries: ['a', 'b'] },
        },
      ],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2 },
    };
    expect(usageIn(new GenerateContentDecoder(), answer)).toMatchObject({ units: { webSearches: 2 } });
  });

  test('the service tier of a chat completion is read', () => {
    const answer = {
      service_tier: 'flex',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 2 },
    };
    expect(usageIn(new ChatDecoder(), answer)).toMatchObject({ input: 1, tier: 'flex' });
    expect(usageIn(new ChatDecoder(), { ...answer, service_tier: null })).not.toHaveProperty('tier');
  });
});
