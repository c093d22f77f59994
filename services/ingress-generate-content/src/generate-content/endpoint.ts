import type { Endpoint } from '@model-gateway/ingress';
import { googleRequest } from '@model-gateway/wire';
import { fieldsInBothCases } from '../check.ts';
import { generateContentFormat } from '../format.ts';
import { pathOf } from '../target.ts';
import { parseStreamed, parseWhole } from './parse.ts';

const fields = fieldsInBothCases(googleRequest);

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
