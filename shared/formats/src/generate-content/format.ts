import type { IncomingMessage } from 'node:http';
import type { GatewayError } from '@model-gateway/canonical';
import { dataJson, sseEvent } from '@model-gateway/sse';
import type { FormatEndpoint, RenderedError } from '../client/endpoint.ts';
import { renderGenerateContentError } from '../client/render-errors.ts';
import { generateContentFields } from './fields.ts';
import { isArray, queryOf } from './target.ts';

/** The properties that all endpoints of the format share. */
export const generateContentFormat = {
  method: 'POST',
  format: 'generate-content',
  secretOf: keyOf,
  fieldNames: generateContentFields.names,
  renderError,
  renderErrorEvent: error => sseEvent(dataJson(renderGenerateContentError(error, false).body)),
  // Clients parse a comment as part of the response, and fail.
  ping: '',
} satisfies Partial<FormatEndpoint>;

function renderError(error: GatewayError, _requestId: string, request: IncomingMessage): RenderedError {
  const rendered = renderGenerateContentError(error, keyOf(request) !== undefined);
  return isArray(request.url ?? '') ? { ...rendered, body: [rendered.body] } : rendered;
}

/** Returns the key, which Google's clients send in a header or in the query. */
function keyOf(request: IncomingMessage): string | undefined {
  const sent = request.headers['x-goog-api-key'];
  return (typeof sent === 'string' && sent.trim()) || queryOf(request.url ?? '').get('key') || undefined;
}
