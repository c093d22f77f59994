import type { Endpoint } from '@model-gateway/ingress';
import { responsesFormat } from '../format.ts';
import { expand, type Shelf } from '../stored/prepare.ts';
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
