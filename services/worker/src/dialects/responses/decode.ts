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
import { verbatimBody, WholeBody } from '../whole-body.ts';
import { Answer, decodeEnding, type EndStatus, endStatus, outputFlags, readUsage } from './decode-answer.ts';
import { answerFailure, responseFailure } from './decode-failure.ts';
import type { ItemsOptions } from './decode-items.ts';
import { cutOff, malformed } from './malformed.ts';

export { decodeFailure } from './decode-failure.ts';

/** The decoder's output: the upstream's bytes, or translated parts. */
export type StreamTarget = { verbatim: true } | ItemsOptions;

/** The most bytes held back of a response without content. */
const maxHeldBack = 1024 * 1024;

/** Decodes each event of a stream once, into verbatim bytes or events. */
export class StreamDecoder implements Decoder {
  readonly #source = new StreamEvents();
  /** Undefined if the bytes pass verbatim. */
  readonly #answer: Answer | undefined;
  /** Bytes held back until the response has content, so that failover stays possible until then. */
  readonly #heldBack: Buffer[] = [];
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

  /** Returns the bytes of the complete events; if there are none, the resulting events. */
  #whole(bytes: Buffer): Buffer | GenerateEvent[] {
    if (this.#over) return [];
    try {
      const whole = this.#source.push(bytes);
      return whole.length === 0 ? [] : whole;
    } catch (cause) {
      return this.#fail(unreadable(cause));
    }
  }

  /** Ends the stream. Without a final response event it is an error. */
  end(): GenerateEvent[] {
    return this.#over ? [] : this.#fail(cutOff());
  }

  #events(whole: Buffer): GenerateEvent[] {
    const events: GenerateEvent[] = [];
    let good = 0;
    try {
      for (const event of this.#source.read(whole)) {
        events.push(...this.#decode(event));
        good++;
        if (this.#over) break;
      }
    } catch (error) {
      const before = this.#answer ? events : this.#release(firstEvents(whole, good));
      return [...before, ...this.#fail(asGatewayError(error))];
    }
    return this.#answer ? events : [...this.#release(whole), ...events];
  }

  /** Decodes an event; in a verbatim stream only the end. @throws GatewayError if malformed or an error */
  #decode(source: StreamEvent): GenerateEvent[] {
    if (source.data === responsesDone) throw cutOff();
    const fields = readFields(source);
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

  /** Ends the response. Some upstreams send `response.completed` with the status `incomplete`. */
  #finish(eventStatus: EndStatus, response: Partial<ResponsesUpstreamAnswer>): GenerateEvent[] {
    const status = response.status === 'incomplete' ? response.status : eventStatus;
    this.#note(response);
    this.#begun = true;
    this.#over = true;
    return this.#answer?.end(status, response, this.#usage) ?? [finish(status, response, this.#usage)];
  }

  #note({ usage }: Partial<ResponsesUpstreamAnswer>): void {
    if (usage) this.#usage = readUsage(usage);
  }

  #release(bytes: Buffer): GenerateEvent[] {
    if (bytes.length > 0) this.#heldBack.push(bytes);
    const size = this.#heldBack.reduce((sum, { length }) => sum + length, 0);
    if (size === 0 || (!this.#begun && size <= maxHeldBack)) return [];
    const buffers = this.#heldBack.splice(0);
    return [
      { type: 'verbatim', bytes: buffers.length === 1 ? (buffers[0] as Buffer) : Buffer.concat(buffers) },
    ];
  }

  #fail(error: GatewayError): GenerateEvent[] {
    this.#over = true;
    return [toErrorEvent(error)];
  }
}

/** Passes a non-streamed response or a token count unchanged, once it is complete and valid. */
export class WholeDecoder extends WholeBody {
  protected decode(bytes: Buffer): GenerateEvent[] {
    try {
      const ending = readEnding(parseObject(bytes.toString('utf8')));
      return [verbatimBody(bytes), ending];
    } catch (error) {
      return [toErrorEvent(asGatewayError(error))];
    }
  }
}

/** Returns the end of a non-streamed response. @throws GatewayError if it is malformed or failed */
function readEnding(body: Record<string, unknown> | undefined): FinishEvent {
  const answer = responsesUpstreamAnswer.safeParse(body);
  if (answer.success) return finish(endStatus(answer.data), answer.data, usageOf(answer.data));
  if (body?.error) throw answerFailure(body);
  if (!responsesTokenCount.safeParse(body).success) throw malformed('answer', answer.error);
  return { type: 'finish', reason: 'stop', raw: null, usage: null };
}

/** Decodes a non-streamed response sent in place of a stream. Undefined if it is not a response. */
export function decodeBody(body: Buffer, options: ItemsOptions): GenerateEvent[] | undefined {
  const { data } = responsesUpstreamAnswer.safeParse(parseObject(body.toString('utf8')));
  if (!data) return undefined;
  try {
    const status = endStatus(data);
    // Parts have no field for log probabilities, which the client requested.
    if (data.output?.some(hasLogprobs))
      throw new GatewayError('upstream', 'The upstream sent a complete response instead of a stream.');
    return new Answer(options).end(status, data, usageOf(data));
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

function finish(
  status: EndStatus,
  response: Partial<ResponsesUpstreamAnswer>,
  usage: Usage | null,
): FinishEvent {
  return { type: 'finish', ...decodeEnding(status, response, outputFlags(response.output ?? [])), usage };
}

function asGatewayError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  throw error;
}

/** Reads an upstream's token count of a request. */
export function readCount(body: unknown): number | undefined {
  return responsesTokenCount.safeParse(body).data?.input_tokens;
}

export interface EventFields extends Record<string, unknown> {
  type: string;
}

/** Reads the fields of an event. @throws GatewayError for a malformed event or one that holds an error */
function readFields(event: StreamEvent): EventFields {
  const fields = eventObject(event);
  if (!fields) throw malformed('event');
  const { type = event.event, error } = fields;
  // Some upstreams send an error body without a type.
  if (type === 'error' || (type === undefined && error)) throw answerFailure(fields);
  if (type !== fields.type || typeof type !== 'string') fields.type = String(type);
  return fields as EventFields;
}

/** Parses an event; undefined if its type is unknown. @throws GatewayError for a malformed event */
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

/** True if an event is about the response as a whole. */
function isLifecycle({ type }: EventFields): boolean {
  return lifecycle.has(type);
}

/** Counts the characters that an event adds to the response, for token estimates. */
function charactersOf({ type, delta }: EventFields): number {
  const isText = typeof delta === 'string' && !type.startsWith('response.audio.');
  return isText ? delta.length : 0;
}
