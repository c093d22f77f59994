import { type Endpoint, knownFields, renderChatError, renderChatErrorEvent } from '@model-gateway/ingress';
import { moderationsRequest } from '@model-gateway/wire';
import { parse } from './parse.ts';
import { moderationsRenderer } from './render.ts';

/** Classifies texts and images by policies. */
export const moderations: Endpoint<string> = {
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
