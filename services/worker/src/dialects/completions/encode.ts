import { GatewayError, type GenerateRequest } from '@model-gateway/canonical';
import { type Edit, spliceTopLevel } from '@model-gateway/json';
import type { CompletionRequestParams } from '@model-gateway/wire';
import type { EncodeInput, UpstreamRequest } from '../dialect.ts';
import { withUsage } from '../encode-openai-hints.ts';
import type { JsonBody } from '../json-body.ts';
import { writtenBody } from '../native-body.ts';

export function encode(input: EncodeInput): UpstreamRequest {
  const { text, request } = input;
  if (text) return { path: '/completions', body: splice(input, text) };
  if (request) return { path: '/completions', body: translate(input, request) };
  throw new GatewayError('internal', 'The call holds no request.');
}

/** Returns the client's JSON with the upstream's model, without the fields that the model does not accept. */
function splice({ envelope, model, drop }: EncodeInput, text: Buffer): Buffer {
  const edits = new Map<string, Edit>(drop.map(field => [field, null]));
  edits.set('model', JSON.stringify(model));
  if (envelope.stream && !edits.has('stream_options')) edits.set('stream_options', withUsage);
  return spliceTopLevel(text, edits);
}

/** Translates a request. A text-completion model has no turns: it accepts only one user message of text. */
function translate(input: EncodeInput, request: GenerateRequest): JsonBody {
  const body: CompletionRequestParams = {
    model: input.model,
    prompt: promptOf(request),
    max_tokens: request.maxTokens ?? input.limits.maxOutput,
    temperature: request.temperature,
    top_p: request.topP,
    stop: request.stop,
    n: request.n,
    seed: request.seed,
    presence_penalty: request.presencePenalty,
    frequency_penalty: request.frequencyPenalty,
    logit_bias: request.logitBias,
    user: request.user,
    stream: true,
    stream_options: { include_usage: true },
  };
  return writtenBody(input, body);
}

/** @throws GatewayError of kind `invalid-request` for anything but one user message of text */
function promptOf({ messages, tools, output, logprobs }: GenerateRequest): string {
  if (tools?.length) throw notRepresentable('tools');
  if (output && output.type !== 'text') throw notRepresentable('response_format');
  if (logprobs) throw notRepresentable('logprobs');
  const [message, ...more] = messages;
  const parts = message?.role === 'user' ? message.content : [];
  const texts = parts.flatMap(part => (part.type === 'text' ? [part.text] : []));
  if (more.length > 0 || texts.length === 0 || texts.length < parts.length)
    throw notRepresentable('messages');
  return texts.join('');
}

function notRepresentable(param: string): GatewayError {
  const message = `Invalid '${param}': this model completes text and accepts only one user message of text.`;
  return new GatewayError('invalid-request', message, { param, code: 'unsupported_parameter' });
}
