import { moderationsRequest } from '@model-gateway/formats';
import { knownFields, renderChatError, renderChatErrorEvent } from '@model-gateway/formats/client';
import type { Endpoint } from '@model-gateway/ingress';
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
