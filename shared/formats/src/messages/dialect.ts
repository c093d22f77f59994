import { renamePath } from '@model-gateway/canonical';
import { AwsEventStream, awsEventStream, wrappedEvent } from '../upstream/aws-event-stream.ts';
import { decodeAwsFailure, isAwsFailure } from '../upstream/decode-aws-failure.ts';
import type { Dialect, GenerateInput, VerbatimInput } from '../upstream/dialect.ts';
import { CountDecoder, countsTranslated } from '../upstream/whole-body.ts';
import { decodeBody, decodeStream, PassedIds, readCount, WholeDecoder } from './decode.ts';
import type { BlocksOptions } from './decode-blocks.ts';
import { decodeFailure } from './decode-failure.ts';
import { encode } from './encode.ts';
import { toolsByName } from './encode-tools.ts';
import { messagesFields } from './fields.ts';

/** Messages of Anthropic and compatible upstreams. */
export const messagesDialect: Dialect = {
  format: 'messages',
  bodies: ['verbatim', 'canonical'],
  choices: 'one',
  encode,
  streamTypes: ['text/event-stream', awsEventStream],
  decodeStream: input => {
    const decoder = decodeStream(
      input.body === 'canonical'
        ? blocksOptions(input)
        : { verbatim: true, seed: input.envelope.requestId, ids: passedIds(input) },
    );
    return input.differences?.streamType ? new AwsEventStream(decoder, wrappedEvent) : decoder;
  },
  decodeWhole: input =>
    countsTranslated(input)
      ? new CountDecoder(readCount)
      : new WholeDecoder(input.body === 'verbatim' ? passedIds(input) : undefined),
  decodeEvents: input => decodeStream(blocksOptions(input)),
  decodeBody: (body, input) => decodeBody(body, blocksOptions(input)),
  decodeFailure: failure => (isAwsFailure(failure) ? decodeAwsFailure(failure) : decodeFailure(failure)),
  pathOf: param => renamePath(param, messagesFields.paths),
};

function passedIds({ envelope, text }: VerbatimInput): PassedIds {
  return new PassedIds(envelope.requestId, text);
}

function blocksOptions(input: GenerateInput): BlocksOptions {
  const request = input.body === 'canonical' ? input.request : undefined;
  return {
    tools: request ? toolsByName(request, input.model) : new Map(),
    seed: input.envelope.requestId,
    history: request?.messages ?? [],
  };
}
