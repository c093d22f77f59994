import type { IncomingHttpHeaders } from 'node:http';
import {
  extrasOf,
  type GenerateRequest,
  type HostedTool,
  type Output,
  type RequestExtras,
  webSearchTool,
} from '@model-gateway/canonical';
import { exactMembers, isJsonObject, omitNullish } from '@model-gateway/json';
import { translatedFields } from '../client/endpoint.ts';
import { invalidRequest } from '../client/invalid.ts';
import { constraintsOf, mostTokens, type ParsedGenerate, readPlain } from '../client/parsed-request.ts';
import { chatFields } from './fields.ts';
import { parseMessages } from './parse-messages.ts';
import { parseToolChoice, parseTools } from './parse-tools.ts';
import { thinkingWish } from './reasoning.ts';
import type { ChatAnswerOptions } from './render-whole.ts';
import {
  type ChatRequest,
  type ChatResponseFormat,
  type ChatTranslatable,
  chatNoLimit,
  chatRequest,
  chatTranslatable,
} from './request.ts';
import { isForeignHistory } from './sanitize-history.ts';

/** Members whose numbers keep the client's spelling and precision. */
const exact = ['tools', 'functions', 'response_format'];

/** Parses a request. `text` is the JSON text of `body`. @throws GatewayError of kind `invalid-request` */
export function parse(
  body: Record<string, unknown>,
  _headers?: IncomingHttpHeaders,
  text?: Buffer,
): ParsedGenerate<ChatAnswerOptions> {
  const { success, data, error } = chatRequest.safeParse(body);
  if (!success) throw invalidRequest(error, body);
  const unlimited = noLimit(data);
  const keys = text ? exact.filter(key => body[key]) : [];
  return {
    type: 'generate',
    model: data.model,
    stream: data.stream === true,
    foreign: isForeignHistory(data),
    ...(unlimited && { unlimited }),
    exact: keys,
    cacheKey: cacheKeyOf(data),
    // Both are sent, and some servers know only one.
    maxTokens: mostTokens([data.max_completion_tokens, data.max_tokens], data.n),
    choices: data.n ?? undefined,
    ...parseExtras(data),
    firstTurn: () => data.messages.find(({ role }) => role === 'user')?.content,
    canonical(members = exactly(keys, text)) {
      const read = chatTranslatable.safeParse({ ...body, ...members });
      if (!read.success) throw invalidRequest(read.error, body);
      return parseGenerate(read.data);
    },
    rendering: {
      model: data.model,
      usage: data.stream_options?.include_usage === true,
      legacy: Array.isArray(body.functions),
    },
  };
}

/** Returns the field by which the client requests no token limit. */
function noLimit(body: ChatRequest): string | undefined {
  return (['max_tokens', 'max_completion_tokens'] as const).find(field => body[field] === chatNoLimit);
}

/** Parses the members `keys` of a body with exact numbers. Most requests have none of them. */
function exactly(keys: readonly string[], text: Buffer | undefined): Record<string, unknown> {
  return text && keys.length > 0 ? exactMembers(text.toString(), keys) : {};
}

/** Fields that the canonical request covers, or that the gateway handles itself. */
const translated = translatedFields(
  chatFields,
  ...['model', 'stream', 'stream_options', 'functions', 'function_call', 'web_search_options'],
);

/**
 * Parses the canonical request.
 * @throws GatewayError of kind `invalid-request` for an inconsistent history
 */
export function parseGenerate(body: ChatTranslatable): GenerateRequest {
  const { stop, functions } = body;
  const wish = thinkingWish(body);
  return omitNullish({
    messages: parseMessages(body.messages),
    tools: parseTools(body),
    toolChoice: parseToolChoice(body),
    // A response in the legacy form has room for one call.
    parallelToolCalls: body.parallel_tool_calls ?? (functions ? false : undefined),
    maxTokens: body.max_completion_tokens ?? body.max_tokens,
    ...readPlain(chatFields, body),
    topK: body.top_k,
    stop: typeof stop === 'string' ? [stop] : stop,
    reasoning: wish && (wish.effort === 'none' ? wish : { ...wish, show: true }),
    output: body.response_format && parseOutput(body.response_format),
    logprobs: body.logprobs ? omitNullish({ top: body.top_logprobs }) : undefined,
    verbosity: body.verbosity,
    serviceTier: body.service_tier,
    user: body.safety_identifier ?? body.user,
    metadata: body.metadata,
    cacheKey: cacheKeyOf(body),
    extensions: extensions(body),
    vendorFields: constraintsOf('chat', body),
  });
}

function cacheKeyOf({ prompt_cache_key: key }: Record<string, unknown>): string | undefined {
  return typeof key === 'string' ? key : undefined;
}

function parseOutput(format: ChatResponseFormat): Output {
  switch (format.type) {
    case 'text':
      return { type: 'text' };
    case 'json_object':
      return format.schema ? { type: 'schema', schema: format.schema } : { type: 'json' };
    case 'json_schema': {
      const { name, schema, strict } = format.json_schema;
      return { type: 'schema', schema: schema ?? {}, name, ...omitNullish({ strict }) };
    }
  }
}

/** Returns the fields that only this format has. */
function extensions(body: ChatTranslatable): GenerateRequest['extensions'] {
  // Any upstream of the format gets the client's cache key.
  const isOwn = (key: string) => !translated.has(key) || key === 'prompt_cache_key';
  const rest = Object.entries(body).filter(([key, value]) => isOwn(key) && value != null);
  return rest.length > 0 ? { chat: Object.fromEntries(rest) } : undefined;
}

/** Tools that the client runs. */
const clientTools: ReadonlySet<unknown> = new Set(['function', 'custom']);

/** Returns the tools that the upstream runs, and the service tier. Servers of this format have tools of their own beside OpenAI's search. */
export function parseExtras(body: ChatRequest): { extras?: RequestExtras } {
  const {
    tools,
    web_search_options: search,
    search_parameters: parameters,
    plugins,
    service_tier: tier,
  } = body;
  const hosted: HostedTool[] = [];
  if (search) hosted.push({ name: webSearchTool, field: 'web_search_options' });
  // xAI's live search.
  if (isJsonObject(parameters) && parameters.mode !== 'off')
    hosted.push({ name: webSearchTool, field: 'search_parameters', own: true });
  // OpenRouter's plugins.
  for (const plugin of Array.isArray(plugins) ? plugins : [])
    if (isJsonObject(plugin)) hosted.push({ name: pluginName(plugin.id), field: 'plugins', own: true });
  for (const { type } of tools ?? [])
    if (typeof type === 'string' && !clientTools.has(type))
      hosted.push({ name: type.startsWith(webSearchTool) ? webSearchTool : type, field: 'tools', own: true });
  return extrasOf('chat', hosted, tier);
}

function pluginName(id: unknown): string {
  return id === 'web' ? webSearchTool : String(id);
}
