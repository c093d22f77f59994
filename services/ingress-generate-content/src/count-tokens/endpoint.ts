import type { Endpoint } from '@model-gateway/ingress';
import { googleCountRequest } from '@model-gateway/wire';
import { fieldsInBothCases } from '../check.ts';
import { generateContentFormat } from '../format.ts';
import { pathOf } from '../target.ts';
import { parse } from './parse.ts';

export const countTokens: Endpoint = {
  ...generateContentFormat,
  ...pathOf('countTokens'),
  operation: 'count-tokens',
  fields: fieldsInBothCases(googleCountRequest),
  parse,
};
