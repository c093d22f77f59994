import { sseComment } from '@model-gateway/sse';
import type { FormatEndpoint } from '../client/endpoint.ts';
import { knownFields } from '../client/endpoint.ts';
import { renderChatError, renderNamedChatErrorEvent } from '../client/render-chat-error.ts';
import { parse } from './parse.ts';
import { speechRenderer } from './render.ts';
import { speechRequest } from './types.ts';

/** Text to speech. */
export const speech: FormatEndpoint = {
  method: 'POST',
  path: '/v1/audio/speech',
  format: 'speech',
  fields: knownFields(speechRequest),
  parse,
  render: () => speechRenderer,
  fieldNames: { text: 'input', format: 'response_format' },
  renderError: renderChatError,
  renderErrorEvent: renderNamedChatErrorEvent,
  ping: sseComment('ping'),
};
