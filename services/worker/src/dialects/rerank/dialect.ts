import { GatewayError, type RerankRequest, type WireFormat } from '@model-gateway/canonical';
import { decodeFailure } from '../decode-openai-failure.ts';
import type { Dialect, EncodeInput } from '../dialect.ts';
import { writtenBody } from '../own-text.ts';
import { decodeResult, type ReadResult, ResultDecoder } from '../result.ts';
import { readCohere, readJina, readTei } from './decode.ts';
import { writeCohere, writeJina, writeTei } from './encode.ts';

/** How the upstreams of one format are asked to rank. */
interface Ranking {
  format: WireFormat;
  path: string;
  /** The body of a request for a model. */
  write(model: string, request: RerankRequest): Record<string, unknown>;
  /** What the body of an answer says; undefined for what is no answer. */
  read(body: unknown, request: RerankRequest): ReadResult | undefined;
}

/** A dialect in which documents are ranked: no client speaks it, so that all is written and read. */
export function rankingDialect({ format, path, write, read }: Ranking): Dialect<RerankRequest> {
  const decoder = (input: Input) => new ResultDecoder(false, body => read(body, asked(input)));
  return {
    format,
    operations: ['rerank'],
    choices: 'one',
    encode: input => ({ path, body: writtenBody(input, write(input.model, asked(input))) }),
    decodeStream: decoder,
    decodeWhole: decoder,
    decodeBody: (body, input) => decodeResult(body, parsed => read(parsed, asked(input))),
    decodeFailure,
  };
}

type Input = EncodeInput<RerankRequest>;

function asked({ request }: Input): RerankRequest {
  if (!request) throw new GatewayError('internal', 'The call holds no request.');
  return request;
}

/** Rerank, as Cohere's second version has it. */
export const cohereRerankDialect = rankingDialect({
  format: 'cohere-rerank',
  path: '/v2/rerank',
  write: writeCohere,
  read: readCohere,
});

/** Rerank, as Jina, vLLM and those compatible with them have it. */
export const jinaRerankDialect = rankingDialect({
  format: 'jina-rerank',
  path: '/rerank',
  write: writeJina,
  read: readJina,
});

/** Rerank, as Hugging Face's text-embeddings-inference has it. */
export const teiRerankDialect = rankingDialect({
  format: 'tei-rerank',
  path: '/rerank',
  write: writeTei,
  read: readTei,
});
