import {
  type Edit,
  GatewayError,
  type GenerateRequest,
  memberText,
  type Output,
  parseExact,
  spliceTopLevel,
} from '@model-gateway/canonical';
import type { ChatResponseFormat } from '@model-gateway/wire';
import type { EncodeInput, UpstreamRequest } from '../dialect.ts';
import { effortOf } from '../effort.ts';
import { hints } from '../openai-hints.ts';
import { JsonBody } from '../own-text.ts';
import { checkToolChoice, refuseOwnWork, unsupported } from '../unsupported.ts';
import { encodeMessages } from './encode-messages.ts';
import { encodeTools } from './encode-tools.ts';
import { sanitizeHistory } from './sanitize-history.ts';

export function encode(input: EncodeInput): UpstreamRequest {
  const { text, request } = input;
  if (text) return { path: '/chat/completions', body: splice(input, text) };
  if (request) return { path: '/chat/completions', body: translate(input, request) };
  throw new GatewayError('internal', 'The call holds no request.');
}

/** Sends the client's own text on, with the upstream's model and without what the model does not take. */
function splice({ envelope, model, drop }: EncodeInput, text: Buffer): Buffer {
  const edits = new Map<string, Edit>(drop.map(field => [field, null]));
  edits.set('model', JSON.stringify(model));
  if (envelope.foreign) edits.set('messages', ownMessages(text, model));
  // Without it a stream tells no usage, and nobody could be billed for it.
  if (envelope.stream && !edits.has('stream_options')) edits.set('stream_options', withUsage);
  return spliceTopLevel(text, edits);
}

/** The client's own history, without what another vendor made. */
function ownMessages(text: Buffer, model: string): string {
  const messages = parseExact(memberText(text, 'messages') ?? '[]') as Record<string, unknown>[];
  return JSON.stringify(sanitizeHistory(messages, isGoogle(model)));
}

function translate(input: EncodeInput, request: GenerateRequest): JsonBody {
  const body: Record<string, unknown> = {
    model: input.model,
    ...encodeRequest(request, input),
    stream: true,
    stream_options: { include_usage: true },
  };
  for (const field of input.drop) delete body[field];
  return new JsonBody(body);
}

/** Whether the client itself wants to see the usage at a stream's end. */
export function asksForUsage(body: Buffer): boolean {
  const options = memberText(body, 'stream_options');
  return options !== undefined && JSON.parse(options)?.include_usage === true;
}

export function withUsage(current: string | undefined): string {
  return JSON.stringify({ ...(current && JSON.parse(current)), include_usage: true });
}

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

/** Whether a model is one of Google's, which wants its signatures back. */
export function isGoogle(model: string): boolean {
  return /gemini/i.test(model);
}
