import { atOnce, type Outcome } from '../delivery.ts';
import { type Mark, withMark } from '../faults/mark.ts';
import { base64Of } from '../vectors/base64.ts';
import { vectorOf } from '../vectors/vector.ts';
import type { EmbeddingsAsked } from './parse.ts';

/** The vectors as one list. */
export function whole({ model, texts, dimensions, base64, tokens }: EmbeddingsAsked, mark?: Mark): Outcome {
  const body = {
    object: 'list',
    data: texts.map((text, index) => {
      const vector = vectorOf(text, dimensions);
      return { object: 'embedding', index, embedding: base64 ? base64Of(vector) : [...vector] };
    }),
    model: withMark(model, mark),
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
  return atOnce(model, body, tokens);
}
