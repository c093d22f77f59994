import type { GenerateRequest, Output } from '@model-gateway/canonical';
import type { ChatResponseFormat } from '@model-gateway/wire';
import type { EncodeInput } from '../../dialect.ts';
import { effortOf } from '../../effort.ts';
import { checkToolChoice } from '../../tool-choice.ts';
import { refuseOwnWork, unsupported } from '../../unsupported.ts';
import { hints } from '../hints.ts';
import { encodeMessages } from '../message/encode.ts';
import { isGoogle } from '../models.ts';
import { encodeTools } from '../tool/encode.ts';

/** The most stop sequences that the format takes. */
const maxStop = 4;

/** The body's fields, the model and those of the stream aside; undefined is not sent. */
export function encodeRequest(request: GenerateRequest, input: EncodeInput): Record<string, unknown> {
  const { envelope, model, original = false } = input;
  const stop = request.stop?.filter(sequence => sequence !== '') ?? [];
  refuseOwnWork(request);
  refuseUnsupported(request, stop);
  checkToolChoice(request);
  return {
    ...request.extensions?.chat,
    messages: encodeMessages(request, {
      original,
      prefill: envelope.format === 'messages',
      signed: isGoogle(model),
    }),
    ...encodeTools(request, original),
    ...encodeLimit(request.maxTokens, input),
    temperature: request.temperature,
    top_p: request.topP,
    stop: stop.length > 0 ? stop : undefined,
    reasoning_effort: request.reasoning && effortOf(request.reasoning),
    response_format: request.output && encodeOutput(request.output),
    n: request.n,
    seed: request.seed,
    presence_penalty: request.presencePenalty,
    frequency_penalty: request.frequencyPenalty,
    logit_bias: request.logitBias,
    modalities: request.modalities,
    // A hint that compatible upstreams need not know.
    ...(original && { verbosity: request.verbosity }),
    ...hints(request, original),
  };
}

function refuseUnsupported({ logprobs }: GenerateRequest, stop: readonly string[]): void {
  // Parts of an answer have no place for them.
  if (logprobs) throw unsupported('logprobs', 'log probabilities cannot be had in translation');
  if (stop.length > maxStop)
    throw unsupported('stop', `this model takes at most ${maxStop} stop sequences, but got ${stop.length}`);
}

/** The new name is the vendor's own; upstreams that are compatible with it know the old one. */
function encodeLimit(asked: number | undefined, { original, limits }: EncodeInput): Record<string, number> {
  if (asked === undefined) return {};
  const tokens = Math.min(asked, limits.maxOutput ?? asked);
  return original ? { max_completion_tokens: tokens } : { max_tokens: tokens };
}

/** Plain text is the default and need not be said. */
function encodeOutput(output: Output): ChatResponseFormat | undefined {
  switch (output.type) {
    case 'text':
      return undefined;
    case 'json':
      return { type: 'json_object' };
    case 'schema': {
      const { schema, name = 'response', strict } = output;
      return { type: 'json_schema', json_schema: { name, schema, strict } };
    }
  }
}
