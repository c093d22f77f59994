import { z } from 'zod/mini';
import { Problem } from '../../../problem.ts';
import type { AnswerEvent, FinishReason } from '../../conversation/answer-event.ts';
import type { AnswerReader, RawEvent } from '../format.ts';
import { mediaFromUrl } from '../media-url.ts';
import { PartsReader, parseEvent } from '../parts-reader.ts';

const text = z.nullish(z.string());
const count = z.nullish(z.number());

const call = z.object({
  index: z.number(),
  id: text,
  function: z.nullish(z.object({ name: text, arguments: text })),
  /** The signature of the call, as some vendors send it. */
  extra_content: z.nullish(z.json()),
});

const chunk = z.object({
  error: z.nullish(z.object({ message: z.string(), code: z.nullish(z.union([z.string(), z.number()])) })),
  choices: z.nullish(
    z.array(
      z.object({
        delta: z.nullish(
          z.object({
            content: text,
            refusal: text,
            /** Vendors use two names for reasoning. */
            reasoning_content: text,
            reasoning: text,
            thinking_blocks: z.nullish(z.array(z.json())),
            images: z.nullish(z.array(z.object({ image_url: z.object({ url: z.string() }) }))),
            tool_calls: z.nullish(z.array(call)),
          }),
        ),
        finish_reason: text,
      }),
    ),
  ),
  usage: z.nullish(
    z.object({
      prompt_tokens: z.number(),
      completion_tokens: z.number(),
      prompt_tokens_details: z.nullish(z.object({ cached_tokens: count, cache_write_tokens: count })),
      completion_tokens_details: z.nullish(z.object({ reasoning_tokens: count })),
    }),
  ),
});
type Chunk = z.infer<typeof chunk>;
type Delta = NonNullable<NonNullable<NonNullable<Chunk['choices']>[number]['delta']>>;

const reasons: Record<string, FinishReason> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
  content_filter: 'filter',
};

/** Reads a chat stream. The answer is complete at a finish reason or `[DONE]`. */
export class ChatReader implements AnswerReader {
  readonly #parts = new PartsReader();
  #reasoned = false;
  complete = false;

  read({ data }: RawEvent): AnswerEvent[] {
    if (data === '[DONE]') {
      this.complete = true;
      return [];
    }
    const { error, choices, usage } = parseEvent(chunk, data);
    if (error) throw new Problem(error.message, { code: error.code?.toString() });
    const [choice] = choices ?? [];
    const events = choice?.delta ? this.#delta(choice.delta) : [];
    if (choice?.finish_reason) {
      this.complete = true;
      const raw = choice.finish_reason;
      events.push({ type: 'finish', reason: reasons[raw] ?? 'other', raw });
    }
    if (usage) events.push(usageEvent(usage));
    return events;
  }

  #delta(delta: Delta): AnswerEvent[] {
    const { content, refusal, reasoning_content, reasoning, thinking_blocks, images, tool_calls } = delta;
    return [
      ...this.#reasoning(reasoning_content || reasoning || ''),
      ...(thinking_blocks ?? []).flatMap(block => this.#block(block)),
      ...this.#parts.append('text', content ?? ''),
      ...this.#parts.append('refusal', refusal ?? ''),
      ...(images ?? []).flatMap(({ image_url: { url } }) => {
        const part = mediaFromUrl(url);
        return part ? [this.#parts.open(`image ${url.length}`, part)] : [];
      }),
      ...(tool_calls ?? []).flatMap(call => this.#call(call)),
    ];
  }

  #reasoning(text: string): AnswerEvent[] {
    if (!text) return [];
    if (this.#parts.last === 'reasoning') return this.#parts.append('reasoning', text);
    this.#reasoned = true;
    // The mark of the format says that the text may be sent back in it.
    const part = { type: 'reasoning', text, seal: { format: 'chat', value: null } } as const;
    return [this.#parts.open('reasoning', part)];
  }

  /** A block with a signature comes after the text of its reasoning; one that is redacted comes alone. */
  #block(block: z.core.util.JSONType): AnswerEvent[] {
    const seal = { format: 'chat', value: block } as const;
    if (this.#reasoned && this.#parts.last === 'reasoning') {
      this.#reasoned = false;
      return this.#parts.sealLast(seal);
    }
    return [this.#parts.open('block', { type: 'reasoning', text: '', seal })];
  }

  #call({ index, id, function: fn, extra_content }: z.infer<typeof call>): AnswerEvent[] {
    const key = `call ${index}`;
    const more = fn?.arguments ?? '';
    const part = {
      type: 'tool-call',
      id: id ?? `call_${index}`,
      name: fn?.name ?? '',
      arguments: more,
    } as const;
    const events = this.#parts.has(key) ? this.#parts.add(key, more) : [this.#parts.open(key, part)];
    const seal = { format: 'chat', value: extra_content ?? null } as const;
    return extra_content ? [...events, ...this.#parts.seal(key, seal)] : events;
  }
}

function usageEvent(used: NonNullable<Chunk['usage']>): AnswerEvent {
  const { prompt_tokens_details: input, completion_tokens_details: output } = used;
  return {
    type: 'usage',
    usage: {
      input: used.prompt_tokens,
      output: used.completion_tokens,
      cached: input?.cached_tokens ?? undefined,
      cacheWritten: input?.cache_write_tokens ?? undefined,
      reasoning: output?.reasoning_tokens ?? undefined,
    },
  };
}
