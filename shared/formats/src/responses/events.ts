import { z } from 'zod';
import {
  responsesUpstreamAnnotation,
  responsesUpstreamAnswer,
  responsesUpstreamItem,
  responsesUpstreamPart,
} from './answer.ts';

/*
 * Events of a streamed response. Each has a `sequence_number`, counted from 0. An upstream may leave it out,
 * and may send unknown types, which are ignored.
 */

const place = z.int().nonnegative();

/** The item that an event belongs to. */
const ofItem = { output_index: place, item_id: z.string().nullish() };
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

/** One event of a stream. */
export const responsesStreamEvent = z.discriminatedUnion('type', [
  lifecycle,
  item,
  part,
  ...text,
  ...reasoning,
  ...calls,
]);
export type ResponsesStreamEvent = z.infer<typeof responsesStreamEvent>;

/** Types of {@link responsesStreamEvent}; events of other types are ignored. */
export const responsesEventTypes: ReadonlySet<string> = new Set(
  responsesStreamEvent.options.flatMap(({ shape: { type } }): string[] =>
    type instanceof z.ZodEnum ? type.options : [...type.values],
  ),
);
