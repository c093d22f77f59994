import type { ImageRequest } from '@model-gateway/canonical';
import type { CanonicalInput, Dialect } from '../upstream/dialect.ts';
import { decodeFailure, ImagesDecoder } from './decode-image.ts';
import { encode } from './encode-image.ts';

/** Image generation and editing by Gemini models: one image per request, never streamed. */
export const generateContentImageDialect: Dialect<CanonicalInput<ImageRequest>> = {
  format: 'generate-content',
  bodies: ['canonical'],
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
