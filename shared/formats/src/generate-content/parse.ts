import type { GenerateRequest } from '@model-gateway/canonical';
import { exactMembers } from '@model-gateway/json';
import type { FormatEndpoint } from '../client/endpoint.ts';
import { mostTokens, type ParsedGenerate } from '../client/parsed-request.ts';
import { contradictedType, hasLineEnds } from '../values/media.ts';
import { isForeignSignature } from '../values/signatures.ts';
import { camelCased } from './case.ts';
import { check } from './check.ts';
import { conversation } from './parse-contents.ts';
import { parseExtras, parseSettings } from './parse-settings.ts';
import { parseToolSettings } from './parse-tools.ts';
import { ArrayFraming, type GenerateContentAnswerOptions } from './render-stream.ts';
import {
  type GenerateContentRequest,
  type GenerateContentTranslatable,
  generateContentCountRequest,
  generateContentRequest,
  generateContentTranslatable,
} from './request.ts';
import { readTarget, type Target } from './target.ts';

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

type Fields = Record<string, unknown>;

/** True if a history holds signatures or calls of another vendor, or turns and files that this vendor refuses. */
export function isForeignHistory({ contents }: Pick<GenerateContentRequest, 'contents'>): boolean {
  return contents.some(
    ({ parts }) =>
      parts.some(isForeignPart) ||
      hasForeignCalls(parts) ||
      parts.some(isMislabelled) ||
      parts.every(isEmpty),
  );
}

/** True for a file that is not of its type, or in the base64 of mails. */
function isMislabelled({ inlineData }: Fields): boolean {
  const { data, mimeType } = Object(inlineData) as Fields;
  if (typeof data !== 'string' || typeof mimeType !== 'string') return false;
  return hasLineEnds(data) || contradictedType(mimeType.trim().toLowerCase(), data) !== undefined;
}

function isEmpty(part: Fields): boolean {
  return part.text === '' && Object.keys(part).length === 1;
}

function isForeignPart({ thoughtSignature }: Fields): boolean {
  return isForeignSignature(thoughtSignature, 'generate-content');
}

/** True for unsigned calls whose ids have a prefix of other vendors. */
function hasForeignCalls(parts: readonly Fields[]): boolean {
  const calls = parts.filter(({ functionCall }) => functionCall);
  if (calls.some(({ thoughtSignature }) => thoughtSignature)) return false;
  return calls.some(({ functionCall }) =>
    /^(call|toolu|fc)_/.test(String((functionCall as Fields).id ?? '')),
  );
}
