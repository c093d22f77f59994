import { readFileSync } from 'node:fs';
import { AnswerFold, type GenerateAnswer, type GenerateEvent } from '@model-gateway/canonical';
import { expect } from 'vitest';
import { decodeStream, type StreamOutput } from '../dialects/generate-content/decode.ts';
import type { CandidatesOptions } from '../dialects/generate-content/decode-candidates.ts';

const examples = new URL('../dialects/generate-content/examples/', import.meta.url);

/** Reads an example stream by its name. */
export const example = (name: string) => readFileSync(new URL(`${name}.sse`, examples), 'utf8');
/** The target of a stream that is translated. */
export const parts = (options: Partial<CandidatesOptions> = {}): CandidatesOptions => ({
  tools: new Map(),
  seed: 'req_1',
  signedBefore: false,
  choices: 1,
  ...options,
});

/** Reads a stream `size` bytes at a time. */
export function decode(stream: string, target: StreamOutput = parts(), size = 1e9): GenerateEvent[] {
  const decoder = decodeStream(target);
  const bytes = Buffer.from(stream);
  const events: GenerateEvent[] = [];
  for (let at = 0; at < bytes.length; at += size) events.push(...decoder.read(bytes.subarray(at, at + size)));
  return [...events, ...decoder.end()];
}

/** The answer that events add up to. */
export function fold(events: GenerateEvent[]): GenerateAnswer {
  const answer = new AnswerFold();
  const whole = events.map(event => answer.add(event)).at(-1);
  if (!whole) throw new Error(`No response: ${JSON.stringify(events.at(-1))}`);
  return whole;
}

/** Returns the stream that a client of the same format receives. */
export const passedText = (events: GenerateEvent[]) =>
  Buffer.concat(events.flatMap(e => (e.type === 'verbatim' ? [e.bytes] : []))).toString();
export const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
export const chunkOf = (content: object[], more: object = {}) =>
  event({ candidates: [{ content: { role: 'model', parts: content }, ...more }] });
export const stop = { finishReason: 'STOP' };
export const signed = (value: string) => ({ format: 'generate-content', value });
export const generatedId = expect.stringMatching(/^call_gg[0-9a-f]{24}$/);
