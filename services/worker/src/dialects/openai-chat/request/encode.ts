import { createHash } from 'node:crypto';
import {
  type Effort,
  GatewayError,
  type GenerateRequest,
  type Output,
  type Reasoning,
} from '@model-gateway/canonical';
import type { ChatResponseFormat } from '@model-gateway/wire';
import type { EncodeInput } from '../../dialect.ts';
import { encodeMessages } from '../message/encode.ts';
import { encodeTools } from '../tool/encode.ts';

/** The most stop sequences that the format takes. */
const maxStop = 4;
/** The most characters of an end user's id. */
const maxUser = 64;

/** The body's fields, the model and those of the stream aside; undefined is not sent. */
export function encodeRequest(request: GenerateRequest, input: EncodeInput): Record<string, unknown> {
  const { envelope, model, original = false } = input;
  refuseUnsupported(request);
  return {
    ...request.extensions?.chat,
    messages: encodeMessages(request, {
      original,
      prefill: envelope.format === 'messages',
      signed: /gemini/i.test(model),
    }),
    ...encodeTools(request, original),
    ...encodeLimit(request.maxTokens, input),
    temperature: request.temperature,
    top_p: request.topP,
    stop: request.stop,
    reasoning_effort: request.reasoning && encodeEffort(request.reasoning),
    response_format: request.output && encodeOutput(request.output),
    n: request.n,
    seed: request.seed,
    presence_penalty: request.presencePenalty,
    frequency_penalty: request.frequencyPenalty,
    logit_bias: request.logitBias,
    modalities: request.modalities,
    // Hints that compatible upstreams need not know.
    ...(original && { verbosity: request.verbosity, service_tier: encodeTier(request.serviceTier) }),
    ...(request.user && { [original ? 'safety_identifier' : 'user']: encodeUser(request.user) }),
  };
}

function refuseUnsupported({ stop, logprobs }: GenerateRequest): void {
  // Parts of an answer have no place for them.
  if (logprobs) throw unsupported('logprobs', 'log probabilities cannot be had in translation');
  if (stop && stop.length > maxStop)
    throw unsupported('stop', `this model takes at most ${maxStop} stop sequences, but got ${stop.length}`);
}

function unsupported(param: string, why: string): GatewayError {
  return new GatewayError('invalid-request', `Unsupported value for '${param}': ${why}.`, {
    param,
    code: 'unsupported_value',
  });
}

/** The new name is the vendor's own; upstreams that are compatible with it know the old one. */
function encodeLimit(asked: number | undefined, { original, limits }: EncodeInput): Record<string, number> {
  if (asked === undefined) return {};
  const tokens = Math.min(asked, limits.maxOutput ?? asked);
  return original ? { max_completion_tokens: tokens } : { max_tokens: tokens };
}

/** A level, or the level that a budget of tokens is nearest to; the upstream's own default where neither is said. */
function encodeEffort({ effort, budget }: Reasoning): Effort | undefined {
  if (effort || budget === undefined || budget < 0) return effort;
  if (budget === 0) return 'none';
  if (budget <= 1024) return 'low';
  if (budget <= 8192) return 'medium';
  return budget <= 24_576 ? 'high' : 'xhigh';
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

function encodeTier(tier: string | undefined): string | undefined {
  return tier === 'flex' || tier === 'priority' ? tier : undefined;
}

/** An id of any other kind is shown to the vendor as its hash only: too long, or somebody's address. */
function encodeUser(user: string): string {
  if (user.length <= maxUser && !user.includes('@')) return user;
  return createHash('sha256').update(user).digest('hex');
}
