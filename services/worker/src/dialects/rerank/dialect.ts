import { GatewayError, type RerankRequest, type WireFormat } from '@model-gateway/canonical';
import { decodeFailure } from '../decode-openai-failure.ts';
import type { Dialect, EncodeInput } from '../dialect.ts';
import { writtenBody } from '../native-body.ts';
import { decodeResult, type ReadResult, ResultDecoder } from '../result.ts';
import { readCohere, readJina, readTei } from './decode.ts';
import { writeCohere, writeJina, writeTei } from './encode.ts';

/** The path and codec of one rerank format. */
interface Ranking {
  format: WireFormat;
  path: string;
  /** Writes the body of a request. */
  write(model: string, request: RerankRequest): object;
  /** Reads the body of a response; undefined if it is not one. */
  read(body: unknown, request: RerankRequest): ReadResult | undefined;
}

/** Creates a rerank dialect. No client format matches it, so every request and response is translated. */
export function rankingDialect({ format, path, write, read }: Ranking): Dialect<RerankRequest> {
  const decoder = (input: Input) => new ResultDecoder(false, body => read(body, requestOf(input)));
  return {
    format,
    choices: 'one',
    encode: input => ({ path, body: writtenBody(input, write(input.model, requestOf(input))) }),
    decodeStream: decoder,
    decodeWhole: decoder,
    decodeBody: (body, input) => decodeResult(body, parsed => read(parsed, requestOf(input))),
    decodeFailure,
  };
}

type Input = EncodeInput<RerankRequest>;

function requestOf({ request }: Input): RerankRequest {
  if (!request) throw new GatewayError('internal', 'The call holds no request.');
  return request;
}

/** Cohere's rerank API, version 2. */
export const cohereRerankDialect = rankingDialect({
  format: 'cohere-rerank',
  path: '/v2/rerank',
  write: writeCohere,
  read: readCohere,
});

/** The rerank API of Jina, vLLM and compatible servers. */
export const jinaRerankDialect = rankingDialect({
  format: 'jina-rerank',
  path: '/rerank',
  write: writeJina,
  read: readJina,
});

/** The rerank API of Hugging Face's text-embeddings-inference. */
export const teiRerankDialect = rankingDialect({
  format: 'tei-rerank',
  path: '/rerank',
  write: writeTei,
  read: readTei,
});
