import { AnswerFold, type GenerateEvent } from '@model-gateway/canonical';
import { describe, expect, test } from 'vitest';
import { chatDialect } from './chat/dialect.ts';
import type { CanonicalInput, VerbatimInput } from './dialect.ts';
import { messagesDialect } from './messages/dialect.ts';

const envelope = { requestId: 'req_1', format: 'chat' } as VerbatimInput['envelope'];
const facts = { envelope, model: 'm', drop: [], limits: {} };
const translated: CanonicalInput = { ...facts, body: 'canonical', request: { messages: [], n: 2 } };
const verbatim: VerbatimInput = { ...facts, body: 'verbatim', text: Buffer.from('{"n":2}') };

function fold(events: GenerateEvent[] | undefined) {
  const adds = new AnswerFold();
  return events?.map(event => adds.add(event)).at(-1);
}

/** Holds a number beyond the exact range of a double. */
const big = '{"id":9007199254740993}';

describe('a chat response that is not streamed, decoded into events', () => {
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: big } };
  const cited = {
    type: 'url_citation',
    url_citation: { url: 'u', title: 't', start_index: 0, end_index: 2 },
  };
  const body = (fields: object = {}) =>
    Buffer.from(
      JSON.stringify({
        id: 'x',
        model: 'm',
        choices: [
          {
            index: 0,
            message: { content: 'Hi!', annotations: [cited] },
            finish_reason: 'stop',
            logprobs: null,
          },
          {
            index: 1,
            message: { content: null, tool_calls: [call] },
            finish_reason: 'tool_calls',
            ...fields,
          },
        ],
        usage: { prompt_tokens: 3, completion_tokens: 4 },
      }),
    );

  test.each([translated, verbatim])('a response keeps every choice', input => {
    expect(fold(chatDialect.decodeBody(body(), input))).toMatchObject({
      start: { id: 'x', model: 'm' },
      parts: [{ type: 'text', text: 'Hi!', citations: [{ url: 'u', title: 't', start: 0, end: 2 }] }],
      finish: { reason: 'stop', usage: { input: 3, output: 4 } },
      more: [{ parts: [{ type: 'tool-call', name: 'f', arguments: big }], end: { reason: 'tool-calls' } }],
    });
  });

  test('a response with a failed choice is an error', () => {
    expect(chatDialect.decodeBody(body({ finish_reason: 'error' }), translated)?.at(-1)).toMatchObject({
      type: 'error',
      kind: 'upstream',
    });
  });

  test('a body that is an error is not decoded as a response', () => {
    const error = Buffer.from('{"object":"error","message":"boom","choices":[{}]}');
    expect(chatDialect.decodeBody(error, translated)).toBeUndefined();
  });

  test('a response without a finish reason is an error', () => {
    expect(chatDialect.decodeBody(body({ finish_reason: null }), translated)).toMatchObject([
      { type: 'error', kind: 'upstream' },
    ]);
    const message = { type: 'message', content: [{ type: 'text', text: 'Hi' }], stop_reason: null };
    const text = Buffer.from(JSON.stringify(message));
    expect(messagesDialect.decodeBody(text, translated)).toMatchObject([{ type: 'error', kind: 'upstream' }]);
    const whole = messagesDialect.decodeWhole(verbatim, 'application/json');
    whole.read(text);
    expect(whole.end()).toMatchObject([{ type: 'error', kind: 'upstream' }]);
  });

  test('a response with log probabilities is an error, because parts cannot hold them', () => {
    expect(chatDialect.decodeBody(body({ logprobs: { content: [] } }), verbatim)).toMatchObject([
      { type: 'error', kind: 'upstream' },
    ]);
  });
});

describe('numbers in tool input', () => {
  test('a messages response keeps the numbers in tool input, and the citations of a text', () => {
    const citation = { type: 'web_search_result_location', url: 'u', title: 't', encrypted_index: 'e' };
    const text = JSON.stringify({
      type: 'message',
      id: 'msg_1',
      model: 'm',
      content: [
        { type: 'text', text: 'Hi', citations: [citation] },
        { type: 'tool_use', id: 't', name: 'f', input: 'big' },
      ],
      stop_reason: 'tool_use',
    }).replace('"big"', big);
    expect(fold(messagesDialect.decodeBody(Buffer.from(text), translated))).toMatchObject({
      parts: [
        { type: 'text', text: 'Hi', citations: [{ url: 'u', title: 't' }] },
        { type: 'tool-call', name: 'f', arguments: big },
      ],
      finish: { reason: 'tool-calls' },
    });
  });

  test('a streamed messages block that starts with its input keeps the numbers', () => {
    const decoder = messagesDialect.decodeStream({ ...translated, request: { messages: [] } });
    const event = (type: string, rest: string) => `event: ${type}\ndata: {"type":"${type}",${rest}}\n\n`;
    const block = `{"type":"tool_use","id":"t","name":"f","input":${big}}`;
    const events = decoder.read(
      Buffer.from(
        event('content_block_start', `"index":0,"content_block":${block}`) +
          event('content_block_stop', '"index":0'),
      ),
    );
    expect(events[1]).toEqual({ type: 'part-delta', index: 0, text: big });
  });

  test('tool input in the history keeps its numbers in the request', () => {
    const request = {
      messages: [
        { role: 'user' as const, content: [{ type: 'text' as const, text: 'x' }] },
        {
          role: 'assistant' as const,
          content: [{ type: 'tool-call' as const, id: 'c', name: 'f', arguments: big }],
        },
        { role: 'tool' as const, content: [{ type: 'tool-result' as const, callId: 'c', content: [] }] },
      ],
    };
    const { body } = messagesDialect.encode({
      ...translated,
      envelope: { ...envelope, headers: {} },
      request,
    });
    expect(body.toString()).toContain(`"input":${big}`);
  });
});

test('interleaved choices of a stream end separately', () => {
  const decoder = chatDialect.decodeStream(translated);
  const chunk = (index: number, delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ id: 'x', model: 'm', choices: [{ index, delta, finish_reason }] })}\n\n`;
  const events = decoder.read(
    Buffer.from(
      chunk(0, { content: 'a' }) +
        chunk(1, { content: 'b' }) +
        chunk(0, { content: 'A' }, 'stop') +
        chunk(1, { content: 'B' }, 'length') +
        chunk(2, { content: 'not asked for' }, 'stop'),
    ),
  );
  expect(decoder.complete).toBe(true);
  expect(fold([...events, ...decoder.read(Buffer.from('data: [DONE]\n\n'))])).toMatchObject({
    parts: [{ text: 'aA' }],
    finish: { reason: 'stop' },
    more: [{ parts: [{ text: 'bB' }], end: { reason: 'length' } }],
  });
});
