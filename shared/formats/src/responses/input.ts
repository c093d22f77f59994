import { z } from 'zod';
import { knownEfforts } from '../chat/reasoning.ts';
import { instructionRole, limitedToolChoice, plainToolChoice } from '../chat/request.ts';
import { type Closed, jsonText, jsonObject as object, objectOrEmptyList } from '../values/schemas.ts';

const text = z.string();

/** A function that the client runs; its fields are not nested. */
const responsesFunctionTool = z.looseObject({
  type: z.literal('function'),
  name: text.min(1),
  description: text.nullish(),
  parameters: objectOrEmptyList(object).nullish(),
  strict: z.boolean().nullish(),
});
type ResponsesFunctionTool = z.infer<typeof responsesFunctionTool>;

/** A tool that the client runs with free text or text of a grammar as input. */
const responsesCustomTool = z.looseObject({
  type: z.literal('custom'),
  name: text.min(1),
  description: text.nullish(),
  format: z.looseObject({ type: text, syntax: text.nullish(), definition: text.nullish() }).nullish(),
});
type ResponsesCustomTool = z.infer<typeof responsesCustomTool>;

/** Tools under a common namespace; a call holds both names. */
const responsesNamespaceTool = z.looseObject({
  type: z.literal('namespace'),
  name: text.min(1),
  description: text.nullish(),
  tools: z.array(z.discriminatedUnion('type', [responsesFunctionTool, responsesCustomTool])),
});

const place = text.min(1).optional().catch(undefined);

/** The vendor's web search. Malformed members count as not set. */
const responsesWebSearchTool = z.looseObject({
  type: z.enum([
    'web_search',
    'web_search_2025_08_26',
    'web_search_preview',
    'web_search_preview_2025_03_11',
  ]),
  /** False restricts the search to the vendor's cache. */
  external_web_access: z.boolean().nullish().catch(null),
  filters: z
    .looseObject({ allowed_domains: z.array(text).nullish() })
    .nullish()
    .catch(null),
  user_location: z
    .looseObject({ city: place, country: place, region: place, timezone: place })
    .nullish()
    .catch(null),
});

/** Finds tools that are not offered yet. The client runs it if `execution` is `client`, else the vendor. */
const responsesToolSearch = z.looseObject({
  type: z.literal('tool_search'),
  execution: text.nullish(),
  description: text.nullish(),
  parameters: object.nullish(),
});

const vendorTools = [
  'file_search',
  'code_interpreter',
  'image_generation',
  'mcp',
  'computer',
  'computer_use_preview',
  'local_shell',
  'shell',
  'apply_patch',
  'programmatic_tool_calling',
] as const;
/** Tools that the vendor runs, except web search. */
export const responsesHostedTools = [...vendorTools, 'tool_search'] as const;

export const responsesTool = z.discriminatedUnion('type', [
  responsesFunctionTool,
  responsesCustomTool,
  responsesNamespaceTool,
  responsesWebSearchTool,
  responsesToolSearch,
  z.looseObject({ type: z.enum(vendorTools) }),
]);
export type ResponsesTool = z.infer<typeof responsesTool>;

export const responsesToolChoice = z.union(
  [
    plainToolChoice,
    z.looseObject({ type: z.enum(['function', 'custom']), name: text, namespace: text.nullish() }),
    z.looseObject({
      type: z.literal('allowed_tools'),
      mode: limitedToolChoice,
      tools: z.array(z.looseObject({ type: text, name: text.nullish(), namespace: text.nullish() })),
    }),
    /** A tool that the vendor runs, by its type. */
    z.looseObject({
      type: z
        .string()
        .refine(type => !['function', 'custom', 'allowed_tools'].includes(type), { abort: true }),
    }),
  ],
  { error: "'none', 'auto', 'required' or an object that names tools" },
);
export type ResponsesToolChoice = z.infer<typeof responsesToolChoice>;

type Location = NonNullable<Closed<z.infer<typeof responsesWebSearchTool>>['user_location']>;
/** The vendor's web search as the gateway writes it (`WebSearchTool` in OpenAI's SDK). */
interface ResponsesWebSearchParam {
  type: 'web_search';
  user_location?: Location & { type: 'approximate' };
  /** A client's value, which only the upstream checks. */
  search_context_size?: unknown;
  filters?: { allowed_domains: string[] };
}

export type ResponsesCustomToolParam = Closed<ResponsesCustomTool>;
export type ResponsesToolParam =
  | Closed<ResponsesFunctionTool>
  | ResponsesCustomToolParam
  | ResponsesWebSearchParam;

/** A tool by its name, or by its type if the vendor runs it. */
export type ResponsesToolReference = { type: 'function' | 'custom'; name: string } | { type: 'web_search' };

/** The choice among the tools as the gateway writes it. */
export type ResponsesToolChoiceParam =
  | z.infer<typeof plainToolChoice>
  | ResponsesToolReference
  | { type: 'allowed_tools'; mode: z.infer<typeof limitedToolChoice>; tools: ResponsesToolReference[] };

const responsesVerbosities = ['low', 'medium', 'high'] as const;

export const responsesReasoning = z.looseObject({
  effort: z.enum(knownEfforts).nullish(),
  summary: text.nullish(),
  /** The older name of `summary`. */
  generate_summary: text.nullish(),
});
export type ResponsesReasoning = z.infer<typeof responsesReasoning>;

/** Format of the text; the fields of a schema are not nested. */
export const responsesFormat = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({
    type: z.literal('json_schema'),
    name: text,
    schema: object,
    strict: z.boolean().nullish(),
    description: text.nullish(),
  }),
]);
export type ResponsesFormat = z.infer<typeof responsesFormat>;

/** Settings of the text. */
export const responsesText = z.looseObject({
  format: responsesFormat.nullish(),
  verbosity: z.enum(responsesVerbosities).nullish(),
});

const id = text.nullish();

/** Requests that the prompt is cached up to the end of this part. */
const cacheBreakpoint = { prompt_cache_breakpoint: object.nullish() };

const textPart = z.looseObject({ type: z.literal('input_text'), text, ...cacheBreakpoint });
const imagePart = z.looseObject({
  type: z.literal('input_image'),
  /** A link, or the image itself as a data URL. */
  image_url: z.preprocess(urlOf, text).nullish(),
  file_id: text.nullish(),
  detail: text.nullish(),
});
const filePart = z.looseObject({
  type: z.literal('input_file'),
  file_id: text.nullish(),
  file_url: text.nullish(),
  /** A data URL. */
  file_data: text.nullish(),
  filename: text.nullish(),
});
const audioPart = z.looseObject({
  type: z.literal('input_audio'),
  input_audio: z.looseObject({ data: text, format: text }),
});
const outputTextPart = z.looseObject({ type: z.literal('output_text'), text });
const refusalPart = z.looseObject({ type: z.literal('refusal'), refusal: text });

/** Returns the URL of an image that is written as in chat. */
function urlOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'url' in value ? value.url : value;
}

/** A part of a message's content, from the user or the model. */
const responsesPart = z.discriminatedUnion('type', [
  textPart,
  imagePart,
  filePart,
  audioPart,
  outputTextPart,
  refusalPart,
]);
export type ResponsesPart = z.infer<typeof responsesPart>;

/** A part of a tool's result. */
const responsesOutputPart = z.discriminatedUnion('type', [textPart, imagePart, filePart]);
export type ResponsesOutputPart = z.infer<typeof responsesOutputPart>;

/** Parses a text as a list of one part. */
function partsOf<T extends z.ZodType>(schema: T, type: string) {
  const asParts = (value: unknown) => (typeof value === 'string' ? [{ type, text: value }] : value);
  return z.preprocess(asParts, z.array(schema));
}

const message = z.looseObject({
  type: z.literal('message'),
  id,
  role: z.enum(['user', 'assistant', ...instructionRole.options]),
  content: z.preprocess(value => (value === null ? [] : value), z.array(responsesPart)),
  phase: text.nullish(),
});

const call = { id, call_id: text.min(1), name: text.min(1), namespace: text.nullish() };
const functionCall = z.looseObject({
  type: z.literal('function_call'),
  ...call,
  arguments: jsonText.nullish(),
});
const customCall = z.looseObject({ type: z.literal('custom_tool_call'), ...call, input: text });
const output = { id, call_id: text.min(1), output: partsOf(responsesOutputPart, 'input_text').nullish() };

/** A tool search that the client runs; without `execution: client`, the vendor ran it. */
const searchCall = z.looseObject({
  type: z.literal('tool_search_call'),
  id,
  call_id: text.nullish(),
  execution: text.nullish(),
  arguments: z.unknown(),
});
const searchOutput = z.looseObject({
  type: z.literal('tool_search_output'),
  id,
  call_id: text.nullish(),
  execution: text.nullish(),
  tools: z.array(responsesTool),
});

/** Reasoning as the upstream sent it; upstreams read only its signature, `encrypted_content`. */
const responsesReasoningItem = z.looseObject({
  type: z.literal('reasoning'),
  id,
  summary: z.array(z.looseObject({ text: text.nullish() })).nullish(),
  content: z.array(z.looseObject({ text: text.nullish() })).nullish(),
  encrypted_content: text.nullish(),
});

/** Items that only the vendor who made them can read; they are sent back unchanged. */
const vendorItems = [
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'computer_call',
  'computer_call_output',
  'local_shell_call',
  'local_shell_call_output',
  'shell_call',
  'shell_call_output',
  'apply_patch_call',
  'apply_patch_call_output',
  'mcp_list_tools',
  'mcp_approval_request',
  'mcp_approval_response',
  'mcp_call',
  'program',
  'program_output',
  'compaction_trigger',
] as const;
/** Items of the vendor's tools, and items that request something of the vendor. */
export const responsesHostedItems = [
  ...vendorItems,
  'image_generation_call',
  'tool_search_call',
  'tool_search_output',
  'configuration_update',
] as const;

const known = z.discriminatedUnion('type', [
  message,
  functionCall,
  customCall,
  z.looseObject({ type: z.literal('function_call_output'), ...output }),
  z.looseObject({ type: z.literal('custom_tool_call_output'), ...output }),
  responsesReasoningItem,
  z.looseObject({ type: z.literal('item_reference'), id: text }),
  z.looseObject({ type: z.literal('compaction'), id, encrypted_content: text }),
  searchCall,
  searchOutput,
  z.looseObject({ type: z.literal('image_generation_call'), id, result: text.nullish() }),
  /** Settings that change from this item on. */
  z.looseObject({
    type: z.literal('configuration_update'),
    reasoning: responsesReasoning.nullish(),
    text: responsesText.nullish(),
  }),
  /** Tools that are sent in the input. */
  z.looseObject({ type: z.literal('additional_tools'), role: text.nullish(), tools: z.array(responsesTool) }),
  z.looseObject({ type: z.enum(vendorItems) }),
]);

/** One input item. Messages and references may omit their type; the content is always a list of parts. */
export const responsesInputItem = z.preprocess(withDefaults, known);
export type ResponsesInputItem = z.infer<typeof responsesInputItem>;

type PartParam<Type> = Extract<Closed<ResponsesPart>, { type: Type }>;
/** A part of a user's message or, except audio, of a tool's result. */
export type ResponsesPartParam = PartParam<'input_text' | 'input_image' | 'input_file' | 'input_audio'>;
/** A part of a model's message. */
export type ResponsesTextParam = PartParam<'output_text' | 'refusal'>;

/** A model's item as the gateway writes it. */
export type ResponsesOutputParam =
  | { type: 'message'; role: 'assistant'; content: ResponsesTextParam[] }
  | { type: 'function_call'; call_id: string; name: string; arguments: string }
  | { type: 'custom_tool_call'; call_id: string; name: string; input: string }
  | {
      type: 'reasoning';
      id?: string;
      summary: { type: 'summary_text'; text: string }[];
      encrypted_content: string;
    };

/** A tool's result as the gateway writes it. */
export interface ResponsesResultParam {
  type: 'function_call_output' | 'custom_tool_call_output';
  call_id: string;
  output: string | ResponsesPartParam[];
}

/** An input item as the gateway writes it (`ResponseInputItem` in OpenAI's SDK). */
export type ResponsesItemParam =
  | { type: 'message'; role: 'system' | 'user'; content: ResponsesPartParam[] }
  | ResponsesOutputParam
  | ResponsesResultParam;

function withDefaults(value: unknown): unknown {
  const item = object.safeParse(value).data;
  if (!item) return value;
  const type = item.type ?? ('role' in item ? 'message' : 'item_reference');
  if (type !== 'message' || typeof item.content !== 'string') return { ...item, type };
  const kind = item.role === 'assistant' ? 'output_text' : 'input_text';
  return { ...item, type, content: [{ type: kind, text: item.content }] };
}
