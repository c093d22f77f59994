import type { Ending, GatewayError, PartEndEvent, PartStart } from '@model-gateway/canonical';
import { dataJson, sseEvent } from '@model-gateway/sse';
import type { ResponsesOutputItem as Item, ResponsesItemStatus } from './answer.ts';

/**
 * The items of one output, one open at a time. An item is closed when the next one opens or the response
 * ends: only then is its status known.
 */
export class Items {
  /** The closed items. */
  readonly done: Item[] = [];
  readonly requestId: string;
  readonly #frame: Frame;
  #open: Item | undefined;
  /** The id of the open item, as JSON. */
  #openId = '';

  constructor(requestId: string, frame: Frame) {
    this.requestId = requestId;
    this.#frame = frame;
  }

  /** The open item, if it is a message. */
  get message(): Extract<Item, { type: 'message' }> | undefined {
    return this.#open?.type === 'message' ? this.#open : undefined;
  }

  /** Closes the open item and opens `item`. The fields in `later` are omitted from its first event. */
  open<T extends Item>(item: T, later: Partial<T> = {}): string {
    const before = this.close('completed');
    this.#open = Object.assign(item, later);
    this.#openId = JSON.stringify(item.id);
    const begun = { ...item };
    for (const field of Object.keys(later)) delete (begun as Record<string, unknown>)[field];
    const output_index = this.done.length;
    return before + this.#frame('response.output_item.added', { output_index, item: begun });
  }

  /** Closes the open item. */
  close(status: ResponsesItemStatus): string {
    const item = this.#open;
    if (!item) return '';
    this.#open = undefined;
    const output_index = this.done.length;
    const ended = 'status' in item && item.type !== 'image_generation_call' ? { ...item, status } : item;
    this.done.push(ended);
    return this.#frame('response.output_item.done', { output_index, item: ended });
  }

  /** Writes an event of the open item. */
  event(name: string, fields: Record<string, unknown>): string {
    const place = { item_id: this.#open?.id, output_index: this.done.length };
    return this.#frame(`response.${name}`, { ...place, ...fields });
  }

  /** Writes a text that is added to the open item. Most events of a stream are such ones: they make no object. */
  delta(name: string, text: string, place = '', more = ''): string {
    const item = `"item_id":${this.#openId},"output_index":${this.done.length}`;
    return this.#frame(`response.${name}`, `${item}${place},"delta":${dataJson(text)}${more}`);
  }

  /** Returns the id of the item that is opened next. */
  nextId(type: Item['type']): string {
    return itemId(type, this.requestId, this.done.length + (this.#open ? 1 : 0));
  }
}

export type PartOver = Pick<PartEndEvent, 'index' | 'signature' | 'citations'>;

/** The end of an output. */
export interface OutputEnd {
  /** Its last events. */
  text: string;
  /** The reason if the output is incomplete, else null. */
  incomplete: { reason: string } | null;
  /** Set if the response failed. */
  failed?: GatewayError;
}

/** Writes parts as output items. Each method returns the events that it adds. */
export interface OutputWriter {
  /** The closed items. */
  readonly items: { type: string; id?: string }[];
  start(index: number, part: PartStart): string;
  add(index: number, text: string): string;
  end(part: PartOver): string;
  finish(ending: Ending): OutputEnd;
}

/** Creates the output of one response. */
export type MakeOutput = (requestId: string, frame: Frame) => OutputWriter;

export type PartEnd = Pick<PartEndEvent, 'signature' | 'citations'>;

/** Writes one part, after the parts before it have ended. */
export interface PartWriter {
  /** Opens the part before it has text. */
  begin?(): string;
  /** Adds text, which is not empty. */
  write(text: string): string;
  end(end: PartEnd): string;
}

/** Writes one event of a stream and numbers it. Its fields are an object, or JSON members as text. */
export type Frame = (type: string, fields: Record<string, unknown> | string) => string;

/** Renders one event. Clients need both the event name and the type in its data. */
export function frame(type: string, number: number, fields: Record<string, unknown> | string): string {
  if (typeof fields === 'string')
    return sseEvent(`{"type":"${type}","sequence_number":${number},${fields}}`, type);
  return sseEvent(dataJson({ type, sequence_number: number, ...fields }), type);
}

/** Returns the upstream's id if it is a response id, else one derived from the request id. */
export function responseId(id: string, requestId: string): string {
  return id.startsWith('resp_') ? id : `resp_${withoutPrefix(requestId)}`;
}

const prefixes = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  custom_tool_call: 'ctc',
  tool_search_call: 'tsc',
  image_generation_call: 'ig',
} as const;

/** Returns the id of the item at index `place` of the output. */
export function itemId(type: keyof typeof prefixes, requestId: string, place: number): string {
  return `${prefixes[type]}_${withoutPrefix(requestId)}_${place}`;
}

/** Returns an id for a call to which the upstream gave none. `place` is the index of its part. */
export function callId(requestId: string, place: number): string {
  return `call_${withoutPrefix(requestId)}_${place}`;
}

/** Returns the id of a stored response. */
export function storedId(requestId: string): string {
  return `resp_${withoutPrefix(requestId)}`;
}

/** Removes the type prefix of an id. */
export function withoutPrefix(id: string): string {
  return id.replace(/^[a-z]+_/, '');
}
