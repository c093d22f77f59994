import { z } from 'zod/mini';
import { Problem } from '../../../problem.ts';
import type { AnswerEvent, FinishReason } from '../../conversation/answer-event.ts';
import type { AnswerReader, RawEvent } from '../format.ts';
import { imagePart } from '../media-url.ts';
import { PartsReader, parseEvent } from '../parts-reader.ts';

const text = z.nullish(z.string());
const count = z.nullish(z.number());

const item = z.looseObject({
  type: z.string(),
  id: text,
  call_id: text,
  name: text,
  arguments: text,
  encrypted_content: text,
  summary: z.nullish(z.array(z.json())),
  /** An image in base64. */
  result: text,
});

const response = z.object({
  error: z.nullish(z.object({ code: text, message: text })),
  incomplete_details: z.nullish(z.object({ reason: text })),
  usage: z.nullish(
    z.object({
      input_tokens: z.number(),
      input_tokens_details: z.nullish(z.object({ cached_tokens: count, cache_write_tokens: count })),
      output_tokens: z.number(),
      output_tokens_details: z.nullish(z.object({ reasoning_tokens: count })),
    }),
  ),
});

const event = z.object({
  type: z.string(),
  output_index: z.optional(z.number()),
  content_index: z.optional(z.number()),
  summary_index: z.optional(z.number()),
  delta: z.optional(z.unknown()),
  item: z.optional(item),
  response: z.optional(response),
  code: text,
  message: text,
  error: z.nullish(z.object({ code: text, message: text })),
});
type Event = z.infer<typeof event>;

const deltaKinds: Record<string, 'text' | 'refusal' | 'reasoning'> = {
  'response.output_text.delta': 'text',
  'response.refusal.delta': 'refusal',
  'response.reasoning_summary_text.delta': 'reasoning',
  'response.reasoning_text.delta': 'reasoning',
};

/** Reads a responses stream. The answer is complete at `response.completed` or `response.incomplete`. */
export class ResponsesReader implements AnswerReader {
  readonly #parts = new PartsReader();
  #called = false;
  #refused = false;
  complete = false;

  read({ data }: RawEvent): AnswerEvent[] {
    if (data === '[DONE]') return [];
    const read = parseEvent(event, data);
    const kind = deltaKinds[read.type];
    if (kind) return this.#text(kind, read);
    switch (read.type) {
      case 'response.output_item.added':
        return this.#added(read);
      case 'response.function_call_arguments.delta':
        return this.#parts.add(`item ${read.output_index}`, String(read.delta));
      case 'response.output_item.done':
        return this.#done(read);
      case 'response.completed':
      case 'response.incomplete':
        return this.#end(read);
      case 'response.failed':
      case 'error':
        throw problemOf(read);
      default:
        return [];
    }
  }

  #text(type: 'text' | 'refusal' | 'reasoning', read: Event): AnswerEvent[] {
    const { output_index, content_index = 0, summary_index = 0, delta } = read;
    if (type === 'refusal') this.#refused = true;
    // The summaries of one item are one reasoning, which goes back whole.
    if (type === 'reasoning') {
      const gap = summary_index > 0 && !this.#parts.has(`summary ${output_index} ${summary_index}`);
      const key = `item ${output_index}`;
      const events = this.#parts.has(key) ? [] : [this.#parts.open(key, { type: 'reasoning', text: '' })];
      if (gap) this.#parts.mark(`summary ${output_index} ${summary_index}`);
      return [...events, ...this.#parts.add(key, `${gap ? '\n\n' : ''}${delta}`)];
    }
    const key = `content ${output_index} ${content_index}`;
    if (this.#parts.has(key)) return this.#parts.add(key, String(delta));
    return [this.#parts.open(key, { type, text: String(delta) })];
  }

  #added({ output_index, item }: Event): AnswerEvent[] {
    if (item?.type === 'reasoning')
      return [this.#parts.open(`item ${output_index}`, { type: 'reasoning', text: '' })];
    if (item?.type !== 'function_call') return [];
    this.#called = true;
    const { call_id, name, arguments: text } = item;
    return [
      this.#parts.open(`item ${output_index}`, {
        type: 'tool-call',
        id: call_id ?? `call_${output_index}`,
        name: name ?? '',
        arguments: text ?? '',
      }),
    ];
  }

  #done({ output_index, item }: Event): AnswerEvent[] {
    if (item?.type === 'image_generation_call' && item.result)
      return [this.#parts.open(`item ${output_index}`, imagePart('image/png', item.result))];
    if (item?.type !== 'reasoning' || !item.encrypted_content) return [];
    const { id, summary, encrypted_content } = item;
    const value = { type: 'reasoning', ...(id && { id }), summary: summary ?? [], encrypted_content };
    return this.#parts.seal(`item ${output_index}`, { format: 'responses', value });
  }

  #end({ type, response }: Event): AnswerEvent[] {
    this.complete = true;
    const incomplete = response?.incomplete_details?.reason;
    const raw = incomplete ?? type.replace('response.', '');
    return [{ type: 'finish', reason: this.#reason(incomplete), raw }, ...usageEvents(response)];
  }

  #reason(incomplete: string | null | undefined): FinishReason {
    if (incomplete === 'max_output_tokens') return 'length';
    if (incomplete === 'content_filter') return 'filter';
    if (incomplete) return 'other';
    if (this.#called) return 'tool-calls';
    return this.#refused ? 'refusal' : 'stop';
  }
}

function problemOf({ code, message, error, response }: Event): Problem {
  const found = error ?? response?.error ?? { code, message };
  return new Problem(found.message ?? 'The stream reports an error.', { code: found.code ?? undefined });
}

function usageEvents(response: Event['response']): AnswerEvent[] {
  const used = response?.usage;
  if (!used) return [];
  return [
    {
      type: 'usage',
      usage: {
        input: used.input_tokens,
        output: used.output_tokens,
        cached: used.input_tokens_details?.cached_tokens ?? undefined,
        cacheWritten: used.input_tokens_details?.cache_write_tokens ?? undefined,
        reasoning: used.output_tokens_details?.reasoning_tokens ?? undefined,
      },
    },
  ];
}
