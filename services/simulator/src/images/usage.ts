import { tokensIn } from '../vectors/tokens.ts';
import type { ImagesAsked } from './parse.ts';
import { type Size, usualSize } from './size.ts';

/** Of an image of the usual size. */
const outputTokens = { low: 272, medium: 1_056, high: 4_160 };
const inputTokensEach = 323;
const partialTokensEach = 100;

/** What so many images cost, as the vendor counts it: by quality and size, and some more for what is shown before. */
export function usageOf(asked: ImagesAsked, { width, height }: Size, images: number) {
  const text = tokensIn(asked.prompt);
  const given = asked.inputs.images.length * inputTokensEach;
  const share = (width * height) / (usualSize.width * usualSize.height);
  const each = Math.ceil(outputTokens[asked.quality] * share) + asked.partials * partialTokensEach;
  const output = each * images;
  return {
    input_tokens: text + given,
    input_tokens_details: { text_tokens: text, image_tokens: given },
    output_tokens: output,
    output_tokens_details: { image_tokens: output, text_tokens: 0 },
    total_tokens: text + given + output,
  };
}
