import { type Endpoint, knownFields, renderChatError } from '@model-gateway/ingress';
import { sseComment } from '@model-gateway/sse';
import { imageGenerationRequest } from '@model-gateway/wire';
import { renderErrorEvent } from '../error-event/render.ts';
import { parse } from './parse.ts';

/** Images of a prompt. */
export const generations: Endpoint = {
  method: 'POST',
  path: '/v1/images/generations',
  format: 'images',
  operation: 'image',
  fields: knownFields(imageGenerationRequest),
  parse,
  renderError: renderChatError,
  renderErrorEvent,
  ping: sseComment('ping'),
};
