import type { GenerateRequest } from '@model-gateway/canonical';
import { exactMembers } from '@model-gateway/json';
import type { FormatEndpoint } from '../client/endpoint.ts';
import { mostTokens, type ParsedGenerate } from '../client/parsed-request.ts';
import { check, readTarget, type Target } from './format.ts';
import { conversation } from './parse-contents.ts';
import { parseExtras, parseSettings, parseToolSettings } from './parse-settings.ts';
import { camelCased } from './proto-json.ts';
import { ArrayFraming, type GenerateContentAnswerOptions } from './render.ts';
import {
  type GenerateContentRequest,
  type GenerateContentTranslatable,
  generateContentCountRequest,
  generateContentRequest,
  generateContentTranslatable,
} from './request.ts';
import { isForeignHistory } from './sanitize-history.ts';

type Parse = FormatEndpoint<GenerateContentAnswerOptions>['parse'];

/** @throws GatewayError of kind `invalid-request` */
export const parseWhole: Parse = (body, _headers, text, url) => parse(body, text, readTarget(url), false);

/** @throws GatewayError of kind `invalid-request` */
export const parseStreamed: Parse = (body, _headers, text, url) => {
  const target = readTarget(url);
  return {
    ...parse(body, text, target, true),
    ...(!target.sse && { framing: () => new ArrayFraming() }),
  };
};

function parse(
  body: Record<string, unknown>,
  text: Buffer,
  { model }: Target,
  stream: boolean,
): ParsedGenerate<GenerateContentAnswerOptions> {
  const data = check(generateContentRequest, camelCased(body));
  const { thinkingConfig: thinking, maxOutputTokens, candidateCount } = data.generationConfig ?? {};
  return {
    type: 'generate',
    model,
    stream,
    maxTokens: mostTokens(maxOutputTokens, candidateCount),
    choices: candidateCount ?? undefined,
    ...parseExtras(data),
    foreign: isForeignHistory(data),
    exact,
    firstTurn: () => data.contents.find(({ role }) => role !== 'model')?.parts,
    canonical: (members = exactMembers(text.toString(), exact)) =>
      canonical(check(generateContentTranslatable, withExactNumbers(data, members))),
    rendering: { model, showThoughts: thinking?.includeThoughts === true },
  };
}

/** Parses the canonical request. @throws GatewayError of kind `invalid-request` if it cannot be translated */
export function canonical(body: GenerateContentTranslatable): GenerateRequest {
  return {
    messages: conversation(body),
    userFirst: true,
    ...parseToolSettings(body),
    ...parseSettings(body),
  };
}

/** Members whose numbers keep the client's spelling and precision. */
const exact = ['contents', 'tools', 'generationConfig', 'generation_config'];
const schemas = ['responseSchema', 'responseJsonSchema', '_responseJsonSchema', 'responseFormat'];

/** Replaces the members of a request by those with exact numbers. */
function withExactNumbers(
  data: GenerateContentRequest,
  members: Record<string, unknown>,
): GenerateContentRequest {
  const { generationConfig: config, ...rest } = camelCased(members) as Record<string, unknown>;
  const exactSchemas = Object.entries(config ?? {}).filter(([name]) => schemas.includes(name));
  const generationConfig = { ...data.generationConfig, ...Object.fromEntries(exactSchemas) };
  return { ...data, ...rest, ...(config ? { generationConfig } : {}) };
}

/** @throws GatewayError of kind `invalid-request` */
export const parseCount: FormatEndpoint['parse'] = (body, _headers, _text, url) => {
  const { model } = readTarget(url);
  const { contents, generateContentRequest } = check(generateContentCountRequest, camelCased(body));
  const counted = generateContentRequest ?? { contents: contents ?? [] };
  return {
    type: 'count-tokens',
    model,
    foreign: isForeignHistory(counted),
    canonical() {
      const request = check(generateContentTranslatable, counted);
      return { messages: conversation(request), userFirst: true, ...parseToolSettings(request) };
    },
    rendering: undefined,
  };
};
