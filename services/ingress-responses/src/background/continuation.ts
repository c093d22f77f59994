import { splitEvents } from '@model-gateway/sse';

type Fields = Record<string, unknown>;

/** An event, or deltas of one place that follow each other. */
interface Step {
  /** What it is, without its number and, of deltas, without their text. */
  what: string;
  /** Of deltas. */
  text?: string;
}

/**
 * Goes on with events that an earlier attempt has written. Another attempt tells everything anew: what is already there is
 * left out, and what follows is numbered on. That holds only as long as both say the same.
 */
export class Continuation {
  readonly #written: Step[] = [];
  #place = 0;
  /** How much of the step's text was told again. */
  #told = 0;
  #number: number;
  /** The attempt says something else than what was written. */
  diverged = false;

  constructor(written: readonly string[], number: number) {
    this.#number = number;
    for (const event of written) this.#keep(event);
  }

  /** The events of `text` that are not there yet. */
  push(text: string): string {
    return splitEvents(text)
      .map(event => this.#event(event))
      .join('');
  }

  #keep(event: string): void {
    const step = stepOf(event);
    if (!step) return;
    const last = this.#written.at(-1);
    if (step.text !== undefined && last?.what === step.what) last.text += step.text;
    else this.#written.push(step);
  }

  #event(event: string): string {
    const step = stepOf(event);
    const expected = this.#written[this.#place];
    if (this.diverged || (!step && expected)) return '';
    if (!step) return event;
    if (!expected) return this.#numbered(event);
    if (step.what !== expected.what) return this.#diverge();
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
    this.diverged = true;
    return '';
  }

  #numbered(event: string): string {
    return event.replace(/"sequence_number":\s*\d+/, `"sequence_number":${this.#number++}`);
  }
}

function fieldsOf(event: string): Fields | undefined {
  const data = /^data: ?([^\r\n]*)/m.exec(event)?.[1];
  return data?.startsWith('{') ? JSON.parse(data) : undefined;
}

function stepOf(event: string): Step | undefined {
  const fields = fieldsOf(event);
  if (!fields) return undefined;
  const { sequence_number: _, delta, obfuscation: _noise, ...rest } = fields;
  const what = JSON.stringify(rest);
  return typeof delta === 'string' ? { what, text: delta } : { what };
}

function withDelta(event: string, delta: string): string {
  const fields = { ...fieldsOf(event), delta };
  return event.replace(/^data: ?[^\r\n]*/m, () => `data: ${JSON.stringify(fields)}`);
}
