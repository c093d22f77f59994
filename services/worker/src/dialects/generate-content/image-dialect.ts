import type { ImageRequest } from '@model-gateway/canonical';
import type { Dialect } from '../dialect.ts';
import { decodeFailure, ImagesDecoder } from './decode-image.ts';
import { encode } from './encode-image.ts';

/** Images, as those of Google's Gemini models make and edit them that can: one a request, and never streamed. */
export const generateContentImageDialect: Dialect<ImageRequest> = {
  format: 'generate-content',
  operations: ['image'],
  choices: 'one',
  encode,
  decodeStream: () => new ImagesDecoder(),
  decodeWhole: () => new ImagesDecoder(),
  decodeBody(body) {
    const decoder = new ImagesDecoder();
    return [...decoder.read(body), ...decoder.end()];
  },
  decodeFailure,
};
