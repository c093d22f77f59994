import type { FormatEndpoint } from '../client/endpoint.ts';
import { knownFields } from '../client/endpoint.ts';
import { renderChatError, renderChatErrorEvent } from '../client/render-chat-error.ts';
import { parse } from './parse.ts';
import { type RerankAnswerOptions, rerankRenderer } from './render.ts';
import { rerankRequest } from './types.ts';

/** Ranks documents by their relevance to a query. */
export const rerank: FormatEndpoint<RerankAnswerOptions> = {
  method: 'POST',
  path: '/v1/rerank',
  format: 'rerank',
  fields: knownFields(rerankRequest),
  parse,
  render: rerankRenderer,
  fieldNames: { top: 'top_n', maxTokens: 'max_tokens_per_doc' },
  renderError: renderRerankError,
  renderErrorEvent: renderChatErrorEvent,
  ping: '',
};

/** The path of clients of Cohere's v2 API. */
export const rerankSecondVersion: FormatEndpoint<RerankAnswerOptions> = { ...rerank, path: '/v2/rerank' };

/** The path of some clients of TEI and vLLM. */
export const rerankWithoutVersion: FormatEndpoint<RerankAnswerOptions> = { ...rerank, path: '/rerank' };

/** Renders an error of the chat format, plus the top-level `message` that clients of Cohere and Jina read. */
function renderRerankError(...[error]: Parameters<FormatEndpoint['renderError']>) {
  const rendered = renderChatError(error);
  return { ...rendered, body: { ...(rendered.body as object), message: error.message } };
}
