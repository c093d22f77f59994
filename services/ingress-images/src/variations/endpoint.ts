import { type Endpoint, knownFields, renderChatError } from '@model-gateway/ingress';
import { parseNone } from '@model-gateway/service';
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
  fields: knownFields(imageVariationForm),
  contentTypes: ['multipart/form-data'],
  parse: parseNone,
  parseForm,
  renderError: renderChatError,
  renderErrorEvent,
  ping: '',
};
