import { generateContentCountRequest, generateContentRequest } from '@model-gateway/formats';
import type { Endpoint } from '@model-gateway/ingress';
import { fieldsInBothCases } from '../check.ts';
import { generateContentFormat } from '../format.ts';
import { pathOf } from '../target.ts';
import { parseCount, parseStreamed, parseWhole } from './parse.ts';
import { countRenderer, generateContentRenderer } from './render.ts';
import type { GenerateContentAnswerOptions } from './render-stream.ts';

const fields = fieldsInBothCases(generateContentRequest);

export const generateContent: Endpoint<GenerateContentAnswerOptions> = {
  ...generateContentFormat,
  ...pathOf('generateContent'),
  fields,
  parse: parseWhole,
  render: generateContentRenderer,
};

export const streamGenerateContent: Endpoint<GenerateContentAnswerOptions> = {
  ...generateContentFormat,
  ...pathOf('streamGenerateContent'),
  fields,
  parse: parseStreamed,
  render: generateContentRenderer,
};

export const countTokens: Endpoint = {
  ...generateContentFormat,
  ...pathOf('countTokens'),
  fields: fieldsInBothCases(generateContentCountRequest),
  parse: parseCount,
  render: () => countRenderer,
};
