import type { IncomingHttpHeaders } from 'node:http';
import { exactMembers, type GenerateRequest } from '@model-gateway/canonical';
import type { ParsedRequest } from '@model-gateway/ingress';
import { type MessagesRequest, messagesRequest } from '@model-gateway/wire';
import { conversation } from '../conversation/parse.ts';
import { isForeignHistory } from '../foreign/parse.ts';
import { check } from '../invalid.ts';
import { isOwnThinking, output, reasoning } from '../settings/parse.ts';
import { refuseThread } from '../thread.ts';
import { toolSettings } from '../tools/parse.ts';
import { forwardedHeaders } from '../version.ts';
import { messagesRenderer } from './render.ts';

/** Members in which numbers are the client's own, and of any length. */
const exact = ['messages', 'tools', 'output_config', 'output_format'];

/** `text` is the body's own, where its numbers are as the client wrote them. @throws GatewayError of kind `invalid-request` */
export function parse(
  body: Record<string, unknown>,
  headers: IncomingHttpHeaders,
  text?: Buffer,
): ParsedRequest {
  const data = check(messagesRequest, body);
  refuseThread(data);
  return {
    model: data.model,
    stream: data.stream === true,
    headers: forwardedHeaders(headers),
    foreign: isForeignHistory(data),
    ...(text && { exact }),
    canonical: (given = text && exactMembers(text.toString(), exact)) => canonical({ ...data, ...given }),
    render: messagesRenderer({ model: data.model, hideThinking: data.thinking?.display === 'omitted' }),
  };
}

/** @throws GatewayError of kind `invalid-request` for what is malformed within a block or setting */
export function canonical(body: MessagesRequest): GenerateRequest {
  return {
    messages: conversation(body),
    ...toolSettings(body),
    maxTokens: body.max_tokens,
    temperature: body.temperature ?? undefined,
    topP: body.top_p ?? undefined,
    topK: body.top_k ?? undefined,
    stop: body.stop_sequences ?? undefined,
    reasoning: reasoning(body),
    output: output(body),
    user: body.metadata?.user_id ?? undefined,
    serviceTier: serviceTier(body),
    extensions: extensions(body),
  };
}

/** The tier's name as other formats have it, too. */
function serviceTier({ service_tier }: MessagesRequest): string | undefined {
  return service_tier === 'standard_only' ? 'default' : (service_tier ?? undefined);
}

/** Fields that other formats have, too; of some only what is named. */
const translated = new Set([
  'model',
  'stream',
  'messages',
  'system',
  'tools',
  'tool_choice',
  'max_tokens',
  'temperature',
  'top_p',
  'top_k',
  'stop_sequences',
  'service_tier',
  'output_format',
]);
const partly: Record<string, string[]> = { output_config: ['effort', 'format'], metadata: ['user_id'] };

function extensions(body: MessagesRequest): GenerateRequest['extensions'] {
  const own = Object.entries(body).flatMap(([name, value]): [string, unknown][] => {
    if (translated.has(name) || value === null || value === undefined) return [];
    if (name === 'thinking') return isOwnThinking(body.thinking) ? [[name, value]] : [];
    const named = Object.hasOwn(partly, name) ? partly[name] : undefined;
    if (!named) return [[name, value]];
    const rest = Object.entries(value).filter(([key]) => !named.includes(key));
    return rest.length > 0 ? [[name, Object.fromEntries(rest)]] : [];
  });
  return own.length > 0 ? { messages: Object.fromEntries(own) } : undefined;
}
