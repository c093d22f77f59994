import type { TranscribeAnswer } from '@model-gateway/canonical';
import { RenderedText, type ResultRenderer } from '@model-gateway/ingress';
import type { TranscriptionAnswer, TranscriptionFormat } from '@model-gateway/wire';

/** Writes what was heard, of which no more is known than the words. */
export function transcriptRenderer(format: TranscriptionFormat): ResultRenderer<TranscribeAnswer> {
  return {
    result({ text }) {
      if (format === 'text') return new RenderedText('text/plain; charset=utf-8', `${text}\n`);
      return { text } satisfies TranscriptionAnswer;
    },
  };
}
