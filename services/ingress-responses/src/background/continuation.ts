import { memberText, readSignature, spliceTopLevel } from '@model-gateway/canonical';
import { splitEvents } from '@model-gateway/sse';

type Fields = Record<string, unknown>;

/** An event, or deltas of one place that follow each other. */
interface Step {
  /** What it is, without its number and what two attempts never have in common; of deltas, without their text. */
  what: string;
  /** Of deltas. */
  text?: string;
}

/** Ids that name an item, and join a call with its output. */
const ids = ['id', 'call_id'] as const;

/**
 * Goes on with events that an earlier attempt has written. Another attempt tells everything anew: what is already there is
 * left out, and what follows is numbered on, under the ids that were written. That holds only as long as both say the same.
 */
export class Continuation {
  readonly #written: Step[] = [];
  /** The items as they were written first, and those that were told to their end. */
  readonly #begun = new Map<unknown, Fields>();
  readonly #done = new Map<unknown, string>();
  /** The ids of this attempt, and what they are called in what was written. */
  readonly #names = new Map<string, string>();
  #place = 0;
  /** How much of the step's text was told again. */
  #told = 0;
  #number: number;
  #diverged = false;

  constructor(written: readonly string[], number: number) {
    this.#number = number;
    for (const event of written) this.#keep(event);
  }

  /** The attempt says something else than what was written. */
  get diverged(): boolean {
    return this.#diverged;
  }

  /** The events of `text` that are not there yet. */
  push(text: string): string {
    return splitEvents(text)
      .map(event => this.#event(event))
      .join('');
  }

  /** The response that the attempt ends with, of the items that its stream told. An attempt that says less is another answer. */
  end(response: string): string {
    if (this.#place < this.#written.length) this.#diverged = true;
    return this.#whole(response);
  }

  #keep(event: string): void {
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

  #event(told: string): string {
    const event = this.#renamed(told);
    const fields = fieldsOf(event);
    const step = stepOf(fields);
    const expected = this.#written[this.#place];
    if (this.#diverged || (!step && expected)) return '';
    if (!expected) return this.#numbered(this.#further(event, fields));
    if (!step || step.what !== expected.what) return this.#diverge();
    if (step.text === undefined || expected.text === undefined) {
      this.#place++;
      return '';
    }
    const rest = expected.text.slice(this.#told);
    if (rest.startsWith(step.text)) return this.#tell(step.text.length, expected.text);
    const isLast = this.#place === this.#written.length - 1;
    if (!isLast || !step.text.startsWith(rest)) return this.#diverge();
    this.#place++;
    return this.#numbered(withDelta(event, step.text.slice(rest.length)));
  }

  #tell(length: number, all: string): string {
    this.#told += length;
    if (this.#told < all.length) return '';
    this.#told = 0;
    this.#place++;
    return '';
  }

  #diverge(): string {
    this.#diverged = true;
    return '';
  }

  /** What comes under the ids of this attempt, under those that were written. */
  #renamed(event: string): string {
    if (event.includes('output_item.added')) this.#learn(fieldsOf(event));
    let text = event;
    for (const [name, written] of this.#names) text = text.replaceAll(name, () => written);
    return text;
  }

  #learn({ type, output_index: index, item = {} }: Fields = {}): void {
    const begun = this.#begun.get(index);
    if (type !== 'response.output_item.added' || !begun) return;
    for (const key of ids) {
      const [name, written] = [(item as Fields)[key], begun[key]];
      if (typeof name === 'string' && typeof written === 'string' && name !== written)
        this.#names.set(JSON.stringify(name), JSON.stringify(written));
    }
  }

  /** An event that nobody has seen; its item is the one that was begun. */
  #further(event: string, fields: Fields | undefined): string {
    if (!fields) return event;
    const { type, output_index: index } = fields;
    if (type === 'response.output_item.done') {
      const item = this.#isRenamed(index) ? withoutProof(itemOf(event)) : itemOf(event);
      this.#done.set(index, item);
      return withMember(event, 'item', item);
    }
    const response = 'response' in fields ? memberText(dataOf(event), 'response') : undefined;
    return response ? withMember(event, 'response', this.#whole(response)) : event;
  }

  #isRenamed(index: unknown): boolean {
    const id = JSON.stringify(this.#begun.get(index)?.id);
    return [...this.#names.values()].includes(id);
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

/** Undefined for what says nothing of the answer. */
function stepOf(fields: Fields | undefined): Step | undefined {
  if (!fields || fields.type === 'keepalive') return undefined;
  const { sequence_number: _, delta, obfuscation: _noise, ...rest } = fields;
  // What a response says of itself before its end is not what was answered.
  const what = JSON.stringify('response' in rest ? rest.type : rest, withoutSecrets);
  return typeof delta === 'string' ? { what, text: delta } : { what };
}

/** The same thoughts are sealed anew each time. */
function withoutSecrets(key: string, value: unknown): unknown {
  return key === 'encrypted_content' ? undefined : value;
}

/** A vendor's proof holds for the id that it was made with. */
function withoutProof(item: string): string {
  const { encrypted_content: proof } = JSON.parse(item) as Fields;
  if (readSignature(typeof proof === 'string' ? proof : null, 'responses')?.format !== 'responses')
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
