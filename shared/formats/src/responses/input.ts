import { z } from 'zod';
import { knownEfforts } from '../chat/thinking.ts';
import { instructionRole } from '../chat/turns.ts';
import { type Closed, jsonText, jsonObject as object } from '../values/schemas.ts';
import { responsesTool } from './tools.ts';

const text = z.string();

export const responsesVerbosities = ['low', 'medium', 'high'] as const;

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
export const responsesPart = z.discriminatedUnion('type', [
  textPart,
  imagePart,
  filePart,
  audioPart,
  outputTextPart,
  refusalPart,
]);
export type ResponsesPart = z.infer<typeof responsesPart>;

/** A part of a tool's result. */
export const responsesOutputPart = z.discriminatedUnion('type', [textPart, imagePart, filePart]);
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
export const responsesReasoningItem = z.looseObject({
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
