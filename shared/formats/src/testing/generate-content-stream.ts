import type { GenerateEvent } from '@model-gateway/canonical';
import { readAll } from '@model-gateway/canonical/testing/events';
import { decodeStream, type StreamOutput } from '../generate-content/decode.ts';
import type { CandidatesOptions } from '../generate-content/decode-chunks.ts';

/** The target of a stream that is translated. */
export const parts = (options: Partial<CandidatesOptions> = {}): CandidatesOptions => ({
  ...{ tools: new Map(), seed: 'req_1', signedBefore: false, choices: 1 },
  ...options,
});

export function decode(stream: string, target: StreamOutput = parts(), size?: number): GenerateEvent[] {
  return readAll(decodeStream(target), stream, size);
}

export const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
export const chunkOf = (content: object[], more: object = { finishReason: 'STOP' }) =>
  event({ candidates: [{ content: { role: 'model', parts: content }, ...more }] });
