import { readSignature } from '@model-gateway/formats';
import { memberText, spliceTopLevel } from '@model-gateway/json';
import { splitEvents } from '@model-gateway/sse';

type Fields = Record<string, unknown>;

/** One event, or consecutive deltas of the same part. */
interface Step {
  /**
   * The event as JSON, without its sequence number, the text of a delta, and values that differ per attempt.
   */
  what: string;
  /** The text of the deltas. */
  text?: string;
}

/** The ids of an item. `call_id` links a call to its output. */
const ids = ['id', 'call_id'] as const;

/**
 * Continues the events that an earlier attempt wrote. The retry streams the whole response again. Events that
 * are already written are dropped. Later events continue the numbering and use the ids that were written. If
 * the retry produces different content, the continuation has diverged.
 */
export class Continuation {
  readonly #written: Step[] = [];
  /** The items of `output_item.added` and of `output_item.done`, by output index. */
  readonly #begun = new Map<unknown, Fields>();
  readonly #done = new Map<unknown, string>();
  /** The ids that were written, by the ids of this attempt; both as in JSON, without quotes. */
  readonly #names = new Map<string, string>();
  /** The output indexes of the items whose ids are replaced. */
  readonly #renamedItems = new Set<unknown>();
  /** The index of the next written step. */
  #place = 0;
  /** The number of characters of that step's text that the attempt has repeated. */
  #repeated = 0;
  #number: number;
  #diverged = false;

  constructor(written: readonly string[], number: number) {
    this.#number = number;
    for (const event of written) this.#addWritten(event);
  }

  /** True if the attempt's content differs from what was written. */
  get diverged(): boolean {
    return this.#diverged;
  }

  /** Returns the events of `text` that are not yet written. */
  push(text: string): string {
    return splitEvents(text)
      .map(event => this.#event(event))
      .join('');
  }

  /**
   * Returns the final response with the items of the stream. The continuation diverges if the attempt ends
   * before all written events were repeated.
   */
  end(response: string): string {
    if (this.#place < this.#written.length) this.#diverged = true;
    return this.#whole(response);
  }

  #addWritten(event: string): void {
    const fields = fieldsOf(event);
    const step = stepOf(fields);
    if (!fields || !step) return;
    const { type, output_index: index, item } = fields;
    if (type === 'response.output_item.added') this.#begun.set(index, item as Fields);
    if (type === 'response.output_item.done') this.#done.set(index, itemOf(event));
    const last = this.#written.at(-1);
    if (step.text !== undefined && last?.what === step.what) last.text += step.text;
    else this.#written.push(step);
  }

  #event(received: string): string {
    const event = this.#renamed(received);
    const fields = fieldsOf(event);
    const step = stepOf(fields);
    const expected = this.#written[this.#place];
    if (this.#diverged || (!step && expected)) return '';
    if (!expected) return this.#numbered(this.#newEvent(event, fields));
    if (!step || step.what !== expected.what) return this.#diverge();
    if (step.text === undefined || expected.text === undefined) {
      this.#place++;
      return '';
    }
    if (expected.text.startsWith(step.text, this.#repeated))
      return this.#repeat(step.text.length, expected.text);
    const rest = expected.text.slice(this.#repeated);
    const isLast = this.#place === this.#written.length - 1;
    if (!isLast || !step.text.startsWith(rest)) return this.#diverge();
    this.#place++;
    return this.#numbered(withDelta(event, step.text.slice(rest.length)));
  }

  #repeat(length: number, all: string): string {
    this.#repeated += length;
    if (this.#repeated < all.length) return '';
    this.#repeated = 0;
    this.#place++;
    return '';
  }

  #diverge(): string {
    this.#diverged = true;
    return '';
  }

  /** Replaces this attempt's ids by the ids that were written. */
  #renamed(event: string): string {
    if (event.includes('output_item.added')) this.#mapIds(fieldsOf(event));
    if (this.#names.size === 0) return event;
    // An id is a whole string, which is between two quotes.
    return event
      .split('"')
      .map(text => this.#names.get(text) ?? text)
      .join('"');
  }

  #mapIds({ type, output_index: index, item = {} }: Fields = {}): void {
    const begun = this.#begun.get(index);
    if (type !== 'response.output_item.added' || !begun) return;
    for (const key of ids) {
      const [name, written] = [(item as Fields)[key], begun[key]];
      if (typeof name !== 'string' || typeof written !== 'string' || name === written) continue;
      this.#names.set(inJson(name), inJson(written));
      if (key === 'id') this.#renamedItems.add(index);
    }
  }

  /** Returns an event that is not yet written. A completed item replaces the one that was begun. */
  #newEvent(event: string, fields: Fields | undefined): string {
    if (!fields) return event;
    const { type, output_index: index } = fields;
    if (type === 'response.output_item.done') {
      const item = this.#renamedItems.has(index) ? withoutSignature(itemOf(event)) : itemOf(event);
      this.#done.set(index, item);
      return withMember(event, 'item', item);
    }
    const response = 'response' in fields ? memberText(dataOf(event), 'response') : undefined;
    return response ? withMember(event, 'response', this.#whole(response)) : event;
  }

  #whole(response: string): string {
    if (this.#done.size === 0) return response;
    const output = [...this.#done].sort(([a], [b]) => Number(a) - Number(b)).map(([, item]) => item);
    return spliceTopLevel(Buffer.from(response), new Map([['output', `[${output.join(',')}]`]])).toString();
  }

  #numbered(event: string): string {
    return event.replace(/"sequence_number":\s*\d+/, () => `"sequence_number":${this.#number++}`);
  }
}

/** Returns a text as it is between the quotes of a JSON string. */
function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function dataOf(event: string): Buffer {
  return Buffer.from(/^data: ?([^\r\n]*)/m.exec(event)?.[1] ?? '');
}

function fieldsOf(event: string): Fields | undefined {
  const data = dataOf(event).toString();
  return data.startsWith('{') ? JSON.parse(data) : undefined;
}

function itemOf(event: string): string {
  return memberText(dataOf(event), 'item') ?? '{}';
}

/** Returns undefined for events without content of the response. */
function stepOf(fields: Fields | undefined): Step | undefined {
  if (!fields || fields.type === 'keepalive') return undefined;
  const { sequence_number: _, delta, obfuscation: _noise, ...rest } = fields;
  // The fields of the response object are not content: only the event type counts.
  const what = JSON.stringify('response' in rest ? rest.type : rest, withoutEncrypted);
  return typeof delta === 'string' ? { what, text: delta } : { what };
}

/** Omits `encrypted_content`: the same reasoning is encrypted differently in each attempt. */
function withoutEncrypted(key: string, value: unknown): unknown {
  return key === 'encrypted_content' ? undefined : value;
}

/** Removes the vendor's signature, which is valid only for the item id that it was made with. */
function withoutSignature(item: string): string {
  const { encrypted_content: signature } = JSON.parse(item) as Fields;
  if (readSignature(typeof signature === 'string' ? signature : null, 'responses')?.format !== 'responses')
    return item;
  return spliceTopLevel(Buffer.from(item), new Map([['encrypted_content', null]])).toString();
}

function withDelta(event: string, delta: string): string {
  return withMember(event, 'delta', JSON.stringify(delta));
}

function withMember(event: string, name: string, value: string): string {
  const data = spliceTopLevel(dataOf(event), new Map([[name, value]])).toString();
  return event.replace(/^data: ?[^\r\n]*/m, () => `data: ${data}`);
}
