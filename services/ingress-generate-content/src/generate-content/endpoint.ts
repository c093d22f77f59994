import type { Endpoint } from '@model-gateway/ingress';
import { generateContentCountRequest, generateContentRequest } from '@model-gateway/wire';
import { fieldsInBothCases } from '../check.ts';
import { generateContentFormat } from '../format.ts';
import { pathOf } from '../target.ts';
import { parseCount, parseStreamed, parseWhole } from './parse.ts';

const fields = fieldsInBothCases(generateContentRequest);

export const generateContent: Endpoint = {
  ...generateContentFormat,
  ...pathOf('generateContent'),
  fields,
  parse: parseWhole,
};

export const streamGenerateContent: Endpoint = {
  ...generateContentFormat,
  ...pathOf('streamGenerateContent'),
  fields,
  parse: parseStreamed,
};

export const countTokens: Endpoint = {
  ...generateContentFormat,
  ...pathOf('countTokens'),
  operation: 'count-tokens',
  fields: fieldsInBothCases(generateContentCountRequest),
  parse: parseCount,
};
