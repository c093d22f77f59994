import {
  type FinishEvent,
  GatewayError,
  type GenerateEvent,
  type StartEvent,
  toErrorEvent,
  type Usage,
} from '@model-gateway/canonical';
import { EventReader, EventSplitter, EventTooLarge, splitEvents } from '@model-gateway/sse';
import { type ChatChunk, chatDone } from '@model-gateway/wire';
import type { Decoder } from '../dialect.ts';
import { firstEvents } from '../first-events.ts';
import { type AnswerOptions, AnswerParts } from './answer/decode.ts';
import { finishReason } from './finish/decode.ts';
import { parseObject } from './json.ts';
import { answerError } from './refusal/decode.ts';
import { readUsage } from './usage/decode.ts';

export { decodeRefusal } from './refusal/decode.ts';

/** How an answer is given: as the upstream's own bytes, or in parts. */
export type StreamTarget =
  /** Without `showUsage`, the chunk that has nothing but the usage is kept from the client. */
  { showUsage: boolean } | (AnswerOptions & { stop: readonly string[] });

/** Looks at each chunk of a stream once, and gives on its bytes or what it means. */
export class StreamDecoder implements Decoder {
  readonly #splitter = new EventSplitter();
  readonly #reader = new EventReader();
  readonly #showUsage: boolean;
  /** Undefined where the bytes are passed on. */
  readonly #parts: AnswerParts | undefined;
  readonly #stops: readonly string[];
  readonly #choices = new Set<number>();
  readonly #finished = new Set<number>();
  /** Kept back until the answer has a part, so that another upstream can be asked if it never does. */
  #start: StartEvent | undefined;
  #begun = false;
  #heard = false;
  #reason: string | null = null;
  #stopSequence: string | undefined;
  #usage: Usage | null = null;
  /** Whether the read at hand holds a chunk that the client must not see. */
  #hide = false;
  #over = false;

  constructor(target: StreamTarget) {
    const parts = 'seed' in target;
    this.#showUsage = parts || target.showUsage;
    this.#parts = parts ? new AnswerParts(target) : undefined;
    this.#stops = parts ? target.stop : [];
  }

  /** Every choice has ended. */
  get complete(): boolean {
    return (
      this.#finished.size > 0 && this.#finished.size === this.#choices.size && !this.#splitter.unfinished
    );
  }

  read(bytes: Buffer): GenerateEvent[] {
    if (this.#over) return [];
    try {
      const whole = this.#splitter.push(bytes);
      return whole.length === 0 ? [] : this.#events(whole);
    } catch (cause) {
      const what = cause instanceof EventTooLarge ? 'an event that is too large' : 'a malformed event';
      return this.#fail(new GatewayError('upstream', `The upstream sent ${what}.`, {}, { cause }));
    }
  }

  end(): GenerateEvent[] {
    if (this.#over) return [];
    if (!this.complete) return this.#fail(cutOff());
    // The answer is whole: only its end mark is missing.
    const mark = this.#parts ? [] : verbatim(Buffer.from(`data: ${chatDone}\n\n`));
    try {
      return [...mark, ...this.#finish()];
    } catch (thrown) {
      return this.#fail(asGatewayError(thrown));
    }
  }

  #events(whole: Buffer): GenerateEvent[] {
    const events: GenerateEvent[] = [];
    let good = 0;
    try {
      const read = this.#reader.read(whole);
      // Comments before the first event are no answer: another upstream may still be asked.
      this.#heard ||= read.length > 0;
      if (!this.#heard) return [];
      for (const { data } of read) {
        events.push(...this.#look(data));
        good++;
        if (this.#over) break;
      }
      if (this.#parts) return this.#over ? [...events, ...this.#finish()] : events;
    } catch (thrown) {
      const shown = this.#parts ? events : verbatim(firstEvents(whole, good));
      return [...shown, ...this.#fail(asGatewayError(thrown))];
    }
    const shown = this.#hide ? withoutUsage(whole) : whole;
    this.#hide = false;
    return this.#over ? [...verbatim(shown), ...this.#finish()] : verbatim(shown);
  }

  /** What one event means, where that is asked for. @throws GatewayError for what is wrong with it */
  #look(data: string): GenerateEvent[] {
    if (data === chatDone) {
      // A client that reads the bytes sees for itself that no reason was given.
      if (this.#parts && this.#reason === null) throw cutOff();
      this.#over = true;
      return [];
    }
    const chunk: ChatChunk | undefined = parseObject(data);
    if (!chunk) throw new GatewayError('upstream', 'The upstream sent a malformed event.');
    if (chunk.error) throw answerError(chunk.error);
    if (chunk.usage) this.#usage = readUsage(chunk.usage);
    this.#hide ||= !this.#showUsage && isUsageOnly(chunk);
    this.#note(chunk);
    return this.#parts ? this.#translate(chunk, this.#parts) : [];
  }

  /** Takes note of the choices that end. */
  #note({ choices }: ChatChunk): void {
    for (const { index, finish_reason: reason, stop_reason: stop } of choices ?? []) {
      const choice = index ?? 0;
      if (this.#parts && choice !== 0) continue;
      if (reason === 'error') throw new GatewayError('upstream', 'The upstream failed.');
      this.#choices.add(choice);
      if (!reason) continue;
      this.#reason = reason;
      this.#finished.add(choice);
      if (typeof stop === 'string' && this.#stops.includes(stop)) this.#stopSequence = stop;
    }
  }

  #translate({ id, model, choices }: ChatChunk, parts: AnswerParts): GenerateEvent[] {
    this.#start ??= { type: 'start', id: id ?? '', model: model ?? '' };
    const delta = choices?.find(choice => (choice.index ?? 0) === 0)?.delta;
    const events = delta ? parts.add(delta) : [];
    return events.length > 0 ? this.#begin(events) : events;
  }

  /** The answer's start goes before its first part. */
  #begin(events: GenerateEvent[]): GenerateEvent[] {
    if (this.#begun) return events;
    this.#begun = true;
    return [this.#start ?? { type: 'start', id: '', model: '' }, ...events];
  }

  #finish(): GenerateEvent[] {
    this.#over = true;
    const finish = this.#finishEvent();
    return this.#parts ? this.#begin([...this.#parts.end(), finish]) : [finish];
  }

  /** Calls and refusals have a reason of their own, unless the model was stopped by something else. */
  #finishEvent(): FinishEvent {
    const event = finish(this.#reason, this.#usage);
    const { reason } = event;
    if (!this.#parts || (reason !== 'stop' && reason !== 'other')) return event;
    if (this.#parts.called) return { ...event, reason: 'tool-calls' };
    if (this.#parts.refused) return { ...event, reason: 'refusal' };
    if (!this.#stopSequence) return event;
    return { ...event, reason: 'stop-sequence', stopSequence: this.#stopSequence };
  }

  #fail(error: GatewayError): GenerateEvent[] {
    this.#over = true;
    return [toErrorEvent(error)];
  }
}

/** Passes a whole answer on byte for byte, once all of it is here and found to be one. */
export class WholeDecoder implements Decoder {
  readonly #chunks: Buffer[] = [];

  read(bytes: Buffer): GenerateEvent[] {
    this.#chunks.push(bytes);
    return [];
  }

  end(): GenerateEvent[] {
    const bytes = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
    const answer: ChatChunk | undefined = parseObject(bytes.toString('utf8'));
    if (answer?.error) return [toErrorEvent(answerError(answer.error))];
    const first = Array.isArray(answer?.choices) ? answer.choices[0] : undefined;
    if (!answer || !first)
      return [toErrorEvent(new GatewayError('upstream', 'The upstream sent a malformed answer.'))];
    const whole = { status: 200, mediaType: 'application/json', length: bytes.length };
    const usage = answer.usage ? readUsage(answer.usage) : null;
    return [{ type: 'verbatim', bytes, whole }, finish(first.finish_reason ?? null, usage)];
  }
}

function finish(raw: string | null, usage: Usage | null): FinishEvent {
  return { type: 'finish', reason: finishReason(raw), raw, usage };
}

function cutOff(): GatewayError {
  return new GatewayError('upstream', 'The upstream ended its answer too early.');
}

/** Anything but an error of the gateway's own comes of a chunk whose fields have the wrong types. */
function asGatewayError(cause: unknown): GatewayError {
  if (cause instanceof GatewayError) return cause;
  return new GatewayError('upstream', 'The upstream sent a malformed event.', {}, { cause });
}

function verbatim(bytes: Buffer): GenerateEvent[] {
  return bytes.length === 0 ? [] : [{ type: 'verbatim', bytes }];
}

function isUsageOnly({ usage, choices }: ChatChunk): boolean {
  return Boolean(usage) && choices?.length === 0;
}

function withoutUsage(whole: Buffer): Buffer {
  const reader = new EventReader();
  const kept = splitEvents(whole.toString('utf8')).filter(event => {
    const chunk = parseObject(reader.read(Buffer.from(event))[0]?.data ?? '');
    return !(chunk && isUsageOnly(chunk));
  });
  return Buffer.from(kept.join(''));
}
