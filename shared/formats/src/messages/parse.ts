import type { IncomingHttpHeaders } from 'node:http';
import {
  type AssistantPart,
  type Effort,
  efforts,
  extrasOf,
  GatewayError,
  type GenerateRequest,
  type HostedTool,
  type Message,
  type Output,
  type Reasoning,
  type ReasoningPart,
  type RequestExtras,
  type Signature,
  type Tool,
  webSearchTool,
} from '@model-gateway/canonical';
import { exactMembers, isJsonObject } from '@model-gateway/json';
import { clientTools, searchLocation } from '../client/client-tools.ts';
import { translatedFields } from '../client/endpoint.ts';
import { mostTokens, type ParsedCount, type ParsedGenerate, readPlain } from '../client/parsed-request.ts';
import { unsupportedThread } from '../client/render-errors.ts';
import { readValue } from '../values/value-table.ts';
import { messagesChoices, messagesFields, messagesTiers } from './fields.ts';
import {
  assistantParts,
  cacheOf,
  check,
  invalid,
  type Path,
  textParts,
  toolResult,
  userParts,
} from './parse-content.ts';
import type { MessagesAnswerOptions } from './render.ts';
import {
  type MessagesCountRequest,
  type MessagesMessage,
  type MessagesRequest,
  messagesCountRequest,
  messagesCustomTool,
  messagesJsonFormat,
  messagesOutputConfig,
  messagesRequest,
  messagesThinking,
  messagesToolChoice,
  messagesWebSearchTool,
} from './request.ts';
import { isForeignHistory } from './sanitize-history.ts';

/** Members whose numbers keep the client's spelling and precision. */
const exact = ['messages', 'tools', 'output_config', 'output_format'];

/** Parses a request. `text` is the JSON text of `body`. @throws GatewayError of kind `invalid-request` */
export function parse(
  body: Record<string, unknown>,
  headers: IncomingHttpHeaders,
  text?: Buffer,
): ParsedGenerate<MessagesAnswerOptions> {
  const data = check(messagesRequest, body);
  refuseThread(data);
  return {
    type: 'generate',
    model: data.model,
    stream: data.stream === true,
    maxTokens: mostTokens(data.max_tokens),
    ...parseExtras(data),
    headers: forwardedHeaders(headers),
    foreign: isForeignHistory(data),
    ...(text && { exact }),
    firstTurn: () => data.messages.find(({ role }) => role === 'user')?.content,
    canonical: (members = text && exactMembers(text.toString(), exact)) => canonical({ ...data, ...members }),
    rendering: { model: data.model, hideThinking: data.thinking?.display === 'omitted' },
  };
}

/**
 * Parses the canonical request.
 * @throws GatewayError of kind `invalid-request` for a malformed block or setting
 */
export function canonical(body: MessagesRequest): GenerateRequest {
  return {
    ...conversation(body),
    ...toolSettings(body),
    ...readPlain(messagesFields, body),
    reasoning: reasoning(body),
    output: output(body),
    user: body.metadata?.user_id ?? undefined,
    serviceTier: readValue(messagesTiers, body.service_tier) ?? body.service_tier ?? undefined,
    extensions: extensions(body),
    vendorFields: vendorFields(body),
  };
}

/** Fields for features that only the vendor of this format has. */
const vendorOnly = ['mcp_servers', 'container', 'thinking', 'compaction', 'context_management'] as const;

/** Returns the names of the vendor's fields that request something. */
function vendorFields(body: MessagesRequest): GenerateRequest['vendorFields'] {
  const names = vendorOnly.filter(name => {
    if (name === 'thinking') return isOwnThinking(body.thinking);
    const value = body[name];
    if (name === 'context_management') return value && compacts(value);
    return value && !(Array.isArray(value) && value.length === 0);
  });
  return names.length > 0 ? { format: 'messages', names } : undefined;
}

/** True if the vendor may replace the beginning of the conversation by a summary. Edits that only clear old content are hints. */
function compacts(management: unknown): boolean {
  const { edits } = isJsonObject(management) ? management : {};
  return (
    Array.isArray(edits) && edits.some(edit => isJsonObject(edit) && String(edit.type).startsWith('compact'))
  );
}

/** Fields that other formats have, too. `output_format` is the older name of a member of `output_config`. */
const translated = translatedFields(messagesFields, 'model', 'stream', 'output_format');

function extensions(body: MessagesRequest): GenerateRequest['extensions'] {
  const entries = Object.entries(body).flatMap(([name, value]): [string, unknown][] => {
    if (value === null || value === undefined) return [];
    if (name === 'thinking') return isOwnThinking(body.thinking) ? [[name, value]] : [];
    const members = translated.get(name);
    if (!members) return [[name, value]];
    const rest = members.size > 0 ? Object.entries(value).filter(([key]) => !members.has(key)) : [];
    return rest.length > 0 ? [[name, Object.fromEntries(rest)]] : [];
  });
  return entries.length > 0 ? { messages: Object.fromEntries(entries) } : undefined;
}

/** @throws GatewayError of kind `invalid-request` */
export function parseCount(body: Record<string, unknown>, headers: IncomingHttpHeaders): ParsedCount {
  const data = check(messagesCountRequest, body);
  refuseThread(data);
  return {
    type: 'count-tokens',
    model: data.model,
    headers: forwardedHeaders(headers),
    foreign: isForeignHistory(data),
    canonical: () => ({ ...conversation(data), ...toolSettings(data) }),
    rendering: undefined,
  };
}

/**
 * @throws GatewayError for a continued thread: it holds only the new messages, so the conversation would be
 * lost
 */
function refuseThread({ thread }: Record<string, unknown>): void {
  if (thread === undefined || thread === null) return;
  throw new GatewayError(
    'invalid-request',
    'thread: threads are not supported; send the whole conversation in messages',
    { param: 'thread', code: unsupportedThread },
  );
}

/** Parses a conversation. Instructions come first; instructions among the messages keep their position. */
function conversation({ system, messages }: MessagesCountRequest): Conversation {
  const leading = system?.length ? textParts(system, ['system']) : [];
  return {
    messages: [
      ...(leading.length > 0 ? [{ role: 'system' as const, content: leading }] : []),
      ...messages.flatMap((message, i) => turns(message, ['messages', i, 'content'])),
    ],
    userFirst: true,
    signaturesBefore: true,
    ...(messages.at(-1)?.role === 'assistant' && { continuesLastTurn: true }),
  };
}

type Conversation = Pick<
  GenerateRequest,
  'messages' | 'userFirst' | 'signaturesBefore' | 'continuesLastTurn'
>;

function turns({ role, content }: MessagesMessage, path: Path): Message[] {
  if (role === 'system') return [{ role, content: textParts(content, path) }];
  if (typeof content === 'string') return [{ role, content: [{ type: 'text', text: content }] }];
  if (role === 'user') return userTurns(content, path);
  const parts = content.flatMap((block, i) => assistantParts(block, [...path, i]));
  return [{ role, content: withSignedCalls(parts) }];
}

/** Moves the signature of empty thinking to the call after it, for vendors that sign calls. */
function withSignedCalls(parts: AssistantPart[]): AssistantPart[] {
  return parts.flatMap((part, i) => {
    if (carriesSignature(part) && parts[i + 1]?.type === 'tool-call') return [];
    const before = parts[i - 1];
    if (part.type !== 'tool-call' || !before || !carriesSignature(before)) return [part];
    return [{ ...part, signature: before.signature }];
  });
}

function carriesSignature(part: AssistantPart): part is ReasoningPart & { signature: Signature } {
  return part.type === 'reasoning' && part.text === '' && part.signature?.format === 'generate-content';
}

/** Parses a user turn. Tool results become a message before the other parts. */
function userTurns(content: Exclude<MessagesMessage['content'], string>, path: Path): Message[] {
  const at = content.map((block, i) => ({ block, path: [...path, i] }));
  const isResult = ({ block }: (typeof at)[number]) => block.type === 'tool_result';
  const results = at.filter(isResult).map(({ block, path }) => toolResult(block, path));
  const other = at.filter(item => !isResult(item)).flatMap(({ block, path }) => userParts(block, path));
  if (results.length === 0) return [{ role: 'user', content: other }];
  return [
    { role: 'tool', content: results },
    ...(other.length > 0 ? [{ role: 'user' as const, content: other }] : []),
  ];
}

/** Parses the reasoning settings. Returns undefined if the request has none. */
export function reasoning({ thinking, output_config }: MessagesCountRequest): Reasoning | undefined {
  const effort = effortOf(output_config);
  const settings = thinking ? thinkingOf(thinking) : undefined;
  return settings || effort ? { ...(effort && { effort }), ...settings } : undefined;
}

/** True if a kind of thinking has no equivalent in other formats. */
function isOwnThinking(thinking: MessagesCountRequest['thinking']): boolean {
  return !!thinking && !['enabled', 'adaptive', 'disabled'].includes(thinking.type);
}

/** Parses the output format, in `output_config` or the older `output_format`. */
export function output({ output_config, output_format }: MessagesCountRequest): Output | undefined {
  const { format } = check(messagesOutputConfig, output_config ?? {}, ['output_config']);
  const path = format ? ['output_config', 'format'] : ['output_format'];
  const value = format ?? output_format;
  if (!value) return undefined;
  return { type: 'schema', schema: check(messagesJsonFormat, value, path).schema };
}

function effortOf(config: MessagesCountRequest['output_config']): Effort | undefined {
  const { effort } = check(messagesOutputConfig, config ?? {}, ['output_config']);
  if (!effort) return undefined;
  const known = efforts.find(name => name === effort);
  if (!known) throw invalid(['output_config', 'effort'], `'${effort}' is not a known effort`);
  return known;
}

function thinkingOf(thinking: object): Reasoning | undefined {
  const { type, budget_tokens, display } = check(messagesThinking, thinking, ['thinking']);
  const show = display === 'summarized' ? { show: true } : display === 'omitted' ? { show: false } : {};
  switch (type) {
    case 'enabled':
      if (typeof budget_tokens !== 'number') throw invalid(['thinking', 'budget_tokens'], 'Field required');
      return { budget: budget_tokens, ...show };
    case 'adaptive':
      return { adaptive: true, ...show };
    case 'disabled':
      return { effort: 'none' };
    default:
      return undefined;
  }
}

type ToolSettings = Pick<GenerateRequest, 'tools' | 'toolChoice' | 'parallelToolCalls'>;

/** Parses the tools and how the model may call them. */
function toolSettings({ tools, tool_choice }: MessagesCountRequest): ToolSettings {
  return {
    ...(tools && { tools: clientTools(tools.map((value, i) => tool(value, ['tools', i]))) }),
    ...(tool_choice && choice(tool_choice)),
  };
}

function tool(value: Record<string, unknown>, path: Path): Tool {
  const { type } = value;
  if (typeof type === 'string' && type.startsWith('web_search')) return webSearch(value);
  if (type !== undefined && type !== null && type !== 'custom')
    return { type: 'opaque', format: 'messages', value };
  const { name, description, input_schema, strict, cache_control } = check(messagesCustomTool, value, path);
  return {
    type: 'function',
    name,
    ...(description && { description }),
    parameters: input_schema,
    ...(typeof strict === 'boolean' && { strict }),
    ...cacheOf(cache_control),
  };
}

function choice(value: Record<string, unknown>): ToolSettings {
  const parsed = check(messagesToolChoice, value, ['tool_choice']);
  if (parsed.type === 'none') return { toolChoice: { type: 'none' } };
  const serial = parsed.disable_parallel_tool_use ? { parallelToolCalls: false } : {};
  if (parsed.type === 'tool') return { toolChoice: { type: 'tool', name: parsed.name }, ...serial };
  return { toolChoice: { type: readValue(messagesChoices, parsed.type) }, ...serial };
}

type WebSearch = Extract<Tool, { type: 'web-search' }>;

/** Parses the vendor's web search of any version. Its limits exist only in this format. */
function webSearch(value: Record<string, unknown>): WebSearch {
  const tool = messagesWebSearchTool.parse(value);
  const location = searchLocation(tool.user_location ?? {});
  const { name, allowed_domains: allowedDomains, blocked_domains: blockedDomains } = tool;
  return {
    type: 'web-search',
    ...(location && { location }),
    ...(allowedDomains?.length && { allowedDomains }),
    ...(blockedDomains?.length && { blockedDomains }),
    ...(typeof name === 'string' && name !== 'web_search' && { choiceName: name }),
    own: { format: 'messages', value },
  };
}

/** Returns the API version that the client requests. `vendor-version` takes precedence over its alias. */
function versionOf(headers: IncomingHttpHeaders): string | undefined {
  const value = headers['vendor-version'] || headers['anthropic-version'];
  return typeof value === 'string' ? value.trim() : undefined;
}

/**
 * Accepts every date, since clients of any age are in use.
 * @throws GatewayError if the header is missing or not a date
 */
export function checkVersion(headers: IncomingHttpHeaders): void {
  const version = versionOf(headers);
  if (version === undefined)
    throw invalidVersion('a version header is required (vendor-version or anthropic-version: YYYY-MM-DD)');
  if (!isDate(version)) throw invalidVersion('the version must be a date, YYYY-MM-DD');
}

/** Returns the headers that are forwarded to an upstream of the same format. */
export function forwardedHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const version = versionOf(headers);
  const beta = headers['anthropic-beta'];
  return {
    ...(version && { 'anthropic-version': version }),
    ...(beta && { 'anthropic-beta': String(beta) }),
  };
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function invalidVersion(reason: string): GatewayError {
  return new GatewayError('invalid-request', `vendor-version: ${reason}`, { param: 'vendor-version' });
}

/** Tools with a type that the client runs all the same; each type ends with its date. */
const clientTool = /^(custom|bash|text_editor|computer|memory)(_\d+)?$/;

/** Returns the tools that the upstream runs, and the service tier. */
export function parseExtras(body: MessagesRequest): { extras?: RequestExtras } {
  const { tools, tool_choice: choice, mcp_servers: servers, service_tier: tier, speed } = body;
  const hosted: HostedTool[] = [];
  if (!isJsonObject(choice) || choice.type !== 'none')
    for (const { type } of tools ?? []) {
      if (typeof type !== 'string' || clientTool.test(type)) continue;
      const isSearch = type.startsWith(webSearchTool);
      hosted.push({ name: nameOf(type), field: 'tools', ...(!isSearch && { own: true as const }) });
    }
  if (Array.isArray(servers) && servers.length > 0)
    hosted.push({ name: 'mcp', field: 'mcp_servers', own: true });
  // The vendor's fast mode has prices of its own.
  return extrasOf('messages', hosted, speed === 'fast' ? speed : tier);
}

/** Returns a tool's name without the date of its type. */
function nameOf(type: string): string {
  return type.startsWith(webSearchTool) ? webSearchTool : type.replace(/_\d{8}$/, '');
}
