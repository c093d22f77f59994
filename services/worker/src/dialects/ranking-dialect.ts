import { GatewayError, type RerankRequest, type WireFormat } from '@model-gateway/canonical';
import type { Dialect, EncodeInput } from './dialect.ts';
import { decodeFailure } from './openai-chat/failure/decode.ts';
import { writtenBody } from './own-text.ts';
import { decodeResult, type ReadResult, ResultDecoder } from './result.ts';

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
