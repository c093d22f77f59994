import type { Endpoint } from '@model-gateway/ingress';
import { responsesFormat } from '../format.ts';
import { expand } from '../stored/expand.ts';
import type { Shelf } from '../stored/shelf.ts';
import { parse } from './parse.ts';

export function inputTokens(shelf: Shelf): Endpoint {
  return {
    ...responsesFormat,
    operation: 'count-tokens',
    path: '/v1/responses/input_tokens',
    prepare: (body, asked) => expand(shelf, body, asked),
    parse,
  };
}
