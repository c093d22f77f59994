import type { AnswerEvents, GenerateEvent, PartStart, SseEvent } from '@model-gateway/formats/browser';
import { problemOfEvent } from '../../problem.ts';
import { type AnswerEvent, type FinishReason, withEvent } from '../conversation/answer-event.ts';
import type { AnswerPart, FormatName } from '../conversation/part.ts';

type Finish = Extract<GenerateEvent, { type: 'finish' }>;
/** Returns what must be sent back with a part; `data` is that of the event that ended it. */
type SealOf = (part: AnswerPart, data: string, signature: string | undefined) => unknown;

/** Reads the events of one stream, in order. */
export class AnswerReader {
  readonly #format: FormatName;
  readonly #events: AnswerEvents<unknown>;
  /** The places of the canonical parts among the parts of the answer. */
  readonly #places = new Map<number, number>();
  readonly #sealOf: SealOf;
  protected parts: AnswerPart[] = [];

  constructor(format: FormatName, events: AnswerEvents<unknown>, sealOf: SealOf = () => undefined) {
    this.#format = format;
    this.#events = events;
    this.#sealOf = sealOf;
  }

  /** True once the answer is complete: a stream that ends before is cut off. */
  get complete(): boolean {
    return this.#events.complete;
  }

  /** @throws Problem for an error event, and for an event that cannot be parsed */
  read(event: SseEvent): AnswerEvent[] {
    try {
      return this.#events.read(event).flatMap(each => this.#told(each, event.data));
    } catch {
      throw problemOfEvent(event.data);
    }
  }

  /** Returns the rest of an answer that is complete. */
  end(): AnswerEvent[] {
    return this.#events.end().flatMap(each => this.#told(each, '{}'));
  }

  protected open(part: AnswerPart): AnswerEvent {
    return this.#add({ type: 'part', index: this.parts.length, part });
  }

  protected seal(index: number, value: unknown): AnswerEvent[] {
    if (value === undefined || index < 0) return [];
    return [this.#add({ type: 'seal', index, seal: { format: this.#format, value: value as string } })];
  }

  #add(event: AnswerEvent): AnswerEvent {
    this.parts = withEvent(this.parts, event);
    return event;
  }

  #told(event: GenerateEvent, data: string): AnswerEvent[] {
    const index = 'index' in event ? (this.#places.get(event.index) ?? -1) : -1;
    const part = this.parts[index];
    switch (event.type) {
      case 'start':
        return usageEvents(event.usage);
      case 'part-start': {
        const opened = answerPart(event.part);
        if (opened) this.#places.set(event.index, this.parts.length);
        return opened ? [this.open(opened)] : [];
      }
      case 'part-delta':
        return part ? [this.#add({ type: 'delta', index, text: event.text })] : [];
      case 'part-end':
        return part ? this.seal(index, this.#sealOf(part, data, event.signature?.value)) : [];
      case 'finish': {
        const { reason, raw, explanation, usage } = event;
        const refusal = explanation ? [this.open({ type: 'refusal', text: explanation })] : [];
        const finish = { type: 'finish' as const, reason: reasons[reason], raw: raw ?? reason };
        return [...refusal, finish, ...usageEvents(usage)];
      }
      default:
        return [];
    }
  }
}

const reasons: Record<Finish['reason'], FinishReason> = {
  ...{ stop: 'stop', length: 'length', 'tool-calls': 'tool-calls', refusal: 'refusal', other: 'other' },
  ...{ 'stop-sequence': 'stop', 'content-filter': 'filter', pause: 'other' },
};

/** Makes a part of its head; undefined for one that the page cannot show, and for a link, which it may not load. */
function answerPart(part: PartStart): AnswerPart | undefined {
  if (part.type === 'tool-call') return { type: part.type, id: part.id, name: part.name, arguments: '' };
  if (part.type === 'opaque') return undefined;
  if (part.type !== 'media') return { type: part.type, text: '' };
  const { kind, source, mediaType = 'image/png' } = part;
  if (source.type !== 'base64') return undefined;
  const name = `${kind}.${mediaType.split('/')[1] ?? 'bin'}`;
  return { type: 'media', kind, name, mediaType, data: source.data };
}

/** A count that the format does not tell is not known, and no 0. */
function usageEvents(usage: Finish['usage'] | undefined): AnswerEvent[] {
  if (!usage) return [];
  const { input, output, cachedInput, cacheWrite5m, cacheWrite1h, ...rest } = usage;
  const told = JSON.stringify(rest.raw);
  const known = (name: RegExp, count: number) => (count > 0 || name.test(told) ? count : undefined);
  const cached = known(/cached|cache_read/, cachedInput);
  const cacheWritten = known(/cache_creation_input|cache_write/, cacheWrite5m + cacheWrite1h);
  const reasoning = known(/reasoning|thinking|thoughts/, rest.reasoning);
  return [{ type: 'usage', usage: { input, output, cached, cacheWritten, reasoning } }];
}
