import { renamePath } from '@model-gateway/canonical';
import { decodeFailure } from '../upstream/decode-google-failure.ts';
import type { UpstreamFields } from '../upstream/dialect.ts';
import { embeddingDialect } from '../upstream/embedding-dialect.ts';
import { type VectorForm, vectorCount } from '../upstream/vectors.ts';
import { readEmbeddings } from './decode.ts';
import { encode, type Input } from './encode.ts';

/** The canonical fields of the settings, which each request of a batch repeats. */
const settings: UpstreamFields = { outputDimensionality: 'dimensions', taskType: 'task', title: 'title' };

/** Returns the canonical path of a place in a batch, whose requests hold one input each. */
function pathOf(param: string): string | undefined {
  const [, index, field] = /^requests(\[\d+\]|$)(?:\.(\w+))?/.exec(param) ?? [];
  if (index === undefined) return undefined;
  return field === undefined || field === 'content' ? `inputs${index}` : renamePath(field, settings);
}

/** Google's Gemini `embedContent` and `batchEmbedContents` API. */
export const embedContentDialect = embeddingDialect<Input>({
  format: 'embed-content',
  bodies: ['verbatim', 'canonical'],
  encode,
  decodeFailure,
  pathOf,
  read: input => body => readEmbeddings(body, vectorCount(input) ?? 1, formOf(input)),
});

/** Returns the form that a client of another format requests. */
function formOf(input: Input): VectorForm {
  return input.body === 'canonical' ? input.request : {};
}
