import { z } from 'zod/mini';
import type { AnswerPart, Seal } from './part.ts';

export const finishReasons = ['stop', 'length', 'tool-calls', 'filter', 'refusal', 'other'] as const;
export type FinishReason = (typeof finishReasons)[number];

/** Tokens of an answer. `input` includes `cached` and `cacheWritten`; `output` includes `reasoning`. */
export const usage = z.object({
  input: z.number(),
  output: z.number(),
  cached: z.optional(z.number()),
  cacheWritten: z.optional(z.number()),
  reasoning: z.optional(z.number()),
});
export type Usage = z.infer<typeof usage>;

/** A step of a streamed answer, the same in every format. `index` is the place of the part in the answer. */
export type AnswerEvent =
  | { type: 'part'; index: number; part: AnswerPart }
  /** Text to add to a part, for a call to its arguments. */
  | { type: 'delta'; index: number; text: string }
  | { type: 'seal'; index: number; seal: Seal }
  /** `raw` is the format's own word for the reason. */
  | { type: 'finish'; reason: FinishReason; raw: string }
  /** The usage as far as it is known; a later one replaces it. */
  | { type: 'usage'; usage: Usage };

/** Adds an event to the parts of an answer. */
export function withEvent(parts: AnswerPart[], event: AnswerEvent): AnswerPart[] {
  switch (event.type) {
    case 'part':
      return [...parts.slice(0, event.index), event.part, ...parts.slice(event.index + 1)];
    case 'delta':
      return changed(parts, event.index, part => longer(part, event.text));
    case 'seal':
      return changed(parts, event.index, part => ({ ...part, seal: event.seal }) as AnswerPart);
    case 'finish':
    case 'usage':
      return parts;
  }
}

function changed(parts: AnswerPart[], index: number, change: (part: AnswerPart) => AnswerPart): AnswerPart[] {
  return parts.map((part, place) => (place === index ? change(part) : part));
}

function longer(part: AnswerPart, text: string): AnswerPart {
  switch (part.type) {
    case 'tool-call':
      return { ...part, arguments: part.arguments + text };
    case 'media':
      return part;
    default:
      return { ...part, text: part.text + text };
  }
}
