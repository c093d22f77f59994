import { messagesCountRequest, messagesRequest } from '@model-gateway/formats';
import { knownFields, renderMessagesError, renderMessagesErrorEvent } from '@model-gateway/formats/client';
import type { Endpoint } from '@model-gateway/ingress';
import { sseComment, sseEvent } from '@model-gateway/sse';
import { parse, parseCount } from './parse.ts';
import { checkVersion } from './parse-settings.ts';
import { countRenderer, type MessagesAnswerOptions, messagesRenderer } from './render.ts';

/** The properties that all endpoints of the format share. */
const messagesFormat = {
  method: 'POST',
  format: 'messages',
  checkHeaders: checkVersion,
  requestIdHeader: 'request-id',
  fieldNames: {
    maxTokens: 'max_tokens',
    topP: 'top_p',
    topK: 'top_k',
    stop: 'stop_sequences',
    toolChoice: 'tool_choice',
    parallelToolCalls: 'tool_choice',
    reasoning: 'output_config.effort',
    output: 'output_config.format',
    serviceTier: 'service_tier',
    user: 'metadata.user_id',
  },
  renderError: renderMessagesError,
  renderErrorEvent: renderMessagesErrorEvent,
  // An event before `message_start` breaks some clients; all clients ignore a comment.
  ping: sseComment('ping'),
  pingWithin: sseEvent('{"type":"ping"}', 'ping'),
} satisfies Partial<Endpoint>;

export const messages: Endpoint<MessagesAnswerOptions> = {
  ...messagesFormat,
  path: '/v1/messages',
  fields: knownFields(messagesRequest),
  parse,
  render: messagesRenderer,
};

export const countTokens: Endpoint = {
  ...messagesFormat,
  path: '/v1/messages/count_tokens',
  fields: knownFields(messagesCountRequest),
  parse: parseCount,
  render: () => countRenderer,
};
