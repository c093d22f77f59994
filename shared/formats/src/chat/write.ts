import type { GenerateRequest, Output, Tool, ToolChoice } from '@model-gateway/canonical';
import { forcesVendorTool, forwarded, unsupported, writePlain } from '../upstream/request-body.ts';
import { onlyChosen, toolName, withPlainSchema } from '../upstream/tools.ts';
import { encodeTurns } from './encode-messages.ts';
import { chatFields } from './fields.ts';
import type {
  ChatFormatParam,
  ChatMessageParam,
  ChatRequestParams,
  ChatToolChoiceParam,
  ChatToolParam,
  ChatWebSearchParam,
} from './request.ts';

/** The fields of a request, without its model and streaming. */
type Fields = Omit<ChatRequestParams, 'model'>;

/** Writes a request in the format's fields, as a client does that knows no model and no provider. */
export function write(request: GenerateRequest): Fields {
  const options = { original: false, prefill: false, signed: true, idOf: (id: string) => id };
  return writeFields(request, encodeTurns(request.messages, options));
}

/** Writes the fields of a request with its messages. Undefined fields are not sent. `original`: its reader knows OpenAI's newest fields. */
export function writeFields(
  request: GenerateRequest,
  messages: ChatMessageParam[],
  original = false,
): Fields {
  const { stop = [], maxTokens, reasoning, output } = request;
  return {
    messages,
    ...encodeTools(request, original),
    // Compatible upstreams may know only the older name.
    ...(maxTokens !== undefined && { [original ? 'max_completion_tokens' : 'max_tokens']: maxTokens }),
    ...writePlain(chatFields, request),
    stop: stop.length > 0 ? stop : undefined,
    ...(reasoning?.effort && { reasoning_effort: reasoning.effort }),
    response_format: output && encodeOutput(output),
    ...(request.verbosity !== undefined && { verbosity: request.verbosity }),
  };
}

/** Encodes the output format. Plain text is the default. */
function encodeOutput(output: Output): ChatFormatParam | undefined {
  switch (output.type) {
    case 'text':
      return undefined;
    case 'json':
      return { type: 'json_object' };
    case 'schema': {
      const { schema, name = 'response', strict } = output;
      return { type: 'json_schema', json_schema: { name, schema, strict } };
    }
  }
}

/** Encodes the tool fields. Without tools it returns none, because upstreams refuse the other fields then. */
export function encodeTools(
  { tools = [], toolChoice, parallelToolCalls }: GenerateRequest,
  original: boolean,
): ToolFields {
  const search = tools.find(tool => tool.type === 'web-search');
  const offered = original ? tools : onlyChosen(tools, toolChoice);
  // The search is an option here, not a tool.
  if (search && forcesVendorTool(toolChoice, tools))
    throw unsupported('toolChoice', "this model's provider decides by itself whether to search the web");
  const encoded = offered.filter(tool => tool.type !== 'web-search').map(tool => encodeTool(tool, original));
  const options: ToolFields = search ? { web_search_options: encodeSearch(search) } : {};
  if (encoded.length === 0) return options;
  return {
    ...options,
    tools: encoded,
    tool_choice: toolChoice && encodeChoice(toolChoice, tools, original),
    parallel_tool_calls: parallelToolCalls,
  };
}

type ToolFields = Pick<
  ChatRequestParams,
  'web_search_options' | 'tools' | 'tool_choice' | 'parallel_tool_calls'
>;

type WebSearch = Extract<Tool, { type: 'web-search' }>;

/**
 * Encodes a web search as this format's option.
 * @throws GatewayError for allowed or blocked domains, which the option lacks
 */
function encodeSearch(search: WebSearch): ChatWebSearchParam {
  const { location, own } = search;
  if (own?.format === 'chat') return forwarded(own.value);
  refuseDomains(search);
  return location ? { user_location: { type: 'approximate', approximate: { ...location } } } : {};
}

function refuseDomains({ allowedDomains, blockedDomains }: WebSearch): void {
  const bound = allowedDomains ? 'allowed_domains' : blockedDomains ? 'blocked_domains' : undefined;
  if (!bound) return;
  throw unsupported('tools', `this model's provider cannot restrict a web search by '${bound}'`);
}

function encodeTool(tool: Exclude<Tool, WebSearch>, original: boolean): ChatToolParam {
  switch (tool.type) {
    case 'function': {
      const { description } = tool;
      const { parameters, strict } = original ? withPlainSchema(tool) : tool;
      return { type: 'function', function: { name: toolName(tool.name), description, parameters, strict } };
    }
    case 'custom': {
      const { description, format } = tool;
      return { type: 'custom', custom: { name: toolName(tool.name), description, format } };
    }
    case 'opaque': {
      if (tool.format === 'chat') return forwarded(tool.value);
      const name = tool.value.type ?? Object.keys(tool.value)[0];
      throw unsupported('tools', `this model's provider does not run the tool '${name}'`);
    }
  }
}

function encodeChoice(choice: ToolChoice, tools: readonly Tool[], original: boolean): ChatToolChoiceParam {
  if (choice.type === 'tool') return reference(choice.name, customNames(tools));
  if (choice.type === 'none' || !choice.names || !original) return choice.type;
  const custom = customNames(tools);
  const chosen = choice.names.map(name => reference(name, custom));
  return { type: 'allowed_tools', allowed_tools: { mode: choice.type, tools: chosen } };
}

type Reference = Extract<ChatToolChoiceParam, { type: 'function' | 'custom' }>;

function customNames(tools: readonly Tool[]): ReadonlySet<string> {
  return new Set(tools.flatMap(tool => (tool.type === 'custom' ? tool.name : [])));
}

function reference(name: string, custom: ReadonlySet<string>): Reference {
  return custom.has(name)
    ? { type: 'custom', custom: { name: toolName(name) } }
    : { type: 'function', function: { name: toolName(name) } };
}
