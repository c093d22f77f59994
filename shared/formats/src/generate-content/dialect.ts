import { type ImageRequest, renamePath } from '@model-gateway/canonical';
import { decodeFailure } from '../upstream/decode-google-failure.ts';
import type { CanonicalInput, Dialect, GenerateInput } from '../upstream/dialect.ts';
import { CountDecoder, countsTranslated } from '../upstream/whole-body.ts';
import { decodeBody, decodeStream, readCount, type StreamOutput, WholeDecoder } from './decode.ts';
import type { CandidatesOptions } from './decode-chunks.ts';
import { decodeFailure as decodeImageFailure, ImagesDecoder } from './decode-image.ts';
import { encode } from './encode.ts';
import { encode as encodeImage } from './encode-image.ts';
import { toolsByName } from './encode-tools.ts';
import { generateContentFields } from './fields.ts';

/** Google's Gemini `generateContent` API. */
export const generateContentDialect: Dialect = {
  format: 'generate-content',
  bodies: ['verbatim', 'canonical'],
  choices: 'many',
  encode,
  decodeStream: input => decodeStream(input.body === 'canonical' ? candidates(input) : passing(input.text)),
  decodeWhole: input => (countsTranslated(input) ? new CountDecoder(readCount) : new WholeDecoder()),
  decodeEvents: input => decodeStream(candidates(input)),
  decodeBody: (body, input) => decodeBody(body, candidates(input)),
  decodeFailure,
  pathOf: param => renamePath(param, generateContentFields.paths),
};

function passing(text: Buffer): StreamOutput {
  return { verbatim: true, wantsOne: () => !/"candidate_?count"/i.test(text.toString('latin1')) };
}

function candidates(input: GenerateInput): CandidatesOptions {
  const request = input.body === 'canonical' ? input.request : undefined;
  return {
    tools: toolsByName(request ?? {}),
    seed: input.envelope.requestId,
    history: request?.messages ?? [],
    signedBefore: request?.signaturesBefore ?? false,
    // A verbatim request has as many candidates as its text requests.
    choices: request ? (request.n ?? 1) : Number.POSITIVE_INFINITY,
  };
}

/** Image generation and editing by Gemini models: one image per request, never streamed. */
export const generateContentImageDialect: Dialect<CanonicalInput<ImageRequest>> = {
  format: 'generate-content',
  bodies: ['canonical'],
  choices: 'one',
  encode: encodeImage,
  decodeStream: () => new ImagesDecoder(),
  decodeWhole: () => new ImagesDecoder(),
  decodeBody(body) {
    const decoder = new ImagesDecoder();
    return [...decoder.read(body), ...decoder.end()];
  },
  decodeFailure: decodeImageFailure,
};
