import { embeddingsRequest } from '@model-gateway/formats';
import { knownFields, renderChatError, renderChatErrorEvent } from '@model-gateway/formats/client';
import type { Endpoint } from '@model-gateway/ingress';
import { parse } from './parse.ts';
import { type EmbeddingsAnswerOptions, embeddingsRenderer } from './render.ts';

/** Embeddings of texts. */
export const embeddings: Endpoint<EmbeddingsAnswerOptions> = {
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
