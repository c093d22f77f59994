import type { Endpoint } from '@model-gateway/ingress';
import { generateContentFormat } from '../format.ts';
import { pathOf } from '../target.ts';
import { parseStreamed, parseWhole } from './parse.ts';

export const generateContent: Endpoint = {
  ...generateContentFormat,
  ...pathOf('generateContent'),
  parse: parseWhole,
};

export const streamGenerateContent: Endpoint = {
  ...generateContentFormat,
  ...pathOf('streamGenerateContent'),
  parse: parseStreamed,
};
