import { globSync, readFileSync } from 'node:fs';
import { AnswerFold, type GenerateAnswer, type GenerateEvent } from '@model-gateway/canonical';
import { describe, expect, test } from 'vitest';
import { decodeStream, type StreamOutput } from './decode.ts';

const folder = new URL('examples/', import.meta.url);
const examples = globSync('*.sse', { cwd: folder }).map(file => file.replace(/\.sse$/, ''));
const bytesOf = (name: string) => readFileSync(new URL(`${name}.sse`, folder));
const parts = { toolName: (name: string) => name, seed: 'req_1', stop: ['END'] };

function decode(name: string, target: StreamOutput, size: number): GenerateEvent[] {
  const bytes = bytesOf(name);
  const decoder = decodeStream(target);
  const events: GenerateEvent[] = [];
  for (let at = 0; at < bytes.length; at += size) events.push(...decoder.read(bytes.subarray(at, at + size)));
  return [...events, ...decoder.end()];
}

function fold(events: GenerateEvent[]): GenerateAnswer {
  const answer = new AnswerFold();
  return events.map(event => answer.add(event)).at(-1) as GenerateAnswer;
}

const weather = (id: unknown, args: string) => ({ type: 'tool-call', id, name: 'weather', arguments: args });

describe.each([1, 100, 1e9])('example streams, read %i bytes at a time', size => {
  test.each<[string, object]>([
    [
      'vllm-reasoning-calls',
      {
        start: { id: 'chatcmpl-7f0c4a5be1d94f1c', model: 'Qwen/Qwen3-8B' },
        parts: [
          { type: 'reasoning', text: 'Two cities.' },
          { type: 'text', text: '\n\n' },
          weather('chatcmpl-tool-9d2f', '{"city": "Oslo"}'),
          weather('chatcmpl-tool-a41c', '{"city": "Rome"}'),
        ],
        finish: {
          reason: 'tool-calls',
          raw: 'tool_calls',
          usage: { input: 185, cachedInput: 0, output: 59 },
        },
      },
    ],
    [
      'vllm-stop-string',
      {
        parts: [{ type: 'text', text: 'one two ' }],
        finish: { reason: 'stop-sequence', stopSequence: 'END', usage: { input: 12, output: 4 } },
      },
    ],
    [
      'openrouter-reasoning',
      {
        start: { id: 'gen-1795248000-pZ9', model: 'anthropic/claude-sonnet-4.5' },
        parts: [
          { type: 'reasoning', text: 'Simple.' },
          { type: 'text', text: '4' },
        ],
        finish: { reason: 'stop', raw: 'stop', usage: { input: 14, output: 21, reasoning: 12 } },
      },
    ],
    [
      'openai-refusal',
      {
        parts: [{ type: 'refusal', text: "I'm sorry." }],
        finish: { reason: 'refusal', raw: 'stop', usage: { input: 81, output: 11 } },
      },
    ],
    [
      'azure-filters',
      {
        parts: [{ type: 'text', text: 'Four.' }],
        finish: { reason: 'stop', usage: { input: 16, output: 12 } },
      },
    ],
    [
      'groq-usage',
      {
        parts: [
          { type: 'reasoning', text: 'Sum.' },
          { type: 'text', text: '4' },
        ],
        finish: { reason: 'stop', usage: { input: 18, output: 43, reasoning: 9 } },
      },
    ],
    [
      'deepseek-cached-call',
      {
        parts: [weather('call_00_a7Xk2mQ', '{"city": "Oslo"}')],
        finish: { reason: 'tool-calls', usage: { input: 212, cachedInput: 192, output: 19 } },
      },
    ],
    [
      'gemini-text-call',
      {
        parts: [{ type: 'text', text: 'Looking.' }, weather('function-call-14073', '{"city":"Oslo"}')],
        finish: { reason: 'tool-calls', usage: { input: 61, output: 59, reasoning: 41 } },
      },
    ],
    [
      'openai-parallel-calls',
      {
        start: { id: 'chatcmpl-DxK2uQ1bR7', model: 'gpt-5.5-2026-04-01' },
        parts: [
          weather('call_yDVRPzZ0a1', '{"city": "Oslo"}'),
          weather('call_p4Zk8uF2b2', '{"city": "Rome"}'),
        ],
        finish: { reason: 'tool-calls', usage: { input: 1171, cachedInput: 1024, output: 48 } },
      },
    ],
    [
      'deepseek-reasoning',
      {
        parts: [
          { type: 'reasoning', text: 'Need the sum.' },
          { type: 'text', text: '4' },
        ],
        finish: { reason: 'stop', usage: { input: 12, output: 9, reasoning: 7 } },
      },
    ],
    [
      'gemini-calls',
      {
        parts: [
          weather(expect.stringMatching(/^call_\w+$/), '{"city":"Oslo"}'),
          weather(expect.stringMatching(/^call_\w+$/), '{"city":"Rome"}'),
        ],
        finish: { reason: 'tool-calls', raw: 'stop', usage: { input: 52, output: 30 } },
      },
    ],
    [
      'ollama-call',
      {
        parts: [{ type: 'reasoning', text: 'Look.' }, weather('call_t0j2', '{"city":"Oslo"}')],
        finish: { reason: 'tool-calls', usage: { input: 150, output: 25 } },
      },
    ],
  ])('the example stream %s is decoded', (name, expected) => {
    expect(fold(decode(name, parts, size))).toMatchObject(expected);
  });

  test('the example stream openrouter-error ends with the error', () => {
    expect(decode('openrouter-error', parts, size).at(-1)).toMatchObject({
      type: 'error',
      kind: 'upstream',
      message: 'Provider disconnected',
    });
  });

  test.each(examples)(
    'pitfall 29: the stream %s passes byte for byte to a client of the same format',
    name => {
      const stream = bytesOf(name).toString();
      const events = decode(name, { showUsage: true }, size);
      const passed = Buffer.concat(events.flatMap(e => (e.type === 'verbatim' ? [e.bytes] : []))).toString();
      expect(withoutComments(passed)).toBe(withoutComments(untilError(stream)));
    },
  );

  test.each(examples)(
    'the stream %s passes without the usage chunk to a client that did not request it',
    name => {
      const events = decode(name, { showUsage: false }, size);
      const passed = Buffer.concat(events.flatMap(e => (e.type === 'verbatim' ? [e.bytes] : []))).toString();
      expect(passed).not.toMatch(/"choices":\[\][^\n]*"usage":\{/);
      const kept = bytesOf(name)
        .toString()
        .split('\n\n')
        .filter(event => !/"choices":\[\][^\n]*"usage":\{/.test(event));
      expect(withoutComments(passed)).toBe(withoutComments(untilError(kept.join('\n\n'))));
    },
  );
});

/** Removes the comments before the first chunk, which the decoder may drop. */
function withoutComments(stream: string): string {
  return stream.replace(/^(: [^\n]*\n\n)+/, '');
}

/** Returns a stream up to its error. */
function untilError(stream: string): string {
  const error = stream.indexOf('"error":{');
  return error < 0 ? stream : stream.slice(0, stream.lastIndexOf('data: ', error));
}
