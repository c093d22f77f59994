import type { GenerateEvent, Usage } from '@model-gateway/canonical';
import type { Edit } from '@model-gateway/json';
import type { Translation } from '../upstream/event-stream.ts';
import { Appearance, editEvent, laterTotals } from '../upstream/loose-events.ts';
import { malformed, twoAnswers, wellFormed } from '../upstream/malformed.ts';
import { eventObject, type StreamEvent } from '../upstream/read-json.ts';
import type { ResponsesUpstreamAnswer, ResponsesUpstreamUsage } from './answer.ts';
import {
  Answer,
  answerFailure,
  type EndStatus,
  endStatus,
  type ItemsOptions,
  responseFailure,
} from './decode-items.ts';
import { type ResponsesStreamEvent, responsesStreamEvent } from './events.ts';
import { readUsage } from './usage.ts';

/** Returns the translation of the events that `events` reads. */
export function translation(options: ItemsOptions, events: Events): Translation<ResponsesStreamEvent> {
  const answer = new Answer(options);
  return {
    add: event => translate(event, answer),
    end: () => answer.end(events.status, events.response, events.usage),
  };
}

/** Reads the usage, the errors and the end of a stream. */
export class Events {
  readonly hasHeartbeats = true;
  /** The response ends with an event of its own, so a stream that ends without it is cut off. */
  readonly complete = false;
  readonly endMark = 'ends-valid';
  readonly #types: ReadonlySet<string>;
  #id: string | null | undefined;
  readonly #places = new ItemPlaces();
  /** Set when the response has ended. */
  status: EndStatus = 'completed';
  /** The response as its latest event describes it. */
  response: Partial<ResponsesUpstreamAnswer> = {};
  #usage: ResponsesUpstreamUsage | undefined;
  characters = 0;
  begun = false;
  ended = false;

  /** `types` are the types of the events that are parsed. */
  constructor(types: ReadonlySet<string>) {
    this.#types = types;
  }

  get usage(): Usage | null {
    return this.#usage ? readUsage(this.#usage, this.response) : null;
  }

  read(source: StreamEvent, _whole: Buffer): ResponsesStreamEvent | undefined {
    return this.note(source);
  }

  /** Parses and records an event; undefined for another type. @throws GatewayError for a malformed event or one that holds an error */
  note(source: StreamEvent): ResponsesStreamEvent | undefined {
    return this.record(readFields(source));
  }

  protected record(fields: EventFields): ResponsesStreamEvent | undefined {
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

interface EventFields extends Record<string, unknown> {
  type: string;
}

/** Reads the fields of an event. @throws GatewayError for a malformed event or one that holds an error */
export function readFields(event: StreamEvent): EventFields {
  const fields = eventObject(event);
  if (!fields) throw malformed('event', 'its data is not a JSON object');
  const { type = event.event, error } = fields;
  // Some upstreams send an error body without a type.
  if (type === 'error' || (type === undefined && error)) throw answerFailure(fields);
  if (type !== fields.type || typeof type !== 'string') fields.type = String(type);
  return fields as EventFields;
}

/** Types of the events that belong to an item. */
const ofItems =
  /^response\.(output_item|content_part|output_text|refusal|reasoning|function_call|custom_tool_call)/;

/** Counts the characters that an event adds to the response, for token estimates. */
function charactersOf({ type, delta }: EventFields): number {
  const isText = typeof delta === 'string' && !type.startsWith('response.audio.');
  return isText ? delta.length : 0;
}

/** An event of a stream that belongs to an item. */
interface ItemEvent {
  type: string;
  output_index?: unknown;
  item_id?: unknown;
  item?: unknown;
}

/**
 * The places of a stream's items in the response. Some servers, such as llama.cpp's, send no `output_index`: the place is then that of the item
 * with the event's id or, for an event without an id that was seen before, that of the latest item.
 */
class ItemPlaces {
  readonly #byId = new Map<string, number>();
  #next = 0;

  /** Returns the place of the event's item. */
  of({ type, output_index: given, item_id, item }: ItemEvent): number {
    const { id: ownId, call_id } = Object(item) as { id?: unknown; call_id?: unknown };
    const ids = [item_id, ownId, call_id].filter(id => typeof id === 'string');
    const known = ids.map(id => this.#byId.get(id)).find(place => place !== undefined);
    const latest = Math.max(0, this.#next - 1);
    const inferred = known ?? (type === 'response.output_item.added' ? this.#next : latest);
    const place = typeof given === 'number' ? given : inferred;
    for (const id of ids) this.#byId.set(id, place);
    this.#next = Math.max(this.#next, place + 1);
    return place;
  }
}

/** Mends the events of items that are passed on. Clients number items from 0, and know an item by the id with which it was added. */
export class ItemMender {
  readonly #appearance = new Appearance();
  readonly #ids = new Map<number, string>();

  /** Edits an event if it has to. */
  mend(source: StreamEvent, { type, output_index: index, item_id: told, item }: ItemEvent): void {
    if (typeof index !== 'number') return;
    const place = this.#appearance.of(index);
    const { id } = Object(item) as { id?: unknown };
    if (type === 'response.output_item.added' && typeof id === 'string') this.#ids.set(place, id);
    const known = this.#ids.get(place);
    const isOther = known !== undefined && typeof told === 'string' && told !== known;
    if (place === index && !isOther) return;
    const edits = new Map<string, Edit>([['output_index', String(place)]]);
    if (isOther) edits.set('item_id', JSON.stringify(known));
    editEvent(source, edits);
  }
}
