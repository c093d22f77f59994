import type { IncomingHttpHeaders } from 'node:http';
import { exactMembers } from '@model-gateway/canonical';
import { invalidRequest, type ParsedRequest } from '@model-gateway/ingress';
import { type ChatRequest, chatNoLimit, chatRequest, chatTranslatable } from '@model-gateway/wire';
import { isForeignHistory } from './foreign/parse.ts';
import { chatRenderer } from './render.ts';
import { parseGenerate } from './request/parse.ts';

/** Members in which numbers are the client's own, and of any length. */
const exact = ['tools', 'functions', 'response_format'];

/** `text` is the body's own, where its numbers are as the client wrote them. @throws GatewayError of kind `invalid-request` */
export function parse(
  body: Record<string, unknown>,
  _headers?: IncomingHttpHeaders,
  text?: Buffer,
): ParsedRequest {
  const { success, data, error } = chatRequest.safeParse(body);
  if (!success) throw invalidRequest(error, body);
  const unlimited = noLimit(data);
  const keys = text ? exact.filter(key => body[key]) : [];
  return {
    model: data.model,
    stream: data.stream === true,
    foreign: isForeignHistory(data),
    ...(unlimited && { unlimited }),
    exact: keys,
    canonical(given = exactly(keys, text)) {
      const read = chatTranslatable.safeParse({ ...body, ...given });
      if (!read.success) throw invalidRequest(read.error, body);
      return parseGenerate(read.data);
    },
    render: chatRenderer({
      model: data.model,
      usage: data.stream_options?.include_usage === true,
      legacy: Array.isArray(body.functions),
    }),
  };
}

/** The field that asks for no limit of tokens, as the client names it. */
function noLimit(body: ChatRequest): string | undefined {
  return (['max_tokens', 'max_completion_tokens'] as const).find(field => body[field] === chatNoLimit);
}

/** Members that hold schemas, with their numbers as they were written; most requests have none. */
function exactly(keys: readonly string[], text: Buffer | undefined): Record<string, unknown> {
  return text && keys.length > 0 ? exactMembers(text.toString(), keys) : {};
}
