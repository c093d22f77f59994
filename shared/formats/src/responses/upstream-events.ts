import { z } from 'zod';
import {
  responsesUpstreamAnnotation,
  responsesUpstreamAnswer,
  responsesUpstreamItem,
  responsesUpstreamPart,
} from './upstream-answer.ts';

/*
 * Events of a streamed response. Each has a `sequence_number`, counted from 0. An upstream may leave it out,
 * and may send unknown types, which are ignored.
 */

const place = z.int().nonnegative();
const lenient = <T extends z.ZodType>(schema: T) => schema.nullish().catch(null);

const sequence_number = lenient(place);
/** The item that an event belongs to. */
const ofItem = { sequence_number, output_index: place, item_id: z.string().nullish() };
/** The part of an item that an event belongs to; the first if absent. */
const ofPart = { ...ofItem, content_index: place.catch(0) };
const ofSummary = { ...ofItem, summary_index: place.catch(0) };

const lifecycle = z.looseObject({
  type: z.enum([
    'response.created',
    'response.queued',
    'response.in_progress',
    'response.completed',
    'response.incomplete',
    'response.failed',
    'response.cancelled',
  ]),
  sequence_number,
  response: responsesUpstreamAnswer.partial({ object: true }),
});

const item = z.looseObject({
  type: z.enum(['response.output_item.added', 'response.output_item.done']),
  ...ofItem,
  item: responsesUpstreamItem,
});

const part = z.looseObject({
  type: z.enum(['response.content_part.added', 'response.content_part.done']),
  ...ofPart,
  part: responsesUpstreamPart,
});

const text = [
  z.looseObject({
    type: z.literal('response.output_text.delta'),
    ...ofPart,
    delta: z.string(),
    logprobs: z.unknown().optional(),
  }),
  z.looseObject({ type: z.literal('response.output_text.done'), ...ofPart, text: z.string() }),
  z.looseObject({
    type: z.literal('response.output_text.annotation.added'),
    ...ofPart,
    annotation_index: place.nullish(),
    annotation: responsesUpstreamAnnotation,
  }),
  z.looseObject({ type: z.literal('response.refusal.delta'), ...ofPart, delta: z.string() }),
  z.looseObject({ type: z.literal('response.refusal.done'), ...ofPart, refusal: z.string() }),
] as const;

const reasoning = [
  z.looseObject({
    type: z.enum(['response.reasoning_summary_part.added', 'response.reasoning_summary_part.done']),
    ...ofSummary,
    part: z.looseObject({ text: z.string().nullish() }),
  }),
  z.looseObject({
    type: z.literal('response.reasoning_summary_text.delta'),
    ...ofSummary,
    delta: z.string(),
  }),
  z.looseObject({ type: z.literal('response.reasoning_summary_text.done'), ...ofSummary, text: z.string() }),
  z.looseObject({ type: z.literal('response.reasoning_text.delta'), ...ofPart, delta: z.string() }),
  z.looseObject({ type: z.literal('response.reasoning_text.done'), ...ofPart, text: z.string() }),
] as const;

const calls = [
  z.looseObject({ type: z.literal('response.function_call_arguments.delta'), ...ofItem, delta: z.string() }),
  z.looseObject({
    type: z.literal('response.function_call_arguments.done'),
    ...ofItem,
    /** Ignored if it is not text: the deltas hold everything. */
    arguments: z.string().catch(''),
  }),
  z.looseObject({ type: z.literal('response.custom_tool_call_input.delta'), ...ofItem, delta: z.string() }),
  z.looseObject({ type: z.literal('response.custom_tool_call_input.done'), ...ofItem, input: z.string() }),
] as const;

/** Progress of the vendor's tools; their items hold the same. */
const hosted = z.looseObject({
  type: z.enum([
    'response.web_search_call.in_progress',
    'response.web_search_call.searching',
    'response.web_search_call.completed',
    'response.file_search_call.in_progress',
    'response.file_search_call.searching',
    'response.file_search_call.completed',
    'response.code_interpreter_call.in_progress',
    'response.code_interpreter_call.interpreting',
    'response.code_interpreter_call.completed',
    'response.code_interpreter_call_code.delta',
    'response.code_interpreter_call_code.done',
    'response.image_generation_call.in_progress',
    'response.image_generation_call.generating',
    'response.image_generation_call.partial_image',
    'response.image_generation_call.completed',
    'response.mcp_call.in_progress',
    'response.mcp_call.completed',
    'response.mcp_call.failed',
    'response.mcp_call_arguments.delta',
    'response.mcp_call_arguments.done',
    'response.mcp_list_tools.in_progress',
    'response.mcp_list_tools.completed',
    'response.mcp_list_tools.failed',
    'response.shell_call_command.added',
    'response.shell_call_command.delta',
    'response.shell_call_command.done',
    'response.shell_call_output_content.delta',
    'response.shell_call_output_content.done',
    'response.compaction.compacting',
    'response.audio.delta',
    'response.audio.done',
    'response.audio.transcript.delta',
    'response.audio.transcript.done',
  ]),
  sequence_number,
  output_index: lenient(place),
  item_id: lenient(z.string()),
});

/** The failure of a stream: flat as in OpenAI's API, or with an object as in Open Responses. */
const error = z.looseObject({
  type: z.literal('error'),
  sequence_number,
  code: lenient(z.union([z.string(), z.number()])),
  message: lenient(z.string()),
  param: lenient(z.string()),
  error: z.unknown().optional(),
});

/** One event of a stream. */
export const responsesStreamEvent = z.discriminatedUnion('type', [
  lifecycle,
  item,
  part,
  ...text,
  ...reasoning,
  ...calls,
  hosted,
  z.looseObject({ type: z.literal('keepalive'), sequence_number }),
  error,
]);
export type ResponsesStreamEvent = z.infer<typeof responsesStreamEvent>;

/** Types of {@link responsesStreamEvent}; events of other types are ignored. */
export const responsesEventTypes: ReadonlySet<string> = new Set(
  responsesStreamEvent.options.flatMap(({ shape: { type } }): string[] =>
    type instanceof z.ZodEnum ? type.options : [...type.values],
  ),
);
