import type { GenerateEvent } from '@model-gateway/canonical';
import { dataJson, sseEvent } from '@model-gateway/sse';
import type { AudioRenderer } from '../client/endpoint.ts';
import type { SpeechDelta, SpeechDone } from './types.ts';

/** Renders speech of an upstream of another format. */
export const speechRenderer: AudioRenderer = {
  type: 'audio',
  stream: () => ({ add: event }),
};

function event(event: GenerateEvent): string {
  switch (event.type) {
    case 'audio':
      return written({ type: 'speech.audio.delta', audio: Buffer.from(event.bytes).toString('base64') });
    case 'finish': {
      // Clients require the counts, and an upstream that bills by characters reports none.
      const { input = 0, output = 0 } = event.usage ?? {};
      const usage = { input_tokens: input, output_tokens: output, total_tokens: input + output };
      return written({ type: 'speech.audio.done', usage });
    }
    default:
      return '';
  }
}

function written(data: SpeechDelta | SpeechDone): string {
  return sseEvent(dataJson(data));
}
