import type { Endpoint } from '@model-gateway/ingress';
import { responsesFormat } from '../format.ts';
import type { LocalTurns } from '../stored/history.ts';
import { prepare } from '../stored/prepare.ts';
import type { Shelf } from '../stored/shelf.ts';
import { parse } from './parse.ts';

/** `POST /v1/responses`; `local` are turns that one connection keeps. */
export function responses(shelf: Shelf, local?: LocalTurns): Endpoint {
  return {
    ...responsesFormat,
    path: '/v1/responses',
    prepare: (body, asked, requestId) => prepare(shelf, body, asked, requestId, local),
    parse,
  };
}
