import type { FieldPath, GenerateRequest } from '@model-gateway/canonical';
import { spliceTopLevel } from '@model-gateway/json';
import { withUsage } from '../chat/encode.ts';
import type { CanonicalInput, GenerateInput, UpstreamRequest, VerbatimInput } from '../upstream/dialect.ts';
import { type JsonBody, nativeEdits, refuse, writePlain, writtenBody } from '../upstream/request-body.ts';
import { completionsFields } from './fields.ts';
import type { CompletionRequestParams } from './types.ts';

export function encode(input: GenerateInput): UpstreamRequest {
  return { path: '/completions', body: input.body === 'verbatim' ? splice(input) : translate(input) };
}

/** Returns the client's JSON with the upstream's model, without the fields that the model does not accept. */
function splice(input: VerbatimInput): Buffer {
  const edits = nativeEdits(input);
  if (input.envelope.stream && !edits.has('stream_options')) edits.set('stream_options', withUsage);
  return spliceTopLevel(input.text, edits);
}

/** Translates a request. A text-completion model has no turns: it accepts only one user message of text. */
function translate(input: CanonicalInput): JsonBody {
  const { request } = input;
  const body: CompletionRequestParams = {
    model: input.model,
    prompt: promptOf(request),
    max_tokens: request.maxTokens ?? input.limits.maxOutput,
    ...writePlain(completionsFields, request),
    stop: request.stop,
    stream: true,
    stream_options: { include_usage: true },
  };
  return writtenBody(input, body);
}

/** @throws GatewayError of kind `invalid-request` for anything but one user message of text */
function promptOf({ messages, tools, output, logprobs }: GenerateRequest): string {
  if (tools?.length) refuseField('tools');
  if (output && output.type !== 'text') refuseField('output');
  if (logprobs) refuseField('logprobs');
  const [message, ...more] = messages;
  const parts = message?.role === 'user' ? message.content : [];
  const texts = parts.flatMap(part => (part.type === 'text' ? [part.text] : []));
  if (more.length > 0 || texts.length === 0 || texts.length < parts.length) refuseField('messages');
  return texts.join('');
}

function refuseField(path: FieldPath): never {
  const message = "Invalid '{path}': this model completes text and accepts only one user message of text.";
  refuse(path, message, 'unsupported_parameter');
}
