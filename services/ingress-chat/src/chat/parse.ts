import type { IncomingHttpHeaders } from 'node:http';
import {
  exactMembers,
  type GenerateRequest,
  given,
  isForeignSignature,
  type Output,
  readSignedId,
} from '@model-gateway/canonical';
import { invalidRequest, type ParsedRequest } from '@model-gateway/ingress';
import {
  type ChatRequest,
  type ChatResponseFormat,
  type ChatTranslatable,
  chatNoLimit,
  chatRequest,
  chatTranslatable,
} from '@model-gateway/wire';
import { parseMessages } from './parse-messages.ts';
import { parseToolChoice, parseTools } from './parse-tools.ts';
import { chatRenderer } from './render.ts';

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

/** Fields that have a place in the canonical request, or that say how to answer and not what. */
const placed: ReadonlySet<string> = new Set([
  ...['model', 'stream', 'stream_options', 'messages', 'tools', 'functions', 'tool_choice', 'function_call'],
  ...['parallel_tool_calls', 'max_tokens', 'max_completion_tokens', 'temperature', 'top_p', 'top_k', 'stop'],
  ...['reasoning_effort', 'response_format', 'n', 'seed', 'presence_penalty', 'frequency_penalty'],
  ...['logprobs', 'top_logprobs', 'logit_bias', 'modalities', 'verbosity', 'service_tier'],
  ...['safety_identifier', 'user', 'metadata', 'web_search_options'],
]);

/** The request in no format. @throws GatewayError of kind `invalid-request` for a history that is broken */
export function parseGenerate(body: ChatTranslatable): GenerateRequest {
  const { reasoning_effort: effort, stop, functions } = body;
  return given({
    messages: parseMessages(body.messages),
    tools: parseTools(body),
    toolChoice: parseToolChoice(body),
    // An answer in the old form has room for one call.
    parallelToolCalls: body.parallel_tool_calls ?? (functions ? false : undefined),
    maxTokens: body.max_completion_tokens ?? body.max_tokens,
    temperature: body.temperature,
    topP: body.top_p,
    topK: body.top_k,
    stop: typeof stop === 'string' ? [stop] : stop,
    reasoning: effort && (effort === 'none' ? { effort } : { effort, show: true }),
    output: body.response_format && parseOutput(body.response_format),
    n: body.n,
    seed: body.seed,
    presencePenalty: body.presence_penalty,
    frequencyPenalty: body.frequency_penalty,
    logprobs: body.logprobs ? given({ top: body.top_logprobs }) : undefined,
    logitBias: body.logit_bias,
    modalities: body.modalities,
    verbosity: body.verbosity,
    serviceTier: body.service_tier,
    user: body.safety_identifier ?? body.user,
    metadata: body.metadata,
    extensions: extensions(body),
  });
}

function parseOutput(format: ChatResponseFormat): Output {
  switch (format.type) {
    case 'text':
      return { type: 'text' };
    case 'json_object':
      return { type: 'json' };
    case 'json_schema': {
      const { name, schema, strict } = format.json_schema;
      return { type: 'schema', schema: schema ?? {}, name, ...given({ strict }) };
    }
  }
}

/** What only this format has. */
function extensions(body: ChatTranslatable): GenerateRequest['extensions'] {
  const rest = Object.entries(body).filter(([key, value]) => !placed.has(key) && value != null);
  return rest.length > 0 ? { chat: Object.fromEntries(rest) } : undefined;
}

/**
 * Whether a history holds what the gateway keeps of another format's vendor: a signature behind its format's tag, or
 * one hidden in a call's id. What has no such mark may be the upstream's own, whatever it stands before.
 */
function isForeignHistory({ messages }: Pick<ChatRequest, 'messages'>): boolean {
  return messages.some(message => {
    if (message.role !== 'assistant') return false;
    const { thinking_blocks: blocks, tool_calls: calls } = message;
    return objects(blocks).some(isForeignBlock) || objects(calls).some(isForeignCall);
  });
}

function isForeignBlock({ signature, data }: Record<string, unknown>): boolean {
  return isForeignSignature(signature, 'messages') || isForeignSignature(data, 'messages');
}

function isForeignCall({ id }: Record<string, unknown>): boolean {
  return typeof id === 'string' && readSignedId(id).signature !== undefined;
}

function objects(given: unknown): Record<string, unknown>[] {
  return Array.isArray(given) ? given.filter(value => typeof value === 'object' && value !== null) : [];
}
