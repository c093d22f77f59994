import type { GenerateEvent, GenerateRequest } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { chatDialect } from '../../shared/formats/src/chat/dialect.ts';
import { parse as parseChat } from '../../shared/formats/src/chat/parse.ts';
import { chatRenderer } from '../../shared/formats/src/chat/render.ts';
import { messagesDialect } from '../../shared/formats/src/messages/dialect.ts';
import { parse as parseMessages } from '../../shared/formats/src/messages/parse.ts';
import { messagesRenderer } from '../../shared/formats/src/messages/render.ts';
import type { Decoder, Dialect, GenerateInput } from '../../shared/formats/src/upstream/dialect.ts';
import { asSent } from './request.ts';

export type Hop = 'chat' | 'messages';

export const context = { requestId: 'req_1', created: 1 };
const envelope = testEnvelope({ format: 'responses' });
const input = (request: GenerateRequest): GenerateInput => ({
  envelope,
  body: 'canonical',
  request,
  // A model with adaptive thinking, schemas and sampling settings.
  model: 'claude-opus-4-6',
  drop: [],
  limits: {},
});

const parsed = {
  chat: (body: Record<string, unknown>) => parseChat(body),
  messages: (body: Record<string, unknown>) => parseMessages(body, {}),
};
const dialects: Record<Hop, Dialect> = { chat: chatDialect, messages: messagesDialect };
const asked = { model: 'm', messages: [{ role: 'user', content: 'Hi' }], stream: true };
/** Renders the response to a plain request. */
export const renderers = {
  chat: chatRenderer(parsed.chat({ ...asked, stream_options: { include_usage: true } }).rendering),
  messages: messagesRenderer(parsed.messages({ ...asked, max_tokens: 9 }).rendering),
};

/** A body of a format as the gateway parses it, after its way over the bus, without the traits of the format. */
export function parsedAs(hop: Hop, body: Record<string, unknown>): GenerateRequest {
  const { userFirst: _, signaturesBefore: __, ...request } = asSent(parsed[hop](body).canonical());
  return request;
}

/** The body for an upstream of a format. */
export function encoded(request: GenerateRequest, hop: Hop): Record<string, unknown> {
  return JSON.parse(dialects[hop].encode(input(request)).body.toString());
}

/** The decoder of a translated stream of an upstream of a format. */
function decoderOf(hop: Hop): Decoder {
  return dialects[hop].decodeStream(input({ messages: [] }));
}

/** A request as a second gateway parses it from the first one's format. */
export function requestOver(request: GenerateRequest, hop: Hop): GenerateRequest {
  return parsedAs(hop, encoded(request, hop));
}

/** An answer's events as a second gateway reads them from the first one's format. */
export function eventsOver(events: readonly GenerateEvent[], hop: Hop): GenerateEvent[] {
  const stream = events.map(renderers[hop].stream(context).add).join('');
  const decoder = decoderOf(hop);
  return [...decoder.read(Buffer.from(stream)), ...decoder.end()];
}
