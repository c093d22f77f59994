import type { GenerateRequest, Output, Reasoning, Tool, ToolChoice } from '@model-gateway/canonical';
import { forwarded, unsupported, writePlain } from '../upstream/request-body.ts';
import { onlyChosen, toolName, withPlainSchema } from '../upstream/tools.ts';
import { writeItems } from './encode-input.ts';
import { responsesFields } from './fields.ts';
import type {
  ResponsesCustomToolParam,
  ResponsesItemParam,
  ResponsesToolChoiceParam,
  ResponsesToolParam,
  ResponsesToolReference,
} from './input.ts';
import type { ResponsesRequestParams } from './request.ts';

/** Writes a request in the format's fields, as a client does that knows no model and no provider, without its model and streaming. */
export function write(request: GenerateRequest): object {
  const { messages } = request;
  const said = messages.findIndex(({ role }) => role !== 'system');
  const leading = said < 0 ? messages.length : said;
  const instructions = messages
    .slice(0, leading)
    .flatMap(({ role, content }) => (role === 'system' ? content.map(({ text }) => text) : []));
  const { input, ...fields } = writeFields(request, writeItems(messages.slice(leading)));
  return {
    instructions: instructions.length > 0 ? instructions.join('\n\n') : undefined,
    // Only messages need no type.
    input: input.map(({ type, ...item }) => (type === 'message' ? item : { type, ...item })),
    ...fields,
    reasoning: request.reasoning && reasoningOf(request.reasoning),
  };
}

/** Writes the fields of a request with its input. Undefined fields are not sent. `original`: its reader knows OpenAI's newest fields. */
export function writeFields(
  request: GenerateRequest,
  input: ResponsesItemParam[],
  original = false,
): Omit<ResponsesRequestParams, 'model'> {
  return {
    input,
    ...encodeTools(request, original),
    max_output_tokens: request.maxTokens,
    ...writePlain(responsesFields, request),
    text: textOf(request),
  };
}

function reasoningOf({ effort, show }: Reasoning): object {
  return { effort, summary: show ? 'auto' : undefined };
}

type TextParam = NonNullable<ResponsesRequestParams['text']>;

/** Writes the output format and verbosity. */
function textOf({ output, verbosity }: GenerateRequest): TextParam | undefined {
  const format = output && formatOf(output);
  return format || verbosity ? { format, verbosity } : undefined;
}

/** Writes the output format; undefined for plain text, the default. */
function formatOf(output: Output): TextParam['format'] {
  switch (output.type) {
    case 'text':
      return undefined;
    case 'json':
      return { type: 'json_object' };
    case 'schema': {
      const { schema, name = 'response', strict } = output;
      return { type: 'json_schema', name, schema, strict };
    }
  }
}

/** Writes the tool fields; empty without tools, because the vendor then refuses the other fields. */
export function encodeTools(
  { tools = [], toolChoice, parallelToolCalls }: GenerateRequest,
  original: boolean,
): Pick<ResponsesRequestParams, 'tools' | 'tool_choice' | 'parallel_tool_calls'> {
  const offered = original ? tools : onlyChosen(tools, toolChoice);
  if (offered.length === 0) return {};
  return {
    tools: offered.map(tool => encodeTool(tool, original)),
    tool_choice: toolChoice && encodeChoice(toolChoice, tools, original),
    parallel_tool_calls: parallelToolCalls,
  };
}

type Kind<T extends Tool['type']> = Extract<Tool, { type: T }>;

function encodeTool(tool: Tool, original: boolean): ResponsesToolParam {
  switch (tool.type) {
    case 'function':
      return encodeFunction(tool, original ? withPlainSchema(tool) : tool);
    case 'custom':
      return encodeCustom(tool);
    case 'web-search':
      return encodeSearch(tool);
    case 'opaque':
      if (tool.format === 'responses') return forwarded(tool.value);
      throw unsupported(
        'tools',
        `this model's provider does not run the tool '${tool.value.type ?? Object.keys(tool.value)[0]}'`,
      );
  }
}

const noParameters = { type: 'object', properties: {} };

/** Writes a function. `strict` is always sent, because its default differs from other formats. */
function encodeFunction(
  { name, description }: Kind<'function'>,
  { parameters, strict }: Pick<Kind<'function'>, 'parameters' | 'strict'>,
): ResponsesToolParam {
  return {
    type: 'function',
    name: toolName(name),
    description,
    parameters: parameters ?? noParameters,
    strict: strict ?? false,
  };
}

function encodeCustom({ name, description, format }: Kind<'custom'>): ResponsesCustomToolParam {
  return {
    type: 'custom',
    name: toolName(name),
    description,
    format: format && encodeGrammar(format),
  };
}

/** Moves the fields of a grammar next to its type. */
function encodeGrammar({
  type,
  grammar,
  ...rest
}: Record<string, unknown>): ResponsesCustomToolParam['format'] {
  const fields: Record<string, unknown> = Object(grammar);
  return { ...rest, type: String(type), ...fields };
}

/** @throws GatewayError for blocked domains, which this format does not support */
function encodeSearch({ location, own, ...search }: Kind<'web-search'>): ResponsesToolParam {
  if (own?.format === 'responses') return forwarded(own.value);
  const { allowedDomains, blockedDomains, contextSize } = search;
  if (blockedDomains)
    throw unsupported('tools', "this model's provider cannot restrict a web search by 'blocked_domains'");
  return {
    type: 'web_search',
    user_location: location && { type: 'approximate', ...location },
    search_context_size: contextSize,
    filters: allowedDomains && { allowed_domains: allowedDomains },
  };
}

function encodeChoice(
  choice: ToolChoice,
  tools: readonly Tool[],
  original: boolean,
): ResponsesToolChoiceParam {
  if (choice.type === 'tool') return reference(choice.name, typesByName(tools));
  if (choice.type === 'none' || !choice.names || !original) return choice.type;
  const types = typesByName(tools);
  const chosen = choice.names.map(name => reference(name, types));
  return { type: 'allowed_tools', mode: choice.type, tools: chosen };
}

/** Returns the type of each tool by its name; of two tools of the same name, of the first. A search counts if no other tool has its name. */
function typesByName(tools: readonly Tool[]): ReadonlyMap<string, ResponsesToolReference['type']> {
  const types = new Map<string, ResponsesToolReference['type']>();
  for (const tool of tools) if ('name' in tool && !types.has(tool.name)) types.set(tool.name, tool.type);
  for (const tool of tools) {
    const name = tool.type === 'web-search' ? (tool.choiceName ?? 'web_search') : undefined;
    if (name !== undefined && !types.has(name)) types.set(name, 'web_search');
  }
  return types;
}

/** Refers to a tool by its name, or by its type if the vendor runs it. */
function reference(
  name: string,
  types: ReadonlyMap<string, ResponsesToolReference['type']>,
): ResponsesToolReference {
  const type = types.get(name) ?? 'function';
  return type === 'web_search' ? { type } : { type, name: toolName(name) };
}
