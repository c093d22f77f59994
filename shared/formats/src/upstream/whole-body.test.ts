import type { GenerateFormat } from '@model-gateway/canonical';
import { folded, readAll } from '@model-gateway/canonical/testing/events';
import { call, result, says, tells, user } from '@model-gateway/canonical/testing/parts';
import { describe, expect, test } from 'vitest';
import { chatDialect } from '../chat/dialect.ts';
import { findDialect } from '../dialects.ts';
import { messagesDialect } from '../messages/dialect.ts';
import { encodeInput } from '../testing/encode-input.ts';

const translated = encodeInput({ model: 'm', request: { messages: [], n: 2 } });
const verbatim = encodeInput({ model: 'm', text: Buffer.from('{"n":2}') });
const upstreamError = [{ type: 'error', kind: 'upstream' }];
/** Holds a number beyond the exact range of a double. */
const big = '{"id":9007199254740993}';

describe('a chat response that is not streamed, decoded into events', () => {
  const url_citation = { url: 'u', title: 't', start_index: 0, end_index: 2 };
  const content = { content: 'Hi!', annotations: [{ type: 'url_citation', url_citation }] };
  const tool_calls = [{ id: 'c', type: 'function', function: { name: 'f', arguments: big } }];
  const body = (fields: object = {}) => {
    const first = { index: 0, message: content, finish_reason: 'stop', logprobs: null };
    const second = {
      index: 1,
      message: { content: null, tool_calls },
      finish_reason: 'tool_calls',
      ...fields,
    };
    const usage = { prompt_tokens: 3, completion_tokens: 4 };
    return Buffer.from(JSON.stringify({ id: 'x', model: 'm', choices: [first, second], usage }));
  };

  test.each([translated, verbatim])('a response keeps every choice', input => {
    expect(folded(chatDialect.decodeBody(body(), input))).toMatchObject({
      start: { id: 'x', model: 'm' },
      parts: [{ type: 'text', text: 'Hi!', citations: [{ url: 'u', title: 't', start: 0, end: 2 }] }],
      finish: { reason: 'stop', usage: { input: 3, output: 4 } },
      more: [{ parts: [{ type: 'tool-call', name: 'f', arguments: big }], end: { reason: 'tool-calls' } }],
    });
  });

  test('a response with a failed choice is an error', () => {
    const failed = chatDialect.decodeBody(body({ finish_reason: 'error' }), translated);
    expect(failed?.slice(-1)).toMatchObject(upstreamError);
  });

  test('a response with log probabilities, which parts cannot hold, is an error', () => {
    const probable = body({ logprobs: { content: [{ token: 'Hi' }] } });
    expect(chatDialect.decodeBody(probable, verbatim)).toMatchObject(upstreamError);
  });

  test('empty objects in place of log probabilities, audio and an old call are no content', () => {
    const audio = { data: '', expires_at: 0, id: '', transcript: '' };
    const message = { content: 'Hi', audio, function_call: { name: '', arguments: '' }, tool_calls: null };
    const choice = { index: 0, message, finish_reason: '', logprobs: { content: null, refusal: null } };
    const sent = Buffer.from(JSON.stringify({ id: '', model: 'm', choices: [choice] }));
    for (const input of [translated, verbatim])
      expect(folded(chatDialect.decodeBody(sent, input))).toMatchObject({
        parts: [{ type: 'text', text: 'Hi' }],
        finish: { reason: 'stop', raw: null },
      });
  });

  test('a body that is an error is not decoded as a response', () => {
    const error = Buffer.from('{"object":"error","message":"boom","choices":[{}]}');
    expect(chatDialect.decodeBody(error, translated)).toBeUndefined();
  });
});

/** Answers of each format that say nothing of their end: with content, and without. */
const unended: [GenerateFormat, object, object, string][] = [
  [
    'chat',
    {
      choices: [{ index: 0, message: { content: null, tool_calls: [{ id: 'c', function: { name: 'f' } }] } }],
    },
    { choices: [{ index: 0, message: { content: '' }, finish_reason: null }] },
    'tool-calls',
  ],
  ['completions', { choices: [{ index: 0, text: 'Hi' }] }, { choices: [{ index: 0, text: '' }] }, 'stop'],
  [
    'messages',
    { type: 'message', content: [{ type: 'text', text: 'Hi' }], stop_reason: null },
    { type: 'message', content: [], stop_reason: '' },
    'stop',
  ],
  [
    'messages',
    { type: 'message', content: [{ type: 'tool_use', id: '', name: 'f', input: {} }] },
    { type: 'message', content: [] },
    'tool-calls',
  ],
  [
    'responses',
    { object: 'response', output: [{ type: 'message', content: [{ type: 'output_text', text: 'Hi' }] }] },
    { object: 'response', output: [], status: null },
    'stop',
  ],
  [
    'generate-content',
    { candidates: [{ content: { parts: [{ functionCall: { name: 'f' } }] } }] },
    { candidates: [{ content: { parts: [] }, finishReason: 'FINISH_REASON_UNSPECIFIED' }] },
    'tool-calls',
  ],
  [
    'cohere-chat',
    { message: { content: [{ type: 'text', text: 'Hi' }] } },
    { message: { content: [] }, finish_reason: '' },
    'stop',
  ],
  [
    'converse',
    { output: { message: { content: [{ text: 'Hi' }] } } },
    { output: { message: { content: [] } } },
    'stop',
  ],
];

test.each(unended)(
  'a whole answer of %s with content needs no reason for its end',
  (format, good, empty, reason) => {
    const request = findDialect('generate', format, 'canonical');
    const bodyOf = (value: object) => Buffer.from(JSON.stringify(value));
    const one = encodeInput({ model: 'm', request: { messages: [] } });
    expect(request?.decodeBody(bodyOf(good), one)?.at(-1)).toMatchObject({ type: 'finish', reason });
    expect(request?.decodeBody(bodyOf(empty), one)).toMatchObject(upstreamError);
    const passing = findDialect('generate', format, 'verbatim');
    if (!passing) return;
    const whole = () => passing.decodeWhole(verbatim, 'application/json');
    expect(readAll(whole(), bodyOf(good)).map(({ type }) => type)).toEqual(['verbatim', 'finish']);
    expect(readAll(whole(), bodyOf(empty))).toMatchObject(upstreamError);
  },
);

test('a byte order mark before an answer is not passed on', () => {
  const body = '{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}';
  const [first] = readAll(chatDialect.decodeWhole(verbatim, 'application/json'), `\ufeff${body}`, 1);
  expect(first).toMatchObject({ bytes: Buffer.from(body), whole: { length: body.length } });
});

describe('numbers in tool input', () => {
  test('a messages response keeps the numbers in tool input, and the citations of a text', () => {
    const citation = { type: 'web_search_result_location', url: 'u', title: 't', encrypted_index: 'e' };
    const text = { type: 'text', text: 'Hi', citations: [citation] };
    const use = { type: 'tool_use', id: 't', name: 'f', input: 'big' };
    const message = {
      type: 'message',
      id: 'msg_1',
      model: 'm',
      content: [text, use],
      stop_reason: 'tool_use',
    };
    const body = Buffer.from(JSON.stringify(message).replace('"big"', big));
    expect(folded(messagesDialect.decodeBody(body, translated))).toMatchObject({
      parts: [{ type: 'text', text: 'Hi', citations: [{ url: 'u', title: 't' }] }, call('t', big)],
      finish: { reason: 'tool-calls' },
    });
  });

  test('a streamed messages block that starts with its input keeps the numbers', () => {
    const event = (type: string, rest: string) =>
      `event: ${type}\ndata: {"type":"${type}","index":0${rest}}\n\n`;
    const block = `,"content_block":{"type":"tool_use","id":"t","name":"f","input":${big}}`;
    const stream = event('content_block_start', block) + event('content_block_stop', '');
    const [, delta] = messagesDialect.decodeStream(translated).read(Buffer.from(stream));
    expect(delta).toEqual({ type: 'part-delta', index: 0, text: big });
  });

  test('tool input in the history keeps its numbers in the request', () => {
    const messages = [user('x'), says(call('c', big)), tells(result('c'))];
    const { body } = messagesDialect.encode(encodeInput({ model: 'm', request: { messages } }));
    expect(body.toString()).toContain(`"input":${big}`);
  });
});

test('interleaved choices of a stream end separately', () => {
  const decoder = chatDialect.decodeStream(translated);
  const chunk = (index: number, content: string, finish_reason: string | null = null) => {
    const choices = [{ index, delta: { content }, finish_reason }];
    return `data: ${JSON.stringify({ id: 'x', model: 'm', choices })}\n\n`;
  };
  const [a, b] = [chunk(0, 'a') + chunk(1, 'b'), chunk(0, 'A', 'stop') + chunk(1, 'B', 'length')];
  const events = decoder.read(Buffer.from(a + b + chunk(2, 'not asked for', 'stop')));
  expect(decoder.complete).toBe(true);
  expect(folded([...events, ...decoder.read(Buffer.from('data: [DONE]\n\n'))])).toMatchObject({
    parts: [{ text: 'aA' }],
    finish: { reason: 'stop' },
    more: [{ parts: [{ text: 'bB' }], end: { reason: 'length' } }],
  });
});
