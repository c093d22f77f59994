import { type EmbedRequest, renamePath } from '@model-gateway/canonical';
import { memberText } from '@model-gateway/json';
import { decodeFailure } from '../decode-openai-failure.ts';
import type { CanonicalInput, UpstreamFields, VerbatimInput } from '../dialect.ts';
import { embeddingDialect } from '../embedding-dialect.ts';
import { vectorCount } from '../vectors.ts';
import { type Expected, readEmbeddings } from './decode.ts';
import { encode } from './encode.ts';

/** The canonical fields of the fields that upstreams name in errors. */
const fields: UpstreamFields = {
  input: 'inputs',
  dimensions: 'dimensions',
  encoding_format: 'encoding',
  user: 'user',
};

/** The embeddings API of OpenAI and compatible providers. */
export const embeddingsDialect = embeddingDialect<Input>({
  format: 'embeddings',
  bodies: ['verbatim', 'canonical'],
  encode,
  decodeFailure,
  pathOf: param => renamePath(param, fields),
  read: input => body => readEmbeddings(body, { count: vectorCount(input), encoding: encodingOf(input) }),
});

type Input = VerbatimInput | CanonicalInput<EmbedRequest>;

/** Returns the client's encoding, whether or not the upstream supports it. */
function encodingOf(input: Input): Expected['encoding'] {
  if (input.body === 'canonical') return input.request.encoding;
  const encoding = memberText(input.text, 'encoding_format');
  return encoding && JSON.parse(encoding) === 'base64' ? 'base64' : 'float';
}
