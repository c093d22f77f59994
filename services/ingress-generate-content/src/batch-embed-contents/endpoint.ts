import type { Endpoint } from '@model-gateway/ingress';
import { batchEmbedRequest } from '@model-gateway/wire';
import { fieldsInBothCases } from '../check.ts';
import { generateContentFormat } from '../format.ts';
import { pathOf } from '../target.ts';
import { parse } from './parse.ts';

/** The vectors of several contents. */
export const batchEmbedContents: Endpoint = {
  ...generateContentFormat,
  ...pathOf('batchEmbedContents'),
  format: 'embed-content',
  operation: 'embed',
  fields: fieldsInBothCases(batchEmbedRequest),
  parse,
};
