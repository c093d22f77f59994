import { type Endpoint, knownFields, renderChatError, renderChatErrorEvent } from '@model-gateway/ingress';
import { rerankRequest } from '@model-gateway/wire';
import { parse } from './parse.ts';

/** The order in which documents fit a query. */
export const rerank: Endpoint = {
  method: 'POST',
  path: '/v1/rerank',
  format: 'rerank',
  operation: 'rerank',
  fields: knownFields(rerankRequest),
  parse,
  renderError: renderRerankError,
  renderErrorEvent: renderChatErrorEvent,
  ping: '',
};

/** Where clients of Cohere's second version ask. */
export const rerankSecondVersion: Endpoint = { ...rerank, path: '/v2/rerank' };

/** Where clients of TEI and of vLLM may ask. */
export const rerankWithoutVersion: Endpoint = { ...rerank, path: '/rerank' };

/** An error as chat has it, with the message where clients of Cohere and of Jina look for it. */
function renderRerankError(...[error]: Parameters<Endpoint['renderError']>) {
  const rendered = renderChatError(error);
  return { ...rendered, body: { ...(rendered.body as object), message: error.message } };
}
