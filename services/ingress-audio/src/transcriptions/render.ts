import type { TranscribeAnswer } from '@model-gateway/canonical';
import { RenderedText, type ResultRenderer } from '@model-gateway/ingress';
import type { TranscriptionAnswer, TranscriptionFormat } from '@model-gateway/wire';

/** Renders a transcript, of which only the text is known. */
export function transcriptRenderer(format: TranscriptionFormat): ResultRenderer<TranscribeAnswer> {
  return {
    type: 'result',
    result({ text }) {
      if (format === 'text') return new RenderedText('text/plain; charset=utf-8', `${text}\n`);
      return { text } satisfies TranscriptionAnswer;
    },
  };
}
