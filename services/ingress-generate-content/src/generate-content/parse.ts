import { exactMembers, type GenerateRequest, isForeignSignature } from '@model-gateway/canonical';
import type { Endpoint, ParsedRequest } from '@model-gateway/ingress';
import {
  camelCased,
  type GenerateContentRequest,
  type GenerateContentTranslatable,
  generateContentCountRequest,
  generateContentRequest,
  generateContentTranslatable,
} from '@model-gateway/wire';
import { check } from '../check.ts';
import { readTarget, type Target } from '../target.ts';
import { conversation } from './parse-contents.ts';
import { parseSettings } from './parse-settings.ts';
import { parseToolSettings } from './parse-tools.ts';
import { generateContentRenderer, renderCount } from './render.ts';
import { ArrayFraming } from './render-stream.ts';

type Parse = Endpoint['parse'];

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
): ParsedRequest {
  const data = check(generateContentRequest, camelCased(body));
  const thinking = data.generationConfig?.thinkingConfig;
  return {
    model,
    stream,
    foreign: isForeignHistory(data),
    exact,
    canonical: (given = exactMembers(text.toString(), exact)) =>
      canonical(check(generateContentTranslatable, withExactNumbers(data, given))),
    render: generateContentRenderer({ model, showThoughts: thinking?.includeThoughts === true }),
  };
}

/** @throws GatewayError of kind `invalid-request` for a history that is broken, and for what no other format has */
export function canonical(body: GenerateContentTranslatable): GenerateRequest {
  return {
    messages: conversation(body),
    ...parseToolSettings(body),
    ...parseSettings(body),
  };
}

/** Members in which numbers are the client's own, and of any length. */
const exact = ['contents', 'tools', 'generationConfig', 'generation_config'];
const schemas = ['responseSchema', 'responseJsonSchema', '_responseJsonSchema'];

/** The request with its own numbers, which may be of any length, as the client wrote them. */
function withExactNumbers(
  data: GenerateContentRequest,
  members: Record<string, unknown>,
): GenerateContentRequest {
  const { generationConfig: config, ...own } = camelCased(members) as Record<string, unknown>;
  const shaped = Object.entries(config ?? {}).filter(([name]) => schemas.includes(name));
  const generationConfig = { ...data.generationConfig, ...Object.fromEntries(shaped) };
  return { ...data, ...own, ...(config ? { generationConfig } : {}) };
}

/** @throws GatewayError of kind `invalid-request` */
export const parseCount: Endpoint['parse'] = (body, _headers, _text, url) => {
  const { model } = readTarget(url);
  const { contents, generateContentRequest } = check(generateContentCountRequest, camelCased(body));
  const counted = generateContentRequest ?? { contents: contents ?? [] };
  return {
    model,
    foreign: isForeignHistory(counted),
    canonical() {
      const request = check(generateContentTranslatable, counted);
      return { messages: conversation(request), ...parseToolSettings(request) };
    },
    renderCount,
  };
};

type Fields = Record<string, unknown>;

/** Whether a history holds what the gateway keeps there for another vendor, or calls that only another one can have made. */
export function isForeignHistory({ contents }: Pick<GenerateContentRequest, 'contents'>): boolean {
  return contents.some(({ parts }) => parts.some(isForeignPart) || hasForeignCalls(parts));
}

function isForeignPart({ thoughtSignature }: Fields): boolean {
  return isForeignSignature(thoughtSignature, 'generate-content');
}

/** Ids as other vendors begin them, in a turn that nobody signed. */
function hasForeignCalls(parts: readonly Fields[]): boolean {
  const calls = parts.filter(({ functionCall }) => functionCall);
  if (calls.some(({ thoughtSignature }) => thoughtSignature)) return false;
  return calls.some(({ functionCall }) =>
    /^(call|toolu|fc)_/.test(String((functionCall as Fields).id ?? '')),
  );
}
