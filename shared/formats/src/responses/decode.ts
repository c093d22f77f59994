import { type FinishEvent, GatewayError, type GenerateEvent, type Usage } from '@model-gateway/canonical';
import type { Decoder } from '../upstream/dialect.ts';
import { TranslatedEvents } from '../upstream/event-stream.ts';
import { editEvent, laterTotals, withoutError } from '../upstream/loose-events.ts';
import { errorEvents, faultOf, malformed, twoAnswers, wellFormed } from '../upstream/malformed.ts';
import { PassedEvents, type PassedReader } from '../upstream/passed-events.ts';
import { eventObject, isBlank, parseObject, type StreamEvent } from '../upstream/read-json.ts';
import { verbatimBody, WholeBody } from '../upstream/whole-body.ts';
import {
  Answer,
  answerFailure,
  decodeEnding,
  type EndStatus,
  endStatus,
  outputFlags,
  responseFailure,
} from './decode-answer.ts';
import type { ItemsOptions } from './decode-items.ts';
import { ItemMender, ItemPlaces } from './item-places.ts';
import {
  type ResponsesUpstreamAnswer,
  type ResponsesUpstreamItem,
  type ResponsesUpstreamUsage,
  responsesTokenCount,
  responsesUpstreamAnswer,
  responsesUpstreamMessage,
} from './upstream-answer.ts';
import { type ResponsesStreamEvent, responsesEventTypes, responsesStreamEvent } from './upstream-events.ts';
import { readUsage } from './usage.ts';

export { decodeFailure } from '../upstream/decode-openai-failure.ts';

/** The decoder's output: the upstream's bytes, or translated parts. */
export type StreamOutput = { verbatim: true } | ItemsOptions;

export function decodeStream(output: StreamOutput): Decoder {
  if ('verbatim' in output) return new PassedEvents(new Reader(lifecycle, new ItemMender()));
  return translated(output, () => {});
}

/** Decodes a stream that was sent in place of a whole response. */
export function decodeEvents(options: ItemsOptions): Decoder {
  return translated(options, response => refuseLogprobs(response, 'a stream instead of a complete response'));
}

/** @param check is called with the response at its end */
function translated(
  options: ItemsOptions,
  check: (response: Partial<ResponsesUpstreamAnswer>) => void,
): Decoder {
  const reader = new Reader(responsesEventTypes);
  const answer = new Answer(options);
  return new TranslatedEvents(reader, {
    add: event => translate(event, answer),
    end: () => {
      check(reader.response);
      return answer.end(reader.status, reader.response, reader.usage);
    },
  });
}

/** Reads the usage, the errors and the end of a stream. */
class Reader implements PassedReader<ResponsesStreamEvent> {
  readonly hasHeartbeats = true;
  /** The response ends with an event of its own, so a stream that ends without it is cut off. */
  readonly complete = false;
  readonly endMark = 'ends-valid';
  readonly #types: ReadonlySet<string>;
  #id: string | null | undefined;
  readonly #places = new ItemPlaces();
  readonly #mender: ItemMender | undefined;
  /** Set when the response has ended. */
  status: EndStatus = 'completed';
  /** The response as its latest event describes it. */
  response: Partial<ResponsesUpstreamAnswer> = {};
  #usage: ResponsesUpstreamUsage | undefined;
  characters = 0;
  begun = false;
  ended = false;

  /** `types` are the types of the events that are parsed. `mender` is set if the stream is passed on. */
  constructor(types: ReadonlySet<string>, mender?: ItemMender) {
    this.#types = types;
    this.#mender = mender;
  }

  get usage(): Usage | null {
    return this.#usage ? readUsage(this.#usage, this.response) : null;
  }

  read(source: StreamEvent): ResponsesStreamEvent | undefined {
    const fields = readFields(source);
    this.#mender?.mend(source, fields);
    this.characters += charactersOf(fields);
    const event = this.#types.has(fields.type) ? this.#parse(fields) : undefined;
    switch (event?.type) {
      case 'response.created':
        // Some servers repeat the first event.
        this.#id ??= event.response.id;
        if ((event.response.id ?? this.#id) !== this.#id) throw twoAnswers();
        this.#note(event.response);
        break;
      case 'response.queued':
      case 'response.in_progress':
        this.#note(event.response);
        break;
      case 'response.completed':
        this.#end('completed', event.response);
        break;
      case 'response.incomplete':
        this.#end('incomplete', event.response);
        break;
      case 'response.failed':
      case 'response.cancelled':
        this.#note(event.response);
        throw responseFailure(event.response);
      default:
        this.begun = true;
    }
    return event;
  }

  finish(): FinishEvent {
    return finish(this.status, this.response, this.usage);
  }

  #parse(fields: EventFields): ResponsesStreamEvent {
    if (ofItems.test(fields.type)) fields.output_index = this.#places.of(fields);
    return wellFormed(responsesStreamEvent, fields);
  }

  /** Ends the response. Some upstreams send `response.completed` with another status. @throws GatewayError if it failed */
  #end(eventStatus: EndStatus, response: Partial<ResponsesUpstreamAnswer>): void {
    this.#note(response);
    this.status = endStatus(response, eventStatus);
    this.begun = true;
    this.ended = true;
  }

  #note(response: Partial<ResponsesUpstreamAnswer>): void {
    this.response = response;
    if (response.usage) this.#usage = laterTotals(this.#usage, response.usage);
  }
}

function translate(event: ResponsesStreamEvent, answer: Answer): GenerateEvent[] {
  switch (event.type) {
    case 'response.created':
    case 'response.queued':
    case 'response.in_progress':
      return answer.begin(event.response);
    case 'response.completed':
    case 'response.incomplete':
      return [];
    default:
      return answer.add(event);
  }
}

/** Passes a non-streamed response or a token count unchanged, once it is complete and valid. */
export class WholeDecoder extends WholeBody {
  protected decode(bytes: Buffer): GenerateEvent[] {
    return [verbatimBody(bytes), readEnding(parseObject(bytes.toString('utf8')))];
  }
}

/** Returns the end of a non-streamed response. @throws GatewayError if it is malformed or failed */
function readEnding(body: Record<string, unknown> | undefined): FinishEvent {
  const answer = responsesUpstreamAnswer.safeParse(body);
  if (answer.success) return finish(endStatus(answer.data), answer.data, usageOf(answer.data));
  if (body?.error) throw answerFailure(body);
  if (!responsesTokenCount.safeParse(body).success) throw malformed('answer', faultOf(answer.error, body));
  return { type: 'finish', reason: 'stop', raw: null, usage: null };
}

/** Decodes a non-streamed response sent in place of a stream. Undefined if it is not a response. */
export function decodeBody(body: Buffer, options: ItemsOptions): GenerateEvent[] | undefined {
  const { data } = responsesUpstreamAnswer.safeParse(parseObject(body.toString('utf8')));
  if (!data) return undefined;
  try {
    const status = endStatus(data);
    refuseLogprobs(data, 'a complete response instead of a stream');
    return new Answer(options).end(status, data, usageOf(data));
  } catch (thrown) {
    return errorEvents(thrown);
  }
}

/** @throws GatewayError for log probabilities, which the client requested and parts cannot hold */
function refuseLogprobs({ output }: Partial<ResponsesUpstreamAnswer>, sent: string): void {
  if (output?.some(hasLogprobs)) throw new GatewayError('upstream', `The upstream sent ${sent}.`);
}

function hasLogprobs(item: ResponsesUpstreamItem): boolean {
  const { data } = responsesUpstreamMessage.safeParse(item);
  return data?.content?.some(({ logprobs }) => Array.isArray(logprobs) && logprobs.length > 0) ?? false;
}

function usageOf(response: Partial<ResponsesUpstreamAnswer>): Usage | null {
  return response.usage ? readUsage(response.usage, response) : null;
}

function finish(
  status: EndStatus,
  response: Partial<ResponsesUpstreamAnswer>,
  usage: Usage | null,
): FinishEvent {
  return { type: 'finish', ...decodeEnding(status, response, outputFlags(response.output ?? [])), usage };
}

/** Reads an upstream's token count of a request. */
export function readCount(body: unknown): number | undefined {
  return responsesTokenCount.safeParse(body).data?.input_tokens;
}

interface EventFields extends Record<string, unknown> {
  type: string;
}

/** Reads the fields of an event. @throws GatewayError for a malformed event or one that holds an error */
function readFields(event: StreamEvent): EventFields {
  const fields = eventObject(event);
  if (!fields) throw malformed('event', 'its data is not a JSON object');
  const { type = event.event, error } = fields;
  // Some upstreams send an error body without a type.
  if (type === 'error' || (type === undefined && error)) throw answerFailure(fields);
  if (error && isBlank(error)) editEvent(event, withoutError);
  if (type !== fields.type || typeof type !== 'string') fields.type = String(type);
  return fields as EventFields;
}

/** Types of the events that belong to an item. */
const ofItems =
  /^response\.(output_item|content_part|output_text|refusal|reasoning|function_call|custom_tool_call)/;

/** The types of the events about the response as a whole. */
const lifecycle = new Set(
  ['created', 'queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled'].map(
    step => `response.${step}`,
  ),
);

/** Counts the characters that an event adds to the response, for token estimates. */
function charactersOf({ type, delta }: EventFields): number {
  const isText = typeof delta === 'string' && !type.startsWith('response.audio.');
  return isText ? delta.length : 0;
}
