import type { Endpoint } from '@model-gateway/ingress';
import { responsesFormat } from '../format/format.ts';
import { parse, parseCount } from '../format/parse.ts';
import { expand } from '../store/expand.ts';
import type { LocalTurns } from '../store/history.ts';
import { prepare } from '../store/prepare.ts';
import type { ResponseServices } from '../store/response-services.ts';

/** `POST /v1/responses`; `local` are turns that one connection keeps. */
export function responses(shelf: ResponseServices, local?: LocalTurns): Endpoint {
  return {
    ...responsesFormat,
    path: '/v1/responses',
    prepare: (body, asked, requestId) => prepare(shelf, body, asked, requestId, local),
    parse,
  };
}

export function inputTokens(shelf: ResponseServices): Endpoint {
  return {
    ...responsesFormat,
    operation: 'count-tokens',
    path: '/v1/responses/input_tokens',
    prepare: (body, asked) => expand(shelf, body, asked),
    parse: parseCount,
  };
}
