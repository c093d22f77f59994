import { z } from 'zod/mini';

/** The wire formats in which a conversation can be sent, by the names of the documentation. */
export const formatNames = ['chat', 'messages', 'generate-content', 'responses'] as const;
export type FormatName = (typeof formatNames)[number];

/**
 * What came with a part in one format and must be sent back with it in that format, such as a signature. Other formats do not get it.
 * The value has the shape that the format's builder needs.
 */
const seal = z.object({ format: z.enum(formatNames), value: z.json() });
export type Seal = z.infer<typeof seal>;

const textPart = z.object({ type: z.literal('text'), text: z.string(), seal: z.optional(seal) });
const reasoningPart = z.object({ type: z.literal('reasoning'), text: z.string(), seal: z.optional(seal) });
const refusalPart = z.object({ type: z.literal('refusal'), text: z.string() });

export const mediaKinds = ['image', 'audio', 'document'] as const;
export type MediaKind = (typeof mediaKinds)[number];
/** A file; `data` is base64. */
const mediaPart = z.object({
  type: z.literal('media'),
  kind: z.enum(mediaKinds),
  name: z.string(),
  mediaType: z.string(),
  data: z.string(),
});

/** A call of a tool; `arguments` is the model's text, which should be JSON. */
const toolCallPart = z.object({
  type: z.literal('tool-call'),
  id: z.string(),
  name: z.string(),
  arguments: z.string(),
  seal: z.optional(seal),
});

/** The result that answers a call. */
const toolResultPart = z.object({
  type: z.literal('tool-result'),
  callId: z.string(),
  name: z.string(),
  text: z.string(),
  isError: z.boolean(),
});

export const questionPart = z.discriminatedUnion('type', [textPart, mediaPart, toolResultPart]);
export const answerPart = z.discriminatedUnion('type', [
  textPart,
  reasoningPart,
  refusalPart,
  mediaPart,
  toolCallPart,
]);

export type TextPart = z.infer<typeof textPart>;
export type MediaPart = z.infer<typeof mediaPart>;
export type ToolCallPart = z.infer<typeof toolCallPart>;
export type ToolResultPart = z.infer<typeof toolResultPart>;
/** A part of what the user says. */
export type QuestionPart = z.infer<typeof questionPart>;
/** A part of what the model says. */
export type AnswerPart = z.infer<typeof answerPart>;

/** Returns the text that a reader sees, without reasoning; a refusal is text. */
export function textOf(parts: readonly (QuestionPart | AnswerPart)[]): string {
  return parts.map(part => (part.type === 'text' || part.type === 'refusal' ? part.text : '')).join('');
}

export function callsOf(parts: readonly AnswerPart[]): ToolCallPart[] {
  return parts.filter(part => part.type === 'tool-call');
}

export function dataUrl({ mediaType, data }: MediaPart): string {
  return `data:${mediaType};base64,${data}`;
}
