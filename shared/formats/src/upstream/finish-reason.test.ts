import type { FinishEvent, FinishReason, GenerateEvent, GenerateFormat } from '@model-gateway/canonical';
import { readAll } from '@model-gateway/canonical/testing/events';
import { user } from '@model-gateway/canonical/testing/parts';
import type { ReasonList } from '@model-gateway/providers/finish-reasons';
import { describe, expect, test } from 'vitest';
import { chatReasons, renderReason } from '../chat/finish.ts';
import { completionsReasons, toldReasons } from '../completions/finish.ts';
import { findDialect } from '../dialects.ts';
import { generateContentReasons, renderFinish } from '../generate-content/finish.ts';
import { messagesReasons, renderStop } from '../messages/finish.ts';
import { incompleteReasons, responsesReasons } from '../responses/finish.ts';
import { awsFrame } from '../testing/aws-frames.ts';
import { encodeInput } from '../testing/encode-input.ts';
import { finishReason, reasonLists, reasonMeaning } from './finish-reason.ts';

const named = (event: { type: string } & Record<string, unknown>) =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
const data = (...chunks: object[]) => chunks.map(chunk => `data: ${JSON.stringify(chunk)}\n\n`).join('');
const done = 'data: [DONE]\n\n';

const message = { id: 'm', type: 'message', role: 'assistant', model: 'up', usage: { input_tokens: 1 } };
const item = { type: 'message', id: 'i', content: [{ type: 'output_text', text: 'Hi' }] };
const candidate = (finishReason?: string) => ({
  candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason }],
});
const response = (reason: string) => ({
  ...{ object: 'response', id: 'r', model: 'up', status: 'incomplete' },
  ...{ incomplete_details: { reason }, output: [item] },
});

/** An answer of each format that says "Hi" and ends for a reason: streamed, and whole. */
const answers: Record<GenerateFormat, (raw: string) => [stream: string | Buffer, whole: object]> = {
  chat: raw => [
    data({ choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: null }] }) +
      data({ choices: [{ index: 0, delta: {}, finish_reason: raw }] }) +
      done,
    { choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: raw }] },
  ],
  completions: raw => [
    data({ choices: [{ index: 0, text: 'Hi', finish_reason: raw }] }) + done,
    { choices: [{ index: 0, text: 'Hi', finish_reason: raw }] },
  ],
  messages: raw => [
    named({ type: 'message_start', message: { ...message, content: [] } }) +
      named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hi' } }) +
      named({ type: 'content_block_stop', index: 0 }) +
      named({ type: 'message_delta', delta: { stop_reason: raw }, usage: { output_tokens: 1 } }) +
      named({ type: 'message_stop' }),
    { ...message, content: [{ type: 'text', text: 'Hi' }], stop_reason: raw },
  ],
  responses: raw => [
    named({ type: 'response.output_item.done', output_index: 0, item }) +
      named({ type: 'response.completed', response: response(raw) }),
    response(raw),
  ],
  'generate-content': raw => [data(candidate(), candidate(raw)), candidate(raw)],
  'cohere-chat': raw => [
    named({ type: 'content-delta', index: 0, delta: { message: { content: { text: 'Hi' } } } }) +
      named({ type: 'message-end', delta: { finish_reason: raw } }),
    { finish_reason: raw, message: { content: [{ type: 'text', text: 'Hi' }] } },
  ],
  converse: raw => [
    Buffer.concat([
      awsFrame('messageStart', { role: 'assistant' }),
      awsFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Hi' } }),
      awsFrame('messageStop', { stopReason: raw }),
      awsFrame('metadata', { usage: { inputTokens: 1, outputTokens: 1 } }),
    ]),
    { output: { message: { content: [{ text: 'Hi' }] } }, stopReason: raw },
  ],
};
const formats = Object.keys(answers) as GenerateFormat[];

/** The last event of an answer in each way that it may come in: streamed and whole, translated and passed on. */
function endsOf(format: GenerateFormat, raw: string): GenerateEvent[] {
  const [stream, whole] = answers[format](raw);
  const body = Buffer.from(JSON.stringify(whole));
  const canonical = encodeInput({ model: 'up', request: { messages: [user('Hi')] } }, { stream: true });
  const translating = findDialect('generate', format, 'canonical');
  const passing = findDialect('generate', format, 'verbatim');
  const verbatim = encodeInput({ model: 'up', text: Buffer.from('{}') }, { stream: true });
  return [
    ...(translating ? [readAll(translating.decodeStream(canonical), stream)] : []),
    ...(translating ? [translating.decodeBody(body, canonical) ?? []] : []),
    ...(passing ? [readAll(passing.decodeStream(verbatim), stream)] : []),
    ...(passing ? [readAll(passing.decodeWhole(verbatim, 'application/json'), body)] : []),
  ].map(events => events.at(-1) as GenerateEvent);
}

const reasons: [FinishReason, string[]][] = [
  ['stop', ['stop', 'STOP', 'eos', 'eos_token', 'end_turn', 'complete', 'COMPLETE', 'normal', 'load']],
  [
    'length',
    [
      ...['length', 'max_tokens', 'MAX_TOKENS', 'model_length', 'model_context_window_exceeded'],
      ...['max_output', 'repetition_truncation', 'repetition', 'CONTINUATION', 'ERROR_LIMIT', 'time_limit'],
    ],
  ],
  [
    'content-filter',
    [
      ...['content_filter', 'content_filtered', 'sensitive', 'SAFETY', 'PROHIBITED_CONTENT', 'MODEL_ARMOR'],
      ...['guardrail_intervened', 'ERROR_TOXIC', 'content_filter: RECITATION'],
    ],
  ],
  ['refusal', ['refusal']],
  ['pause', ['pause_turn']],
  ['other', ['brand_new', 'OTHER', 'MALFORMED_RESPONSE', 'TOO_MANY_TOOL_CALLS', 'malformed_tool_use']],
];
const failures: [string, string[]][] = [
  ['overloaded', ['insufficient_system_resource']],
  ['upstream', ['error', 'ERROR', 'abort', 'network_error', 'USER_CANCEL', 'cancelled', 'failed']],
  ['timeout', ['timeout', 'TIMEOUT']],
];
const each = <T>(table: [T, string[]][]) =>
  table.flatMap(([means, all]) => all.flatMap(raw => formats.map(format => [format, raw, means] as const)));

test.each(each(reasons))(
  'an answer in %s that ends for %s ends for %s, however it comes',
  (format, raw, reason) => {
    // An incomplete response is never an ordinary end.
    const expected = format === 'responses' && reason === 'stop' ? 'length' : reason;
    const ends = endsOf(format, raw);
    expect(ends.length).toBeGreaterThan(1);
    for (const end of ends) expect(end).toMatchObject({ type: 'finish', reason: expected, raw });
  },
);

test.each(each(failures))('an answer in %s that ends for %s failed: %s', (format, raw, kind) => {
  for (const end of endsOf(format, raw)) expect(end).toMatchObject({ type: 'error', kind });
});

const noContent = { calls: false, refusal: false, legacy: false };
test.each<[ReasonList, (reason: FinishReason) => string]>([
  [chatReasons, reason => renderReason({ reason, raw: null }, noContent)],
  [completionsReasons, reason => toldReasons[reason]],
  [responsesReasons, reason => incompleteReasons[reason] ?? 'completed'],
])('clients of $of are told a reason by a word that means it', ({ reasons }, tell) => {
  // A cut of any other kind is told by the word for the longest answer.
  for (const meaning of Object.values(reasons).filter(
    means => typeof means === 'string' && means !== 'other',
  ))
    expect(reasons[tell(meaning as FinishReason)]).toBe(meaning);
});

const tellers: Partial<Record<GenerateFormat, (end: FinishEvent) => string | null>> = {
  messages: end => renderStop(end, '').stop_reason,
  'generate-content': end => renderFinish(end, '').finishReason,
};
const told = [messagesReasons, generateContentReasons].flatMap(({ of, reasons }) =>
  Object.entries(reasons).map(([raw, reason]) => [of, raw, reason] as const),
);

test.each(told.filter(([, raw]) => raw !== 'FINISH_REASON_UNSPECIFIED'))(
  'a client of %s is told its own reason %s',
  (format, raw, reason) => {
    const end: FinishEvent = { type: 'finish', reason, raw, usage: null, stopSequence: '!' };
    expect(tellers[format]?.(end)).toBe(raw);
  },
);

test('no client is told a reason that only stands for none', () => {
  const end: FinishEvent = { type: 'finish', reason: 'other', raw: 'FINISH_REASON_UNSPECIFIED', usage: null };
  for (const tell of Object.values(tellers)) expect(tell(end)).toMatch(/^max_tokens$/i);
});

test.each([null, undefined, ''])(
  'an answer that ends without a reason (%j) ends in the ordinary way',
  raw => {
    expect(finishReason(raw)).toBe('stop');
  },
);

test.each([7, {}, true])('a reason of another type, %j, is not known', raw => {
  expect(finishReason(raw)).toBe('other');
});

describe('a chat upstream', () => {
  const input = encodeInput({ model: 'up', request: { messages: [user('Hi')] } }, { stream: true });
  const dialect = findDialect('generate', 'chat', 'canonical');
  const read = (stream: string) => dialect && readAll(dialect.decodeStream(input), stream).at(-1);

  test.each([
    ['Throttling: TPM(10680324/10000000)', 'rate-limited'],
    ['<503> InternalError.Algo: An error occurred in model serving.', 'upstream'],
  ])('that ends with error_finish and the text %j has that error', (content, kind) => {
    const choice = { index: 0, delta: { content }, finish_reason: 'error_finish' };
    expect(read(data({ choices: [choice] }) + done)).toMatchObject({ type: 'error', kind, message: content });
    const body = Buffer.from(
      JSON.stringify({ choices: [{ message: { content }, finish_reason: 'error_finish' }] }),
    );
    expect(dialect && readAll(dialect.decodeWhole(input, 'application/json'), body)).toMatchObject([
      { type: 'error', kind, message: content },
    ]);
  });

  test('keeps a cut, although it reports an ordinary end after it', () => {
    const choice = (raw: string) => ({
      choices: [{ index: 0, delta: { content: 'x' }, finish_reason: raw }],
    });
    const end = read(data(choice('sensitive'), choice('stop')) + done) as FinishEvent;
    expect(end).toMatchObject({ reason: 'content-filter', raw: 'sensitive' });
  });
});

test.each(reasonLists)(
  'the reasons of $of have a source, and mean the same in every list',
  ({ source, reasons }) => {
    expect(source).toMatch(/^https:\/\//);
    for (const [reason, meaning] of Object.entries(reasons)) expect(reasonMeaning(reason)).toEqual(meaning);
  },
);

describe('a finish reason', () => {
  test.each([
    ['STOP', 'stop'],
    ['Max_Tokens', 'length'],
    ['content-filter', 'content-filter'],
    [' tool-calls ', 'tool-calls'],
    ['COMPLETE', 'stop'],
    ['complete', 'stop'],
    ['content_filter: RECITATION', 'content-filter'],
    ['function_call_filter: MALFORMED_FUNCTION_CALL', 'other'],
  ])('%j means %s, in whatever spelling', (reason, meaning) => {
    expect(reasonMeaning(reason)).toBe(meaning);
  });

  test.each(['', 'brand_new', 'stopped: for good', '__proto__', 'constructor', `stop${' '.repeat(1e6)}`])(
    'is not known: %#',
    reason => {
      expect(reasonMeaning(reason)).toBeUndefined();
    },
  );
});
