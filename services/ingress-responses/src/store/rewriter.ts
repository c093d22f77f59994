import { type Edits, memberText, spliceTopLevel } from '@model-gateway/json';
import { dataJson, EventSplitter, splitEvents, sseEvent } from '@model-gateway/sse';
import { statusOf } from './turn.ts';

/** Renders an event with a response object. */
export function responseEvent(type: string, response: string, number: number): string {
  return sseEvent(`{"type":"${type}","sequence_number":${number},"response":${response}}`, type);
}

/** Renders the last events of a response that has ended. */
export function lastEvents(response: string, number: number): string {
  const status = statusOf({ response });
  // The format has no event for a cancelled response, and clients fail on unknown types.
  const type = `response.${status === 'cancelled' ? 'incomplete' : status}`;
  const event = responseEvent(type, response, number);
  // A failed stream has no `[DONE]`.
  return status === 'failed' ? event : event + doneMark;
}

/** The event after a successful stream, which not every upstream sends. */
export const doneMark = sseEvent('[DONE]');

/** Events that contain the response object. */
const lifecycle = /^response\.(created|queued|in_progress|completed|incomplete|failed|cancelled)$/;
const ended = /^response\.(completed|incomplete|failed|cancelled)$/;

/** Substrings of the events that need to be parsed. */
const parsedEvents = ['"response"', 'output_item.done', '"type":"error"', '"type": "error"'];
const numberField = '"sequence_number":';

function countOf(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count++;
  return count;
}

/** Returns an event's data with its number. */
export function numbered(data: string, number: number): string {
  const found = /"sequence_number":\s*(\d+)/.exec(data);
  if (!found) return data.replace('{', `{"sequence_number":${number},`);
  if (Number(found[1]) === number) return data;
  return data.replace(found[0], `"sequence_number":${number}`);
}

/** The end of a stream: its last events, and the response that they contain. */
export interface Ending {
  text: string;
  response: string;
}

/**
 * Numbers the events of a stream consecutively, and sets the fields of its response that only the gateway
 * knows. Everything else stays unchanged, byte for byte.
 */
export class Rewriter {
  readonly #splitter = new EventSplitter();
  readonly #fields: Edits;
  readonly #skip: (type: string) => boolean;
  #number: number;
  #response = '';
  readonly #items: string[] = [];
  #ending: Ending | undefined;
  /** The number of the first event of {@link ending}. */
  #endsAt = 0;

  /** `first` is the number of the first event. Events for whose type `skip` returns true are dropped. */
  constructor(
    fields: Edits,
    { first = 0, skip = () => false }: { first?: number; skip?: (type: string) => boolean } = {},
  ) {
    this.#fields = fields;
    this.#number = first;
    this.#skip = skip;
  }

  /**
   * Returns the rewritten events. From an error or the last event on, events are added to {@link ending}
   * instead.
   */
  push(data: string | Uint8Array): string {
    const text = this.#whole(data);
    if (text === '' || this.#isUnchanged(text)) return text;
    let out = '';
    for (const event of splitEvents(text)) {
      const text = this.#event(event);
      if (this.#ending) this.#ending.text += text;
      else out += text;
    }
    return out;
  }

  /**
   * The end of the stream, once it has begun. Its response is empty until the event with the response
   * arrives.
   */
  get ending(): Ending | undefined {
    return this.#ending;
  }

  /** The number of the next event. */
  get next(): number {
    return this.#number;
  }

  /** Ends the stream as incomplete, with the items that are done. */
  cut(reason: string): Ending {
    const details = JSON.stringify({ reason });
    return this.#end('incomplete', [['incomplete_details', details]]);
  }

  /** Ends the stream as failed, with the items that are done. */
  fail(message: string): Ending {
    const about = { code: 'server_error', message };
    const error = { ...about, param: null, error: { type: 'server_error', ...about, param: null } };
    const event = { type: 'error', sequence_number: this.#number++, ...error };
    const { text, response } = this.#end('failed', [['error', JSON.stringify(about)]]);
    return { text: sseEvent(dataJson(event), 'error') + text, response };
  }

  /** Ends the stream as failed, in place of the upstream's end. */
  failInstead(message: string): Ending {
    if (this.#ending) this.#number = this.#endsAt;
    return this.fail(message);
  }

  #beginEnd(): Ending {
    if (!this.#ending) {
      this.#ending = { text: '', response: '' };
      this.#endsAt = this.#number;
    }
    return this.#ending;
  }

  #end(status: string, more: [string, string][]): Ending {
    const output = `[${this.#items.join(',')}]`;
    const response = this.#spliced(this.#response || '{"object":"response"}', [
      ['status', JSON.stringify(status)],
      ['output', output],
      ...more,
    ]);
    return { text: lastEvents(response, this.#number++), response };
  }

  /** Returns the events that are complete. */
  #whole(data: string | Uint8Array): string {
    if (typeof data === 'string' && !this.#splitter.unfinished && data.endsWith('\n\n')) return data;
    return this.#splitter.push(Buffer.from(data as Uint8Array)).toString();
  }

  /** True if nothing needs to change: most events are deltas with the right numbers. */
  #isUnchanged(text: string): boolean {
    if (this.#ending || parsedEvents.some(part => text.includes(part))) return false;
    let number = this.#number;
    for (let at = text.indexOf(numberField); at >= 0; at = text.indexOf(numberField, at)) {
      at += numberField.length;
      if (Number.parseInt(text.slice(at, at + 17), 10) !== number) return false;
      number++;
    }
    // An event without a number needs one.
    if (number - this.#number !== countOf(text, '\n\n')) return false;
    this.#number = number;
    return true;
  }

  #event(event: string): string {
    const data = /^data: ?([^\r\n]*)/m.exec(event)?.[1];
    if (data === undefined || !data.startsWith('{')) return event;
    const isHead = data.includes('"response"');
    if (!isHead && !data.includes('output_item.done') && !/"type":\s*"error"/.test(data))
      return event.replace(data, () => this.#numbered(data));
    const bytes = Buffer.from(data);
    const type: string = JSON.parse(memberText(bytes, 'type') ?? '""');
    if (this.#skip(type)) return '';
    if (type === 'response.output_item.done') this.#items.push(memberText(bytes, 'item') ?? '{}');
    if (type === 'error') this.#beginEnd();
    if (!lifecycle.test(type)) return event.replace(data, () => this.#numbered(data));
    this.#response = this.#spliced(memberText(bytes, 'response') ?? '{}');
    if (ended.test(type)) {
      this.#beginEnd().response = this.#response;
    }
    const edited = spliceTopLevel(bytes, new Map([['response', this.#response]])).toString();
    return event.replace(data, () => this.#numbered(edited));
  }

  #numbered(data: string): string {
    return numbered(data, this.#number++);
  }

  #spliced(response: string, more: [string, string][] = []): string {
    return spliceTopLevel(Buffer.from(response), new Map([...this.#fields, ...more])).toString();
  }
}
