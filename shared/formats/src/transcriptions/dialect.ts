import { decodeFailure } from '../upstream/decode-openai-failure.ts';
import type { Dialect, FormInput } from '../upstream/dialect.ts';
import { decodeBody, decodeEvents, decodeWhole } from './decode.ts';
import { encode } from './encode.ts';

/** The audio transcription and translation API of OpenAI and compatible providers. */
export const transcriptionsDialect: Dialect<FormInput> = {
  format: 'transcriptions',
  bodies: ['form'],
  choices: 'one',
  encode,
  decodeStream: decodeEvents,
  decodeWhole,
  decodeBody,
  decodeFailure,
};
