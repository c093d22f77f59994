import {
  type FinishEvent,
  GatewayError,
  type GenerateEvent,
  type Turn,
  toErrorEvent,
  type Usage,
} from '@model-gateway/canonical';
import {
  type ResponsesStreamEvent,
  type ResponsesUpstreamAnswer,
  type ResponsesUpstreamItem,
  responsesDone,
  responsesEventTypes,
  responsesStreamEvent,
  responsesTokenCount,
  responsesUpstreamAnswer,
  responsesUpstreamMessage,
} from '@model-gateway/wire';
import type { Decoder } from '../dialect.ts';
import { firstEvents } from '../first-events.ts';
import { parseObject, unreadable } from '../read-json.ts';
import { eventObject, type StreamEvent, StreamEvents } from '../stream-events.ts';
import { asItCame, WholeBody } from '../whole-body.ts';
import { Answer, decodeEnding, heldIn, type Over, overAs, readUsage } from './decode-answer.ts';
import { answerFailure, responseFailure } from './decode-failure.ts';
import type { ItemsOptions } from './decode-items.ts';
import { cutOff, malformed } from './malformed.ts';

export { decodeFailure } from './decode-failure.ts';

/** How an answer is given: as the upstream's own bytes, or in parts. */
export type StreamTarget = { verbatim: true } | ItemsOptions;

/** The most that is kept back of an answer that has not begun. */
const maxKept = 1024 * 1024;

/** Looks at each event of a stream once, and gives on its bytes or what it means. */
export class StreamDecoder implements Decoder {
  readonly #source = new StreamEvents();
  /** Undefined where the bytes are passed on. */
  readonly #answer: Answer | undefined;
  /** Bytes that are kept back until the answer says something, so that another upstream can be asked if it never does. */
  readonly #kept: Buffer[] = [];
  #begun = false;
  #usage: Usage | null = null;
  #characters = 0;
  #over = false;

  constructor(target: StreamTarget) {
    this.#answer = 'seed' in target ? new Answer(target) : undefined;
  }

  get usage(): Usage | null {
    return this.#usage;
  }

  get characters(): number {
    return this.#characters;
  }

  read(bytes: Buffer): GenerateEvent[] {
    const whole = this.#whole(bytes);
    return Buffer.isBuffer(whole) ? this.#events(whole) : whole;
  }

  readInSteps(bytes: Buffer, turn: Turn): GenerateEvent[] | Promise<GenerateEvent[]> {
    const whole = this.#whole(bytes);
    return Buffer.isBuffer(whole) ? this.#source.decode(whole, turn, () => this.#events(whole)) : whole;
  }

  /** The bytes of events that are whole now; where there are none, what that means. */
  #whole(bytes: Buffer): Buffer | GenerateEvent[] {
    if (this.#over) return [];
    try {
      const whole = this.#source.push(bytes);
      return whole.length === 0 ? [] : whole;
    } catch (cause) {
      return this.#fail(unreadable(cause));
    }
  }

  /** Only an event of its own makes an answer complete. */
  end(): GenerateEvent[] {
    return this.#over ? [] : this.#fail(cutOff());
  }

  #events(whole: Buffer): GenerateEvent[] {
    const events: GenerateEvent[] = [];
    let good = 0;
    try {
      for (const event of this.#source.read(whole)) {
        events.push(...this.#look(event));
        good++;
        if (this.#over) break;
      }
    } catch (error) {
      const shown = this.#answer ? events : this.#show(firstEvents(whole, good));
      return [...shown, ...this.#fail(asGatewayError(error))];
    }
    return this.#answer ? events : [...this.#show(whole), ...events];
  }

  /** What one event means; of an answer that is passed on, only how it ends. @throws GatewayError for what is wrong with it */
  #look(given: StreamEvent): GenerateEvent[] {
    if (given.data === responsesDone) throw cutOff();
    const fields = readFields(given);
    this.#characters += charactersOf(fields);
    const event = this.#answer || isLifecycle(fields) ? readEvent(fields) : undefined;
    if (!event) {
      this.#begun = true;
      return [];
    }
    switch (event.type) {
      case 'response.created':
      case 'response.queued':
      case 'response.in_progress':
        this.#note(event.response);
        return this.#answer?.begin(event.response) ?? [];
      case 'response.completed':
        return this.#finish('completed', event.response);
      case 'response.incomplete':
        return this.#finish('incomplete', event.response);
      case 'response.failed':
      case 'response.cancelled':
        this.#note(event.response);
        throw responseFailure(event.response);
      default:
        return this.#answer?.add(event) ?? [];
    }
  }

  /** Some upstreams call each end complete, and say otherwise within. */
  #finish(told: Over, response: Partial<ResponsesUpstreamAnswer>): GenerateEvent[] {
    const over = response.status === 'incomplete' ? response.status : told;
    this.#note(response);
    this.#begun = true;
    this.#over = true;
    return this.#answer?.end(over, response, this.#usage) ?? [finish(over, response, this.#usage)];
  }

  #note({ usage }: Partial<ResponsesUpstreamAnswer>): void {
    if (usage) this.#usage = readUsage(usage);
  }

  #show(bytes: Buffer): GenerateEvent[] {
    if (bytes.length > 0) this.#kept.push(bytes);
    const size = this.#kept.reduce((sum, { length }) => sum + length, 0);
    if (size === 0 || (!this.#begun && size <= maxKept)) return [];
    const kept = this.#kept.splice(0);
    return [{ type: 'verbatim', bytes: kept.length === 1 ? (kept[0] as Buffer) : Buffer.concat(kept) }];
  }

  #fail(error: GatewayError): GenerateEvent[] {
    this.#over = true;
    return [toErrorEvent(error)];
  }
}

/** Passes a whole answer or a count of tokens on byte for byte, once all of it is here and found to be one. */
export class WholeDecoder extends WholeBody {
  protected decode(bytes: Buffer): GenerateEvent[] {
    try {
      const ending = readEnding(parseObject(bytes.toString('utf8')));
      return [asItCame(bytes), ending];
    } catch (error) {
      return [toErrorEvent(asGatewayError(error))];
    }
  }
}

/** How a whole answer ended. @throws GatewayError for what is none, or failed */
function readEnding(body: Record<string, unknown> | undefined): FinishEvent {
  const answer = responsesUpstreamAnswer.safeParse(body);
  if (answer.success) return finish(overAs(answer.data), answer.data, usageOf(answer.data));
  if (body?.error) throw answerFailure(body);
  if (!responsesTokenCount.safeParse(body).success) throw malformed('answer', answer.error);
  return { type: 'finish', reason: 'stop', raw: null, usage: null };
}

/** The events of a whole answer that came where a stream was asked for; undefined for what is no answer. */
export function decodeBody(body: Buffer, options: ItemsOptions): GenerateEvent[] | undefined {
  const { data } = responsesUpstreamAnswer.safeParse(parseObject(body.toString('utf8')));
  if (!data) return undefined;
  try {
    const over = overAs(data);
    // Parts have no place for these: without them, the answer would not be what was asked for.
    if (data.output?.some(hasLogprobs))
      throw new GatewayError('upstream', 'The upstream answered whole where a stream was asked for.');
    return new Answer(options).end(over, data, usageOf(data));
  } catch (error) {
    return [toErrorEvent(asGatewayError(error))];
  }
}

function hasLogprobs(item: ResponsesUpstreamItem): boolean {
  const { data } = responsesUpstreamMessage.safeParse(item);
  return data?.content?.some(({ logprobs }) => Array.isArray(logprobs) && logprobs.length > 0) ?? false;
}

function usageOf({ usage }: Partial<ResponsesUpstreamAnswer>): Usage | null {
  return usage ? readUsage(usage) : null;
}

function finish(over: Over, response: Partial<ResponsesUpstreamAnswer>, usage: Usage | null): FinishEvent {
  return { type: 'finish', ...decodeEnding(over, response, heldIn(response.output ?? [])), usage };
}

function asGatewayError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  throw error;
}

/** An upstream's count of the tokens of a request. */
export function readCount(body: unknown): number | undefined {
  return responsesTokenCount.safeParse(body).data?.input_tokens;
}

export interface EventFields extends Record<string, unknown> {
  type: string;
}

/** The fields of one event. @throws GatewayError for what is no event, and for one that tells an error */
function readFields(given: StreamEvent): EventFields {
  const fields = eventObject(given);
  if (!fields) throw malformed('event');
  const { type = given.event, error } = fields;
  // Some upstreams send an error as a body of its own.
  if (type === 'error' || (type === undefined && error)) throw answerFailure(fields);
  if (type !== fields.type || typeof type !== 'string') fields.type = String(type);
  return fields as EventFields;
}

/** Undefined for an event of a kind that is new. @throws GatewayError for one that is broken */
function readEvent(fields: EventFields): ResponsesStreamEvent | undefined {
  if (!responsesEventTypes.has(fields.type)) return undefined;
  const { success, data, error } = responsesStreamEvent.safeParse(fields);
  if (success) return data;
  throw malformed('event', error);
}

const lifecycle = new Set(
  ['created', 'queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled'].map(
    step => `response.${step}`,
  ),
);

/** Whether an event is about the response as a whole. */
function isLifecycle({ type }: EventFields): boolean {
  return lifecycle.has(type);
}

/** How much an event adds to the text of an answer, for whoever must guess at its tokens. */
function charactersOf({ type, delta }: EventFields): number {
  const isText = typeof delta === 'string' && !type.startsWith('response.audio.');
  return isText ? delta.length : 0;
}
