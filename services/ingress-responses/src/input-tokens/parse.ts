import type { IncomingHttpHeaders } from 'node:http';
import type { CountRequest } from '@model-gateway/ingress';
import { exactKeys, exactly, readBody, translate } from '../body/parse.ts';
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
  const exact = exactKeys(body, text);
  return {
    model: data.model,
    foreign: isForeignHistory(data),
    exact,
    canonical: (given = exactly(exact, text)) => translate(body, given, new ToolNames()),
    renderCount,
  };
}
