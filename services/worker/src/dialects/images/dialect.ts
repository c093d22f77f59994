import type { ImageRequest } from '@model-gateway/canonical';
import { decodeFailure } from '../decode-openai-failure.ts';
import type { Dialect, EncodeInput } from '../dialect.ts';
import { PassedEvents } from '../passed-events.ts';
import { decodeResult, ResultDecoder } from '../result.ts';
import { ImageEvents, readImages } from './decode.ts';
import { encode } from './encode.ts';

/** The image generation and editing API of OpenAI and compatible providers. */
export const imagesDialect: Dialect<ImageRequest> = {
  format: 'images',
  choices: 'many',
  encode,
  decodeStream: input => new PassedEvents(new ImageEvents(imagesOf(input))),
  decodeWhole: ({ request }) => new ResultDecoder(request === undefined, readImages),
  decodeBody: body => decodeResult(body, readImages),
  decodeFailure,
};

/** Returns the number of images that a verbatim request or form asks for. */
function imagesOf({ text, form }: EncodeInput<ImageRequest>): number {
  const n = form ? form.fields.findLast(([name]) => name === 'n')?.[1] : JSON.parse(String(text ?? '{}')).n;
  return Number(n) || 1;
}
