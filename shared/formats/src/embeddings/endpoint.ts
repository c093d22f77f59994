import type { FormatEndpoint } from '../client/endpoint.ts';
import { knownFields } from '../client/endpoint.ts';
import { renderChatError, renderChatErrorEvent } from '../client/render-chat-error.ts';
import { parse } from './parse.ts';
import { type EmbeddingsAnswerOptions, embeddingsRenderer } from './render.ts';
import { embeddingsRequest } from './types.ts';

/** Embeddings of texts. */
export const embeddings: FormatEndpoint<EmbeddingsAnswerOptions> = {
  method: 'POST',
  path: '/v1/embeddings',
  format: 'embeddings',
  fields: knownFields(embeddingsRequest),
  parse,
  render: embeddingsRenderer,
  fieldNames: { inputs: 'input', encoding: 'encoding_format', numbers: 'output_dtype' },
  renderError: renderChatError,
  renderErrorEvent: renderChatErrorEvent,
  ping: '',
};
