import type { FormatEndpoint } from '../client/endpoint.ts';
import { knownFields } from '../client/endpoint.ts';
import { renderChatError, renderChatErrorEvent } from '../client/render-chat-error.ts';
import { parse } from './parse.ts';
import { moderationsRenderer } from './render.ts';
import { moderationsRequest } from './types.ts';

/** Classifies texts and images by policies. */
export const moderations: FormatEndpoint<string> = {
  method: 'POST',
  path: '/v1/moderations',
  format: 'moderations',
  fields: knownFields(moderationsRequest),
  parse,
  render: moderationsRenderer,
  renderError: renderChatError,
  renderErrorEvent: renderChatErrorEvent,
  ping: '',
};
