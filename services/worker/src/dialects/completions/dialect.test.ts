import { GatewayError, type GenerateEvent, type GenerateRequest } from '@model-gateway/canonical';
import { describe, expect, test } from 'vitest';
import type { GenerateInput } from '../dialect.ts';
import { completionsDialect } from './dialect.ts';

const envelope = { requestId: 'req_1', format: 'completions', stream: true } as GenerateInput['envelope'];
const common = { envelope, model: 'up', drop: [], limits: {} };
const verbatim = (text: string): GenerateInput => ({ ...common, body: 'verbatim', text: Buffer.from(text) });
const translated = (request: GenerateRequest): GenerateInput => ({ ...common, body: 'canonical', request });
const hello: GenerateRequest = { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] };

const chunk = (fields: object) => `data: ${JSON.stringify({ id: 'c', model: 'up', ...fields })}\n\n`;
const text = (text: string, finish_reason: string | null = null, index = 0) =>
  chunk({ choices: [{ index, text, logprobs: null, finish_reason }] });
const usage = chunk({ choices: [], usage: { prompt_tokens: 2, completion_tokens: 3, total_tokens: 5 } });
const done = 'data: [DONE]\n\n';

function decode(input: GenerateInput, sent: string): GenerateEvent[] {
  const decoder = completionsDialect.decodeStream(input);
  return [...decoder.read(Buffer.from(sent)), ...decoder.end()];
}

describe("a client's JSON", () => {
  test('a request is sent unchanged except for the model, and requests the usage of a stream', () => {
    const sent = '{"prompt":[[9007199254740993]],"model":"m","echo":true,"logprobs":2}';
    const { path, body } = completionsDialect.encode(verbatim(sent));
    expect(path).toBe('/completions');
    expect(body.toString()).toBe(
      '{"prompt":[[9007199254740993]],"model":"up","echo":true,"logprobs":2,"stream_options":{"include_usage":true}}',
    );
  });

  test('a stream passes byte for byte, without the usage chunk that was not requested', () => {
    const events = decode(verbatim('{}'), text('a') + text('', 'stop') + usage + done);
    const passed = events.flatMap(event => (event.type === 'verbatim' ? [Buffer.from(event.bytes)] : []));
    expect(Buffer.concat(passed).toString()).toBe(text('a') + text('', 'stop') + done);
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'stop', usage: { input: 2, output: 3 } });
  });

  test('a truncated stream becomes an error', () => {
    expect(decode(verbatim('{}'), text('a')).at(-1)).toMatchObject({ type: 'error', kind: 'upstream' });
  });
});

describe('a canonical request', () => {
  test('a request encodes the prompt and the settings that the format has', () => {
    const input = translated({ ...hello, maxTokens: 5, stop: ['.'], n: 2, topK: 3 });
    expect(JSON.parse(completionsDialect.encode(input).body.toString())).toEqual({
      model: 'up',
      prompt: 'Hi',
      max_tokens: 5,
      stop: ['.'],
      n: 2,
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test.each<[string, Partial<GenerateRequest>]>([
    ['messages', { messages: [] }],
    ['messages', { messages: [...hello.messages, ...hello.messages] }],
    ['messages', { messages: [{ role: 'system', content: [{ type: 'text', text: 'x' }] }] }],
    ['tools', { tools: [{ type: 'function', name: 'f' }] }],
    ['output', { output: { type: 'json' } }],
    ['logprobs', { logprobs: {} }],
  ])('a request that the format cannot express is refused: %s of %j', (path, fields) => {
    const encode = () => completionsDialect.encode(translated({ ...hello, ...fields }));
    expect(encode).toThrow(
      expect.objectContaining({ kind: 'invalid-request', details: expect.objectContaining({ path }) }),
    );
    expect(encode).toThrow(GatewayError);
  });

  test('a stream is decoded into parts for each choice', () => {
    const input = translated({ ...hello, n: 2 });
    const events = decode(input, text('a') + text('b', 'length', 1) + text('c', 'stop') + usage + done);
    const deltas = events.flatMap(event =>
      event.type === 'part-delta' ? [[event.choice ?? 0, event.text]] : [],
    );
    expect(deltas).toEqual([
      [0, 'a'],
      [1, 'b'],
      [0, 'c'],
    ]);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'choice-end', choice: 1, reason: 'length' }),
    );
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'stop', usage: { input: 2, output: 3 } });
  });

  test('a JSON response instead of a stream is decoded', () => {
    const whole = { id: 'c', model: 'up', choices: [{ index: 0, text: 'Hi', finish_reason: 'stop' }] };
    const input = translated(hello);
    const events = completionsDialect.decodeBody(Buffer.from(JSON.stringify(whole)), input);
    expect(events).toContainEqual(expect.objectContaining({ type: 'part-delta', text: 'Hi' }));
    expect(completionsDialect.decodeBody(Buffer.from('{"choices":5}'), input)).toBeUndefined();
  });
});
