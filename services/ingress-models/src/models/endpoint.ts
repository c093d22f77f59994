import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError } from '@model-gateway/canonical';
import { bearerToken, type Parts } from '@model-gateway/ingress';
import { modelOfPath } from './parse.ts';
import { renderList, renderModel } from './render.ts';

/** `GET /v1/models` and `GET /v1/models/<model>`. @throws GatewayError */
export function answerModels(
  request: IncomingMessage,
  response: ServerResponse,
  { access, catalog }: Parts,
): void {
  access.check(bearerToken(request), Date.now());
  const name = modelOfPath(request.url?.split('?')[0] ?? '');
  if (name === undefined) return sendJson(response, renderList(catalog.models()));
  const found = catalog.model(name);
  if (!found)
    throw new GatewayError('not-found', `The model '${name}' does not exist.`, { code: 'model_not_found' });
  sendJson(response, renderModel(name, found.model));
}

function sendJson(response: ServerResponse, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}
