import { sseComment, sseEvent } from '@model-gateway/sse';
import { type FormatEndpoint, knownFields } from '../client/endpoint.ts';
import { renderMessagesError, renderMessagesErrorEvent } from '../client/render-errors.ts';
import { messagesFields } from './fields.ts';
import { checkVersion, parse, parseCount } from './parse.ts';
import { countRenderer, type MessagesAnswerOptions, messagesRenderer } from './render.ts';
import { messagesCountRequest, messagesRequest } from './request.ts';

/** The properties that all endpoints of the format share. */
const messagesFormat = {
  method: 'POST',
  format: 'messages',
  checkHeaders: checkVersion,
  requestIdHeader: 'request-id',
  fieldNames: messagesFields.names,
  renderError: renderMessagesError,
  renderErrorEvent: renderMessagesErrorEvent,
  // An event before `message_start` breaks some clients; all clients ignore a comment.
  ping: sseComment('ping'),
  pingWithin: sseEvent('{"type":"ping"}', 'ping'),
} satisfies Partial<FormatEndpoint>;

export const messages: FormatEndpoint<MessagesAnswerOptions> = {
  ...messagesFormat,
  path: '/v1/messages',
  fields: knownFields(messagesRequest),
  parse,
  render: messagesRenderer,
};

export const countTokens: FormatEndpoint = {
  ...messagesFormat,
  path: '/v1/messages/count_tokens',
  fields: knownFields(messagesCountRequest),
  parse: parseCount,
  render: () => countRenderer,
};
