import type { FormatEndpoint } from '../client/endpoint.ts';
import { fieldsInBothCases } from './check.ts';
import { generateContentFormat } from './format.ts';
import { parseCount, parseStreamed, parseWhole } from './parse.ts';
import { countRenderer, generateContentRenderer } from './render.ts';
import type { GenerateContentAnswerOptions } from './render-stream.ts';
import { generateContentCountRequest, generateContentRequest } from './request.ts';
import { pathOf } from './target.ts';

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
