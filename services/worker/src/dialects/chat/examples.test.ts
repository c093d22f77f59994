import { readFileSync } from 'node:fs';
import { AnswerFold, type GenerateAnswer, type GenerateEvent } from '@model-gateway/canonical';
import { describe, expect, test } from 'vitest';
import { decodeStream } from './decode.ts';

const target = { toolName: (name: string) => name, seed: 'req_1', stop: [] };

function decode(name: string, size: number): GenerateEvent[] {
  const bytes = readFileSync(new URL(`examples/${name}.sse`, import.meta.url));
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
    expect(fold(decode(name, size))).toMatchObject(expected);
  });

  test('the example stream openrouter-error ends with the error', () => {
    expect(decode('openrouter-error', size).at(-1)).toMatchObject({
      type: 'error',
      kind: 'upstream',
      message: 'Provider disconnected',
    });
  });
});
