import type { IncomingHttpHeaders } from 'node:http';
import type { CountRequest } from '@model-gateway/ingress';
import { readBody, translate } from '../body/parse.ts';
import { isForeignHistory } from '../foreign/parse.ts';
import { ToolNames } from '../tools/names.ts';
import { renderCount } from './render.ts';

/** @throws GatewayError of kind `invalid-request` */
export function parse(
  body: Record<string, unknown>,
  _headers?: IncomingHttpHeaders,
  text?: Buffer,
): CountRequest {
  const data = readBody(body);
  return {
    model: data.model,
    foreign: isForeignHistory(data),
    canonical: () => translate(body, text, new ToolNames()),
    renderCount,
  };
}
