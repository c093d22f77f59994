import {
  type Edit,
  GatewayError,
  type GenerateRequest,
  memberText,
  parseExact,
  spliceTopLevel,
} from '@model-gateway/canonical';
import type { EncodeInput, UpstreamRequest } from '../dialect.ts';
import { JsonBody } from '../json-body.ts';
import { isGoogle } from './models.ts';
import { ownHistory } from './own-history.ts';
import { encodeRequest } from './request/encode.ts';

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
  return JSON.stringify(ownHistory(messages, isGoogle(model)));
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
