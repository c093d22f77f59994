import { CountDecoder, countsTranslated } from '../count.ts';
import { decodeFailure } from '../decode-google-failure.ts';
import type { Dialect, EncodeInput } from '../dialect.ts';
import { decodeBody, decodeStream, readCount, WholeDecoder } from './decode.ts';
import type { CandidatesOptions } from './decode-candidates.ts';
import { encode } from './encode.ts';
import { toolsByName } from './encode-tools.ts';

/** Google's Gemini `generateContent` API. */
export const generateContentDialect: Dialect = {
  format: 'generate-content',
  choices: 'many',
  encode,
  decodeStream: input => decodeStream(input.request ? candidates(input) : { verbatim: true }),
  decodeWhole: input => (countsTranslated(input) ? new CountDecoder(readCount) : new WholeDecoder()),
  decodeBody: (body, input) => decodeBody(body, candidates(input)),
  decodeFailure,
};

function candidates({ request, envelope }: EncodeInput): CandidatesOptions {
  return {
    tools: toolsByName(request ?? {}),
    seed: envelope.requestId,
    signedBefore: request?.signaturesBefore ?? false,
    // A verbatim request has as many candidates as its text requests.
    choices: request ? (request.n ?? 1) : Number.POSITIVE_INFINITY,
  };
}
