import { createHash } from 'node:crypto';
import { GatewayError, type GenerateRequest, type Output, type Reasoning } from '@model-gateway/canonical';
import type { ResponsesFormat } from '@model-gateway/wire';
import type { EncodeInput } from '../../dialect.ts';
import { effortOf } from '../../effort.ts';
import { checkToolChoice } from '../../tool-choice.ts';
import { encodeInput } from '../input/encode.ts';
import { encodeTools } from '../tools/encode.ts';

/** The most characters of an end user's id. */
const maxUser = 64;

/** The body's fields, the model and those of the stream aside; undefined is not sent. */
export function encodeRequest(request: GenerateRequest, input: EncodeInput): Record<string, unknown> {
  const { envelope, original = false, limits } = input;
  refuseUnsayable(request);
  checkToolChoice(request);
  const { maxTokens, extensions, user } = request;
  return {
    ...extensions?.responses,
    input: encodeInput(request, envelope.format === 'messages'),
    ...encodeTools(request, original),
    max_output_tokens:
      maxTokens === undefined ? undefined : Math.min(maxTokens, limits.maxOutput ?? maxTokens),
    temperature: request.temperature,
    top_p: request.topP,
    reasoning: request.reasoning && encodeReasoning(request.reasoning),
    text: encodeText(request, original),
    metadata: request.metadata,
    prompt_cache_key: extensions?.chat?.prompt_cache_key,
    // A hint that compatible upstreams need not know.
    ...(original && { service_tier: encodeTier(request.serviceTier) }),
    ...(user && { [original ? 'safety_identifier' : 'user']: encodeUser(user) }),
  };
}

/** Fields of the messages format that ask for something to be done which only its vendor does. */
const ownWork = ['mcp_servers', 'container', 'thinking'];

/** What an answer in this format could not be true to; hints that it cannot carry are left out. */
function refuseUnsayable(request: GenerateRequest): void {
  const { stop = [], n = 1, logprobs, logitBias = {}, modalities = [], extensions } = request;
  for (const field of ownWork) {
    const value = extensions?.messages?.[field];
    if (value && !(Array.isArray(value) && value.length === 0))
      throw unsupported(field, "this model's provider has no such thing");
  }
  if (stop.some(sequence => sequence !== '')) throw unsupported('stop', 'this model takes no stop sequences');
  if (n > 1) throw unsupported('n', `this model gives one answer, not ${n}`);
  // Parts of an answer have no place for them.
  if (logprobs) throw unsupported('logprobs', 'log probabilities cannot be had in translation');
  if (Object.keys(logitBias).length > 0) throw unsupported('logit_bias', 'this model takes none');
  const other = modalities.find(modality => modality.toLowerCase() !== 'text');
  if (other) throw unsupported('modalities', `this model answers with text, not with ${other}`);
}

function unsupported(param: string, why: string): GatewayError {
  return new GatewayError('invalid-request', `Unsupported value for '${param}': ${why}.`, {
    param,
    code: 'unsupported_value',
  });
}

/** A summary is all that the vendor shows of its reasoning, and that only if asked. */
function encodeReasoning(reasoning: Reasoning): Record<string, unknown> | undefined {
  const effort = effortOf(reasoning);
  const summary = reasoning.show && effort !== 'none' ? 'auto' : undefined;
  return effort || summary ? { effort, summary } : undefined;
}

/** The verbosity is a hint that compatible upstreams need not know. */
function encodeText(
  { output, verbosity: asked }: GenerateRequest,
  original: boolean,
): Record<string, unknown> | undefined {
  const format = output && encodeFormat(output);
  const verbosity = original ? asked : undefined;
  return format || verbosity ? { format, verbosity } : undefined;
}

/** Plain text is the default and need not be said. */
function encodeFormat(output: Output): ResponsesFormat | undefined {
  switch (output.type) {
    case 'text':
      return undefined;
    case 'json':
      return { type: 'json_object' };
    case 'schema': {
      const { schema, name = 'response', strict } = output;
      return { type: 'json_schema', name, schema, strict };
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
