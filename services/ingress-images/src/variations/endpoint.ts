import { type Endpoint, parseNone, renderChatError, requireForm } from '@model-gateway/ingress';
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
  parse: parseNone,
  parseForm,
  renderError: renderChatError,
  renderErrorEvent,
  ping: '',
};
