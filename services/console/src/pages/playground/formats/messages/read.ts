import { z } from 'zod/mini';
import { Problem } from '../../../problem.ts';
import type { AnswerEvent, FinishReason } from '../../conversation/answer-event.ts';
import type { AnswerReader, RawEvent } from '../format.ts';
import { PartsReader, parseEvent } from '../parts-reader.ts';

const text = z.nullish(z.string());
const count = z.nullish(z.number());
const usage = z.object({
  input_tokens: count,
  cache_creation_input_tokens: count,
  cache_read_input_tokens: count,
  output_tokens: count,
  output_tokens_details: z.nullish(z.object({ thinking_tokens: count })),
});
const index = z.number();

const event = z.object({
  type: z.string(),
  index: z.optional(index),
  message: z.nullish(z.object({ usage: z.nullish(usage) })),
  content_block: z.nullish(
    z.object({ type: z.string(), id: text, name: text, text, thinking: text, signature: text, data: text }),
  ),
  delta: z.nullish(
    z.object({
      type: text,
      text,
      partial_json: text,
      thinking: text,
      signature: text,
      stop_reason: text,
    }),
  ),
  usage: z.nullish(usage),
  error: z.nullish(z.object({ type: text, message: z.string() })),
});
type Event = z.infer<typeof event>;
type Used = z.infer<typeof usage>;

const reasons: Record<string, FinishReason> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool-calls',
  refusal: 'refusal',
};

/** Reads a messages stream. The answer is complete at `message_stop`. */
export class MessagesReader implements AnswerReader {
  readonly #parts = new PartsReader();
  readonly #thinking = new Map<number, string>();
  #used: Used = {};
  complete = false;

  read({ data }: RawEvent): AnswerEvent[] {
    const read = parseEvent(event, data);
    switch (read.type) {
      case 'message_start':
        return this.#usage(read.message?.usage);
      case 'content_block_start':
        return this.#open(read);
      case 'content_block_delta':
        return this.#delta(read);
      case 'message_delta': {
        const raw = read.delta?.stop_reason;
        const finish = raw ? [{ type: 'finish' as const, reason: reasons[raw] ?? 'other', raw }] : [];
        return [...finish, ...this.#usage(read.usage)];
      }
      case 'message_stop':
        this.complete = true;
        return [];
      case 'error':
        throw new Problem(read.error?.message ?? 'The stream reports an error.', {
          code: read.error?.type ?? undefined,
        });
      default:
        return [];
    }
  }

  #open({ index = 0, content_block: block }: Event): AnswerEvent[] {
    const key = String(index);
    switch (block?.type) {
      case 'text':
        return [this.#parts.open(key, { type: 'text', text: block.text ?? '' })];
      case 'thinking':
        this.#thinking.set(index, block.thinking ?? '');
        return [this.#parts.open(key, { type: 'reasoning', text: block.thinking ?? '' })];
      case 'redacted_thinking': {
        const value = { type: 'redacted_thinking', data: block.data ?? '' };
        return [this.#parts.open(key, { type: 'reasoning', text: '', seal: { format: 'messages', value } })];
      }
      case 'tool_use': {
        const { id, name } = block;
        const part = {
          type: 'tool-call',
          id: id ?? `toolu_${index}`,
          name: name ?? '',
          arguments: '',
        } as const;
        return [this.#parts.open(key, part)];
      }
      default:
        return [];
    }
  }

  #delta({ index = 0, delta }: Event): AnswerEvent[] {
    const key = String(index);
    switch (delta?.type) {
      case 'text_delta':
        return this.#parts.add(key, delta.text ?? '');
      case 'input_json_delta':
        return this.#parts.add(key, delta.partial_json ?? '');
      case 'thinking_delta':
        this.#thinking.set(index, (this.#thinking.get(index) ?? '') + (delta.thinking ?? ''));
        return this.#parts.add(key, delta.thinking ?? '');
      case 'signature_delta': {
        // A block goes back as it came; one without a signature does not.
        if (!delta.signature) return [];
        const thinking = this.#thinking.get(index) ?? '';
        const value = { type: 'thinking', thinking, signature: delta.signature };
        return this.#parts.seal(key, { format: 'messages', value });
      }
      default:
        return [];
    }
  }

  /** Counters replace those that came before; the three of the input do not overlap. */
  #usage(used: Used | null | undefined): AnswerEvent[] {
    if (!used) return [];
    const known = Object.entries(used).filter(([, value]) => value !== null && value !== undefined);
    this.#used = { ...this.#used, ...Object.fromEntries(known) };
    const {
      input_tokens,
      cache_creation_input_tokens: written,
      cache_read_input_tokens: cached,
    } = this.#used;
    return [
      {
        type: 'usage',
        usage: {
          input: (input_tokens ?? 0) + (written ?? 0) + (cached ?? 0),
          output: this.#used.output_tokens ?? 0,
          cached: cached ?? undefined,
          cacheWritten: written ?? undefined,
          reasoning: this.#used.output_tokens_details?.thinking_tokens ?? undefined,
        },
      },
    ];
  }
}
