import { decodeFailure } from '../upstream/decode-openai-failure.ts';
import type { Dialect } from '../upstream/dialect.ts';
import { PassedEvents } from '../upstream/passed-events.ts';
import { secondsOf } from '../upstream/request-time.ts';
import { decodeResult, type ReadBody, ResultDecoder } from '../upstream/whole-body.ts';
import { ImageEvents, readImages } from './decode.ts';
import { encode, type Input } from './encode.ts';

/** The image generation and editing API of OpenAI and compatible providers. */
export const imagesDialect: Dialect<Input> = {
  format: 'images',
  bodies: ['verbatim', 'form', 'canonical'],
  choices: 'many',
  encode,
  decodeStream: input => new PassedEvents(new ImageEvents(imagesOf(input))),
  decodeWhole: input => new ResultDecoder(input.body !== 'canonical', readerOf(input)),
  decodeBody: (body, input) => decodeResult(body, readerOf(input)),
  decodeFailure,
};

function readerOf({ envelope }: Input): ReadBody {
  const at = secondsOf(envelope.requestId);
  return body => readImages(body, at);
}

/** Returns the number of images that a request asks for. */
function imagesOf(input: Input): number {
  return Number(requestedImages(input)) || 1;
}

function requestedImages(input: Input): unknown {
  switch (input.body) {
    case 'verbatim':
      return JSON.parse(String(input.text)).n;
    case 'form':
      return input.form.fields.findLast(([name]) => name === 'n')?.[1];
    case 'canonical':
      return input.request.n;
  }
}
