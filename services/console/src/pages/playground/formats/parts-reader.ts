import type { z } from 'zod/mini';
import { Problem } from '../../problem.ts';
import type { AnswerEvent } from '../conversation/answer-event.ts';
import type { AnswerPart, Seal } from '../conversation/part.ts';

/** Makes the events of an answer's parts. Keys are a format's names for its parts, such as an index. */
export class PartsReader {
  readonly #indexes = new Map<string, number>();
  #count = 0;
  #last: AnswerPart['type'] | undefined;

  /** The type of the part that was opened last. */
  get last(): AnswerPart['type'] | undefined {
    return this.#last;
  }

  has(key: string): boolean {
    return this.#indexes.has(key);
  }

  /** Marks a key as seen, without a part. */
  mark(key: string): void {
    this.#indexes.set(key, -1);
  }

  open(key: string, part: AnswerPart): AnswerEvent {
    const index = this.#count++;
    this.#indexes.set(key, index);
    this.#last = part.type;
    return { type: 'part', index, part };
  }

  /** Adds text to a part; to one that is not open, nothing. */
  add(key: string, text: string): AnswerEvent[] {
    const index = this.#indexes.get(key);
    return index === undefined || text === '' ? [] : [{ type: 'delta', index, text }];
  }

  /** Adds text to the part that was opened last if it has the same type; else opens one. */
  append(type: 'text' | 'reasoning' | 'refusal', text: string): AnswerEvent[] {
    if (text === '') return [];
    if (this.#last === type) return [{ type: 'delta', index: this.#count - 1, text }];
    return [this.open(`${type} ${this.#count}`, { type, text })];
  }

  seal(key: string, seal: Seal): AnswerEvent[] {
    const index = this.#indexes.get(key);
    return index === undefined ? [] : [{ type: 'seal', index, seal }];
  }

  /** Seals the part that was opened last, so that later text begins another one. */
  sealLast(seal: Seal): AnswerEvent[] {
    if (this.#count === 0) return [];
    this.#last = undefined;
    return [{ type: 'seal', index: this.#count - 1, seal }];
  }
}

/** Parses the data of an event. @throws Problem for data that is not JSON, or not of the shape */
export function parseEvent<Shape extends z.ZodMiniType>(shape: Shape, data: string): z.infer<Shape> {
  const parsed = shape.safeParse(jsonOf(data));
  if (!parsed.success) throw invalidEvent();
  return parsed.data;
}

function jsonOf(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw invalidEvent();
  }
}

function invalidEvent(): Problem {
  return new Problem('An event of the stream cannot be parsed.', { code: 'not_a_stream' });
}
