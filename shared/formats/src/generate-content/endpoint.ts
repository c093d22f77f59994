import type { FormatEndpoint } from '../client/endpoint.ts';
import { fieldsInBothCases, generateContentFormat, pathOf } from './format.ts';
import { parseCount, parseStreamed, parseWhole } from './parse.ts';
import type { GenerateContentAnswerOptions } from './render.ts';
import { countRenderer, generateContentRenderer } from './render.ts';
import { generateContentCountRequest, generateContentRequest } from './request.ts';

const fields = fieldsInBothCases(generateContentRequest);

export const generateContent: FormatEndpoint<GenerateContentAnswerOptions> = {
  ...generateContentFormat,
  ...pathOf('generateContent'),
  fields,
  parse: parseWhole,
  render: generateContentRenderer,
};

export const streamGenerateContent: FormatEndpoint<GenerateContentAnswerOptions> = {
  ...generateContentFormat,
  ...pathOf('streamGenerateContent'),
  fields,
  parse: parseStreamed,
  render: generateContentRenderer,
};

export const countTokens: FormatEndpoint = {
  ...generateContentFormat,
  ...pathOf('countTokens'),
  fields: fieldsInBothCases(generateContentCountRequest),
  parse: parseCount,
  render: () => countRenderer,
};
