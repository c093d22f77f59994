import type { Endpoint } from '@model-gateway/ingress';
import { responsesFormat } from '../format.ts';
import { parse } from './parse.ts';

export const inputTokens: Endpoint = {
  ...responsesFormat,
  operation: 'count-tokens',
  path: '/v1/responses/input_tokens',
  parse,
};
