import { z } from 'zod/mini';
import { Problem } from '../../../problem.ts';
import type { AnswerEvent, FinishReason } from '../../conversation/answer-event.ts';
import type { Seal } from '../../conversation/part.ts';
import type { AnswerReader, RawEvent } from '../format.ts';
import { imagePart } from '../media-url.ts';
import { PartsReader, parseEvent } from '../parts-reader.ts';
import { ownId } from './own-id.ts';

const text = z.nullish(z.string());
const count = z.nullish(z.number());

const part = z.object({
  text,
  thought: z.nullish(z.boolean()),
  thoughtSignature: text,
  inlineData: z.nullish(z.object({ mimeType: z.string(), data: z.string() })),
  functionCall: z.nullish(
    z.object({ id: text, name: z.string(), args: z.nullish(z.record(z.string(), z.json())) }),
  ),
});

const chunk = z.object({
  error: z.nullish(z.object({ message: z.string(), status: text })),
  candidates: z.nullish(
    z.array(
      z.object({
        content: z.nullish(z.object({ parts: z.nullish(z.array(part)) })),
        finishReason: text,
        finishMessage: text,
      }),
    ),
  ),
  promptFeedback: z.nullish(z.object({ blockReason: text })),
  usageMetadata: z.nullish(
    z.object({
      promptTokenCount: count,
      cachedContentTokenCount: count,
      candidatesTokenCount: count,
      thoughtsTokenCount: count,
      toolUsePromptTokenCount: count,
    }),
  ),
});
type Used = NonNullable<z.infer<typeof chunk>['usageMetadata']>;

const reasons: Record<string, FinishReason> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  SAFETY: 'filter',
  RECITATION: 'filter',
  BLOCKLIST: 'filter',
  PROHIBITED_CONTENT: 'filter',
  SPII: 'filter',
};

/** Reads a generate-content stream. The answer is complete at a finish reason, or if the prompt was blocked. */
export class GenerateContentReader implements AnswerReader {
  readonly #parts = new PartsReader();
  #calls = 0;
  complete = false;

  read({ data }: RawEvent): AnswerEvent[] {
    const { error, candidates, promptFeedback, usageMetadata } = parseEvent(chunk, data);
    if (error) throw new Problem(error.message, { code: error.status ?? undefined });
    const [candidate] = candidates ?? [];
    const events = (candidate?.content?.parts ?? []).flatMap(part => this.#part(part));
    const { finishReason: raw, finishMessage } = candidate ?? {};
    if (raw && finishMessage) events.push(...this.#parts.append('refusal', finishMessage));
    if (raw) events.push(this.#finish(this.#calls > 0 ? 'tool-calls' : (reasons[raw] ?? 'other'), raw));
    if (promptFeedback?.blockReason) events.push(this.#finish('filter', promptFeedback.blockReason));
    if (usageMetadata) events.push(usageEvent(usageMetadata));
    return events;
  }

  #finish(reason: FinishReason, raw: string): AnswerEvent {
    this.complete = true;
    return { type: 'finish', reason, raw };
  }

  #part({ text, thought, thoughtSignature, inlineData, functionCall }: z.infer<typeof part>): AnswerEvent[] {
    const seal: Seal | undefined = thoughtSignature
      ? { format: 'generate-content', value: thoughtSignature }
      : undefined;
    if (functionCall) {
      const { id, name, args } = functionCall;
      const place = this.#calls++;
      const call = { type: 'tool-call', id: id ?? ownId(place), name } as const;
      return [
        this.#parts.open(`call ${place}`, {
          ...call,
          arguments: JSON.stringify(args ?? {}),
          ...(seal && { seal }),
        }),
      ];
    }
    if (inlineData) return [this.#parts.open('media', imagePart(inlineData.mimeType, inlineData.data))];
    const type = thought ? 'reasoning' : 'text';
    if (!seal) return this.#parts.append(type, text ?? '');
    // A signature without text belongs to the text before it.
    if (!text && this.#parts.last === type) return this.#parts.sealLast(seal);
    return [...this.#begin(type, text ?? ''), ...this.#parts.sealLast(seal)];
  }

  #begin(type: 'text' | 'reasoning', text: string): AnswerEvent[] {
    return text === '' ? [this.#parts.open('signature', { type, text })] : this.#parts.append(type, text);
  }
}

/** The counters are those of the answer so far. The output leaves out thoughts, which other formats count in it. */
function usageEvent(used: Used): AnswerEvent {
  return {
    type: 'usage',
    usage: {
      input: (used.promptTokenCount ?? 0) + (used.toolUsePromptTokenCount ?? 0),
      output: (used.candidatesTokenCount ?? 0) + (used.thoughtsTokenCount ?? 0),
      cached: used.cachedContentTokenCount ?? undefined,
      reasoning: used.thoughtsTokenCount ?? undefined,
    },
  };
}
