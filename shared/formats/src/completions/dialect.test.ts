import type { GenerateRequest } from '@model-gateway/canonical';
import { passed, readAll, refusal } from '@model-gateway/canonical/testing/events';
import { system, user } from '@model-gateway/canonical/testing/parts';
import { describe, expect, test } from 'vitest';
import { encodeInput } from '../testing/encode-input.ts';
import { completionsDialect } from './dialect.ts';

const hello = { messages: [user('Hi')] };
const own = (text = '{}') => encodeInput({ model: 'up', text: Buffer.from(text) }, { stream: true });
const translated = (request: Partial<GenerateRequest> = {}) =>
  encodeInput({ model: 'up', request: { ...hello, ...request } }, { stream: true });

const chunk = (fields: object) =>
  `data: ${JSON.stringify({ id: 'c', object: 'text_completion', created: 1, model: 'up', ...fields })}\n\n`;
const text = (text: string, finish_reason: string | null = null, index = 0) =>
  chunk({ choices: [{ index, text, logprobs: null, finish_reason }] });
const usage = chunk({ choices: [], usage: { prompt_tokens: 2, completion_tokens: 3, total_tokens: 5 } });
const done = 'data: [DONE]\n\n';
const end = { type: 'finish', reason: 'stop', usage: { input: 2, output: 3 } };

describe("a client's JSON", () => {
  test('a request is sent unchanged except for the model, and requests the usage of a stream', () => {
    const sent = '{"prompt":[[9007199254740993]],"model":"m","echo":true,"logprobs":2';
    const { path, body } = completionsDialect.encode(own(`${sent}}`));
    const asked = `${sent.replace('"m"', '"up"')},"stream_options":{"include_usage":true}}`;
    expect([path, body.toString()]).toEqual(['/completions', asked]);
  });

  test('a stream passes byte for byte, without the usage chunk that was not requested', () => {
    const stream = text('a') + text('', 'stop');
    const events = readAll(completionsDialect.decodeStream(own()), stream + usage + done);
    expect([passed(events), events.at(-1)]).toMatchObject([stream + done, end]);
  });

  test('a truncated stream becomes an error', () => {
    const events = readAll(completionsDialect.decodeStream(own()), text('a'));
    expect(events.at(-1)).toMatchObject({ type: 'error', kind: 'upstream' });
  });
});

describe('a canonical request', () => {
  test('a request encodes the prompt and the settings that the format has', () => {
    const { body } = completionsDialect.encode(translated({ maxTokens: 5, stop: ['.'], n: 2, topK: 3 }));
    const streamed = { stream: true, stream_options: { include_usage: true } };
    expect(JSON.parse(body.toString())).toEqual({
      ...{ model: 'up', prompt: 'Hi', max_tokens: 5, stop: ['.'], n: 2, ...streamed },
    });
  });

  test.each<[string, Partial<GenerateRequest>]>([
    ['messages', { messages: [] }],
    ['messages', { messages: [user('Hi'), user('Hi')] }],
    ['messages', { messages: [system('x')] }],
    ['tools', { tools: [{ type: 'function', name: 'f' }] }],
    ['output', { output: { type: 'json' } }],
    ['logprobs', { logprobs: {} }],
  ])('a request that the format cannot express is refused: %s of %j', (path, fields) => {
    const refused = refusal(() => completionsDialect.encode(translated(fields)));
    expect(refused).toMatchObject({ kind: 'invalid-request', path });
  });

  test('a stream is decoded into parts for each choice', () => {
    const stream = text('a') + text('b', 'length', 1) + text('c', 'stop') + usage + done;
    const events = readAll(completionsDialect.decodeStream(translated({ n: 2 })), stream);
    const deltas = events.flatMap(event =>
      event.type === 'part-delta' ? `${event.choice ?? 0} ${event.text}` : [],
    );
    expect(deltas).toEqual(['0 a', '1 b', '0 c']);
    const second = { type: 'choice-end', choice: 1, reason: 'length' };
    expect(events).toContainEqual(expect.objectContaining(second));
    expect(events.at(-1)).toMatchObject(end);
  });

  test('a JSON response instead of a stream is decoded', () => {
    const whole = { id: 'c', model: 'up', choices: [{ index: 0, text: 'Hi', finish_reason: 'stop' }] };
    const events = completionsDialect.decodeBody(Buffer.from(JSON.stringify(whole)), translated());
    expect(events).toContainEqual(expect.objectContaining({ type: 'part-delta', text: 'Hi' }));
    expect(completionsDialect.decodeBody(Buffer.from('{"choices":5}'), translated())).toBeUndefined();
  });
});

describe('a whole response', () => {
  const requestId = `req_${(1_700_000_000_123).toString(16).padStart(12, '0')}0123456789ab`;
  const input = encodeInput({ model: 'up', text: Buffer.from('{}') }, { requestId, model: 'asked' });
  const decoded = (body: string) => readAll(completionsDialect.decodeWhole(input, 'application/json'), body);
  const choice = { index: 0, text: 'ab', finish_reason: 'stop', logprobs: null };
  const answer = {
    ...{ id: 'cmpl-1', object: 'text_completion', created: 1, model: 'm', choices: [choice] },
    usage: { prompt_tokens: 2, completion_tokens: 0, total_tokens: 2 },
  };

  test('a complete one passes unchanged', () => {
    const text = JSON.stringify({ ...answer, more: 1e3 }, null, 1);
    expect(passed(decoded(text))).toBe(text);
  });

  test.each<[object, object]>([
    [{ id: undefined }, { id: 'cmpl-018bcfe5687b0123456789ab' }],
    [{ object: undefined }, {}],
    [{ created: null }, { created: 1_700_000_000 }],
    [{ model: undefined }, { model: 'asked' }],
    [{ choices: [{ text: 'ab', finish_reason: 'stop' }] }, {}],
    [{ choices: [{ ...choice, text: null }] }, { choices: [{ ...choice, text: '' }] }],
    [
      { usage: { input_tokens: 2, output_tokens: 1 } },
      { usage: { prompt_tokens: 2, completion_tokens: 1, total_tokens: 3 } },
    ],
    [{ usage: undefined }, { usage: undefined }],
  ])('one with %j is completed', (given, completed) => {
    const events = decoded(JSON.stringify({ ...answer, ...given, more: 1 }));
    expect(JSON.parse(passed(events))).toEqual({ ...answer, ...completed, more: 1 });
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' });
  });

  test('one that is cut off is an error', () => {
    const cut = { ...answer, choices: [{ ...choice, text: null, finish_reason: null }] };
    expect(decoded(JSON.stringify(cut)).at(-1)).toMatchObject({ type: 'error', kind: 'upstream' });
  });
});

describe('a stream that is passed on', () => {
  const lines = (...chunks: object[]) => chunks.map(each => `data: ${JSON.stringify(each)}\n\n`).join('');
  const read = (...chunks: object[]) => {
    const events = readAll(completionsDialect.decodeStream(own()), lines(...chunks) + done);
    const data = passed(events).split('\n\n').slice(0, -2);
    return { events, chunks: data.map(each => JSON.parse(each.replace('data: ', ''))) };
  };

  test('chunks get the fields that clients read', () => {
    const { chunks, events } = read(
      { choices: [{ text: 'a' }] },
      { id: 'c', choices: [{ index: 0, text: null, finish_reason: 'stop' }], more: 1 },
    );
    const head = { object: 'text_completion', created: 0, model: expect.any(String) };
    expect(chunks).toEqual([
      { ...head, id: 'cmpl-1', choices: [{ index: 0, text: 'a', logprobs: null }] },
      {
        ...{ ...head, id: 'c', more: 1 },
        choices: [{ index: 0, text: '', logprobs: null, finish_reason: 'stop' }],
      },
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' });
  });

  test('an error between chunks is an error', () => {
    const { events } = read({ choices: [{ text: 'a' }] }, { error: { message: 'no' } });
    expect(events.at(-1)).toMatchObject({ type: 'error', message: 'no' });
  });
});
