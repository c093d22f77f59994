import { type Edits, memberText, spliceTopLevel } from '@model-gateway/canonical';
import { dataJson, EventSplitter, splitEvents, sseEvent } from '@model-gateway/sse';
import { lastEvents } from './recorders.ts';

/** Events that hold a whole response, as far as it has come. */
const lifecycle = /^response\.(created|queued|in_progress|completed|incomplete|failed|cancelled)$/;
const over = /^response\.(completed|incomplete|failed|cancelled)$/;

/** What is in events that are looked into. */
const telling = ['"response"', 'output_item.done', '"type":"error"', '"type": "error"'];
const numbered = '"sequence_number":';

function countOf(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count++;
  return count;
}

/** The end of a stream: its last events, and the response that they tell. */
export interface Ending {
  text: string;
  response: string;
}

/**
 * Gives the events of a stream numbers that follow each other, and its response the fields that the gateway alone knows.
 * All else stays byte for byte.
 */
export class Rewriter {
  readonly #splitter = new EventSplitter();
  readonly #fields: Edits;
  readonly #skip: (type: string) => boolean;
  #number: number;
  #response = '';
  readonly #items: string[] = [];
  #ending: Ending | undefined;
  /** The number of the first event of the end. */
  #endsAt = 0;

  /** `first` is the number of the first event; types that `skip` names are left out. */
  constructor(
    fields: Edits,
    { first = 0, skip = () => false }: { first?: number; skip?: (type: string) => boolean } = {},
  ) {
    this.#fields = fields;
    this.#number = first;
    this.#skip = skip;
  }

  /** What goes out of these bytes before the end; from an error or the last event on, everything is {@link ending}. */
  push(data: string | Uint8Array): string {
    const text = this.#whole(data);
    if (text === '' || this.#isRight(text)) return text;
    let out = '';
    for (const event of splitEvents(text)) {
      const text = this.#event(event);
      if (this.#ending) this.#ending.text += text;
      else out += text;
    }
    return out;
  }

  /** The end, once it has begun; its response is empty until that is told. */
  get ending(): Ending | undefined {
    return this.#ending;
  }

  /** The number of the next event. */
  get next(): number {
    return this.#number;
  }

  /** Ends the stream where it is: what was done of the response, which is not all of it. */
  cut(reason: string): Ending {
    const details = JSON.stringify({ reason });
    return this.#end('incomplete', [['incomplete_details', details]]);
  }

  /** The same, since nobody goes on with it. */
  fail(message: string): Ending {
    const about = { code: 'server_error', message };
    const error = { ...about, param: null, error: { type: 'server_error', ...about, param: null } };
    const told = { type: 'error', sequence_number: this.#number++, ...error };
    const { text, response } = this.#end('failed', [['error', JSON.stringify(about)]]);
    return { text: sseEvent(dataJson(told), 'error') + text, response };
  }

  /** Fails in place of the end that came. */
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

  /** Events that are whole now. */
  #whole(data: string | Uint8Array): string {
    if (typeof data === 'string' && !this.#splitter.unfinished && data.endsWith('\n\n')) return data;
    return this.#splitter.push(Buffer.from(data as Uint8Array)).toString();
  }

  /** Whether nothing is to be changed: most events are parts of an item, with the right numbers. */
  #isRight(text: string): boolean {
    if (this.#ending || telling.some(word => text.includes(word))) return false;
    let number = this.#number;
    for (let at = text.indexOf(numbered); at >= 0; at = text.indexOf(numbered, at)) {
      at += numbered.length;
      if (Number.parseInt(text.slice(at, at + 17), 10) !== number) return false;
      number++;
    }
    // One that has no number is to be given one.
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
    if (over.test(type)) {
      this.#beginEnd().response = this.#response;
    }
    const told = spliceTopLevel(bytes, new Map([['response', this.#response]])).toString();
    return event.replace(data, () => this.#numbered(told));
  }

  #numbered(data: string): string {
    const number = this.#number++;
    const found = /"sequence_number":\s*(\d+)/.exec(data);
    if (!found) return data.replace('{', `{"sequence_number":${number},`);
    if (Number(found[1]) === number) return data;
    return data.replace(found[0], `"sequence_number":${number}`);
  }

  #spliced(response: string, more: [string, string][] = []): string {
    return spliceTopLevel(Buffer.from(response), new Map([...this.#fields, ...more])).toString();
  }
}
