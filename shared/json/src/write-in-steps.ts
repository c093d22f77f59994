import { jsonStep, type Turn } from './parse-in-steps.ts';

/**
 * Returns the bytes of `JSON.stringify(value)`, in pieces. Large values are written in steps of about `step`
 * characters, so that they do not block the event loop.
 */
export async function writeInSteps(value: unknown, turn: Turn, step = jsonStep): Promise<Buffer[]> {
  const weights = new Map<object, number>();
  const weight = weigh(value, step, weights);
  if (weight <= step || !(typeof value === 'string' || isContainer(value)))
    return [Buffer.from(JSON.stringify(value))];
  await turn();
  const written = new Written(turn, step);
  const writer = new SteppedWriter(written, weights, step);
  await writer.value(value);
  return written.end();
}

/** True if a value is written in steps. */
export function isLargeJson(value: unknown, step = jsonStep): boolean {
  return weighUpTo(step, value) > step;
}

const numberWeight = 16;
const otherWeight = 4;

/** Estimates a value's length as JSON, in characters. Adds containers longer than `step` to `large`. */
function weigh(value: unknown, step: number, large: Map<object, number>): number {
  if (typeof value === 'string') return value.length;
  if (typeof value === 'number') return numberWeight;
  if (!isContainer(value)) return otherWeight;
  let weight = otherWeight;
  for (const [key, member] of entries(value)) weight += otherWeight + key.length + weigh(member, step, large);
  if (weight > step) large.set(value, weight);
  return weight;
}

/** Estimates like `weigh`, but stops once the length exceeds `most`. */
function weighUpTo(most: number, value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value === 'number') return numberWeight;
  if (!isContainer(value)) return otherWeight;
  let weight = otherWeight;
  for (const [key, member] of entries(value)) {
    weight += otherWeight + key.length + weighUpTo(most - weight, member);
    if (weight > most) break;
  }
  return weight;
}

function* entries(value: object): Generator<[string, unknown]> {
  if (Array.isArray(value)) for (const item of value) yield ['', item];
  else yield* Object.entries(value);
}

/** True for an object or array that JSON writes member by member: without `toJSON`, and not raw JSON. */
function isContainer(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  return !('toJSON' in value) && !raw.isRawJSON(value);
}

/** A function that JavaScript has since 2025 and TypeScript's library does not declare yet. */
const raw = JSON as unknown as { isRawJSON(value: unknown): boolean };

/** The text written so far, converted to bytes a step at a time. */
class Written {
  readonly #turn: Turn;
  readonly #step: number;
  readonly #pieces: Buffer[] = [];
  #text = '';

  constructor(turn: Turn, step: number) {
    this.#turn = turn;
    this.#step = step;
  }

  add(text: string): void {
    this.#text += text;
  }

  /** Ends the step if it has written enough. */
  async next(): Promise<void> {
    if (this.#text.length < this.#step) return;
    this.#flush();
    await this.#turn();
  }

  end(): Buffer[] {
    this.#flush();
    return this.#pieces;
  }

  #flush(): void {
    this.#pieces.push(Buffer.from(this.#text));
    this.#text = '';
  }
}

/** Splits a value only where it is large; runs of smaller members are written together. */
class SteppedWriter {
  readonly #written: Written;
  readonly #large: ReadonlyMap<object, number>;
  readonly #step: number;

  constructor(written: Written, large: ReadonlyMap<object, number>, step: number) {
    this.#written = written;
    this.#large = large;
    this.#step = step;
  }

  /** Writes a large value. */
  value(value: unknown): Promise<void> {
    if (typeof value === 'string') return this.#string(value);
    return Array.isArray(value) ? this.#array(value) : this.#object(value as Record<string, unknown>);
  }

  async #string(text: string): Promise<void> {
    this.#written.add('"');
    for (let at = 0; at < text.length; ) {
      const cut = at + this.#step;
      const end = splitsPair(text, cut) ? cut + 1 : cut;
      this.#written.add(within(text.slice(at, end)));
      at = end;
      await this.#written.next();
    }
    this.#written.add('"');
  }

  async #array(list: readonly unknown[]): Promise<void> {
    let before = '[';
    const put = async (run: unknown[]) => {
      this.#written.add(before + within(run));
      before = ',';
      await this.#written.next();
    };
    let run: unknown[] = [];
    let weight = 0;
    for (const item of list) {
      const large = this.#isLarge(item);
      if (run.length > 0 && (large || weight > this.#step)) {
        await put(run);
        run = [];
        weight = 0;
      }
      if (large) {
        this.#written.add(before);
        before = ',';
        await this.value(item);
      } else {
        run.push(item);
        weight += otherWeight + weighUpTo(this.#step, item);
      }
    }
    if (run.length > 0) await put(run);
    this.#written.add(before === '[' ? '[]' : ']');
  }

  async #object(object: Record<string, unknown>): Promise<void> {
    let before = '{';
    const put = async (run: [string, unknown][]) => {
      // Members that are undefined are left out; they may be all of the run.
      const text = within(Object.fromEntries(run));
      if (text === '') return;
      this.#written.add(before + text);
      before = ',';
      await this.#written.next();
    };
    let run: [string, unknown][] = [];
    let weight = 0;
    for (const [key, value] of Object.entries(object)) {
      const large = this.#isLarge(key) || this.#isLarge(value);
      if (run.length > 0 && (large || weight > this.#step)) {
        await put(run);
        run = [];
        weight = 0;
      }
      if (large && value !== undefined) {
        this.#written.add(before);
        before = ',';
        await this.#any(key);
        this.#written.add(':');
        await this.#any(value);
      } else {
        run.push([key, value]);
        weight += otherWeight + key.length + weighUpTo(this.#step, value);
      }
    }
    if (run.length > 0) await put(run);
    this.#written.add(before === '{' ? '{}' : '}');
  }

  #isLarge(value: unknown): boolean {
    return typeof value === 'string' ? value.length > this.#step : this.#large.has(value as object);
  }

  async #any(value: unknown): Promise<void> {
    if (this.#isLarge(value)) await this.value(value);
    else this.#written.add(JSON.stringify(value));
  }
}

/** Returns the JSON of a string, array or object without its enclosing characters. */
function within(value: unknown): string {
  return JSON.stringify(value).slice(1, -1);
}

/** True if the offset splits a surrogate pair. */
function splitsPair(text: string, at: number): boolean {
  const [before, after] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}
