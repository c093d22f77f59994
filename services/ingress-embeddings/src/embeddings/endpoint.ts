import { type Endpoint, knownFields, renderChatError, renderChatErrorEvent } from '@model-gateway/ingress';
import { embeddingsRequest } from '@model-gateway/wire';
import { parse } from './parse.ts';

/** Embeddings of texts. */
export const embeddings: Endpoint = {
  method: 'POST',
  path: '/v1/embeddings',
  format: 'embeddings',
  operation: 'embed',
  fields: knownFields(embeddingsRequest),
  parse,
  renderError: renderChatError,
  renderErrorEvent: renderChatErrorEvent,
  ping: '',
};
