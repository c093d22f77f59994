import { type EmbedRequest, renamePath } from '@model-gateway/canonical';
import { decodeFailure } from '../upstream/decode-openai-failure.ts';
import type { CanonicalInput, UpstreamFields, VerbatimInput } from '../upstream/dialect.ts';
import { embeddingDialect } from '../upstream/embedding-dialect.ts';
import { type VectorForm, vectorCount } from '../upstream/vectors.ts';
import { formIn, readEmbeddings } from './decode.ts';
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
  numbers: 'any',
  encode,
  decodeFailure,
  pathOf: param => renamePath(param, fields),
  read(input) {
    const expected = { count: vectorCount(input), ...formOf(input) };
    return body => readEmbeddings(body, expected);
  },
});

type Input = VerbatimInput | CanonicalInput<EmbedRequest>;

/** Returns the form that the client asks for, whether or not the upstream supports it. */
function formOf(input: Input): VectorForm {
  return input.body === 'canonical' ? input.request : formIn(input.text);
}
