import type { Usage, WireFormat } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { readAll } from '@model-gateway/canonical/testing/events';
import { user } from '@model-gateway/canonical/testing/parts';
import { expect, test } from 'vitest';
import { findDialect } from '../dialects.ts';
import type { EncodeInput } from './dialect.ts';

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
