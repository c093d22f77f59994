import type { IncomingHttpHeaders } from 'node:http';
import {
  type Effort,
  efforts,
  extrasOf,
  GatewayError,
  type GenerateRequest,
  type HostedTool,
  type Output,
  type Reasoning,
  type RequestExtras,
  type Tool,
  webSearchTool,
} from '@model-gateway/canonical';
import { isJsonObject } from '@model-gateway/json';
import { clientTools, searchLocation } from '../client/client-tools.ts';
import { readValue } from '../values/value-table.ts';
import { messagesChoices } from './fields.ts';
import { check, invalid, type Path } from './invalid.ts';
import { cacheOf } from './parse-content.ts';
import {
  type MessagesCountRequest,
  type MessagesRequest,
  messagesCustomTool,
  messagesJsonFormat,
  messagesOutputConfig,
  messagesThinking,
  messagesToolChoice,
  messagesWebSearchTool,
} from './request.ts';

/** Parses the reasoning settings. Returns undefined if the request has none. */
export function reasoning({ thinking, output_config }: MessagesCountRequest): Reasoning | undefined {
  const effort = effortOf(output_config);
  const settings = thinking ? thinkingOf(thinking) : undefined;
  return settings || effort ? { ...(effort && { effort }), ...settings } : undefined;
}

/** True if a kind of thinking has no equivalent in other formats. */
export function isOwnThinking(thinking: MessagesCountRequest['thinking']): boolean {
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
export function toolSettings({ tools, tool_choice }: MessagesCountRequest): ToolSettings {
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
