import {
  countRenderer,
  parse,
  parseCount,
  type ResponsesRendering,
  rendererOf,
  responsesFormat,
} from '@model-gateway/formats/responses';
import type { Endpoint } from '@model-gateway/ingress';
import { expand } from '../store/expand.ts';
import type { LocalTurns } from '../store/history.ts';
import { prepare } from '../store/prepare.ts';
import type { ResponseServices } from '../store/response-services.ts';

/** `POST /v1/responses`. `local` holds the turns of one WebSocket connection. */
export function responses(services: ResponseServices, local?: LocalTurns): Endpoint<ResponsesRendering> {
  return {
    ...responsesFormat,
    path: '/v1/responses',
    prepare: (body, request, requestId) => prepare(services, body, request, requestId, local),
    parse,
    render: rendererOf,
  };
}

export function inputTokens(services: ResponseServices): Endpoint {
  return {
    ...responsesFormat,
    path: '/v1/responses/input_tokens',
    prepare: (body, request) => expand(services, body, request),
    parse: parseCount,
    render: () => countRenderer,
  };
}
