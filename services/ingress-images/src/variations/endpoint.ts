import { type Endpoint, knownFields, parseNone, renderChatError, requireForm } from '@model-gateway/ingress';
import { imageVariationForm } from '@model-gateway/wire';
import { renderErrorEvent } from '../error-event/render.ts';
import { parseForm } from './parse.ts';

/** Images that are like another one. */
export const variations: Endpoint = {
  method: 'POST',
  path: '/v1/images/variations',
  format: 'images',
  operation: 'image',
  variant: 'variations',
  checkHeaders: requireForm,
  fields: knownFields(imageVariationForm),
  parse: parseNone,
  parseForm,
  renderError: renderChatError,
  renderErrorEvent,
  ping: '',
};
