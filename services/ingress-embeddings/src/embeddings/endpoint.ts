import { type Endpoint, renderChatError, renderChatErrorEvent } from '@model-gateway/ingress';
import { parse } from './parse.ts';

/** The vectors of texts. */
export const embeddings: Endpoint = {
  method: 'POST',
  path: '/v1/embeddings',
  format: 'embeddings',
  operation: 'embed',
  parse,
  renderError: renderChatError,
  renderErrorEvent: renderChatErrorEvent,
  ping: '',
};
