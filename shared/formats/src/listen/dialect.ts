import { renamePath } from '@model-gateway/canonical';
import { decodeFailure } from '../upstream/decode-openai-failure.ts';
import type { Dialect, UpstreamFields } from '../upstream/dialect.ts';
import { decodeResult, ResultDecoder } from '../upstream/result.ts';
import { readTranscript } from './decode.ts';
import { encode, type Input } from './encode.ts';

/** The canonical fields of the fields that upstreams name in errors. */
const fields: UpstreamFields = { language: 'language', keyterm: 'keywords', keywords: 'keywords' };

const decoder = ({ request }: Input) => new ResultDecoder(false, body => readTranscript(body, request));

/** Deepgram's API for recorded audio. No client has this format, so every request is translated. */
export const listenDialect: Dialect<Input> = {
  format: 'listen',
  bodies: ['canonical'],
  choices: 'one',
  encode,
  decodeStream: decoder,
  decodeWhole: decoder,
  decodeBody: (body, { request }) => decodeResult(body, parsed => readTranscript(parsed, request)),
  decodeFailure,
  pathOf: param => renamePath(param, fields),
};
