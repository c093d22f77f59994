import { exactMembers, type GenerateRequest } from '@model-gateway/canonical';
import type { Endpoint, ParsedRequest } from '@model-gateway/ingress';
import {
  camelCased,
  type GoogleRequest,
  type GoogleTranslatable,
  googleRequest,
  googleTranslatable,
} from '@model-gateway/wire';
import { ArrayFraming } from '../array-framing.ts';
import { check } from '../check.ts';
import { conversation } from '../contents/parse.ts';
import { isForeignHistory } from '../foreign/parse.ts';
import { parseSettings } from '../settings/parse.ts';
import { readTarget, type Target } from '../target.ts';
import { parseToolSettings } from '../tools/parse.ts';
import { googleRenderer } from './render.ts';

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
  const data = check(googleRequest, camelCased(body));
  const thinking = data.generationConfig?.thinkingConfig;
  return {
    model,
    stream,
    foreign: isForeignHistory(data),
    exact,
    canonical: (given = exactMembers(text.toString(), exact)) =>
      canonical(check(googleTranslatable, withExactNumbers(data, given))),
    render: googleRenderer({ model, showThoughts: thinking?.includeThoughts === true }),
  };
}

/** @throws GatewayError of kind `invalid-request` for a history that is broken, and for what no other format has */
export function canonical(body: GoogleTranslatable): GenerateRequest {
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
function withExactNumbers(data: GoogleRequest, members: Record<string, unknown>): GoogleRequest {
  const { generationConfig: config, ...own } = camelCased(members) as Record<string, unknown>;
  const shaped = Object.entries(config ?? {}).filter(([name]) => schemas.includes(name));
  const generationConfig = { ...data.generationConfig, ...Object.fromEntries(shaped) };
  return { ...data, ...own, ...(config ? { generationConfig } : {}) };
}
