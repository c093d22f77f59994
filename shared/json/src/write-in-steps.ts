import { jsonStep, type Turn } from './parse-in-steps.ts';

/** Bounds of a text that is written. */
export interface WriteBounds {
  /** Characters that are written in one step. */
  step?: number;
  /** The most bytes of the text. */
  limit?: number;
  /** Takes room for bytes before they are written: for the estimated length of all, then for what exceeds it. It may throw. */
  take?: ((bytes: number) => void) | undefined;
  /** Ends the writing once it has aborted. */
  signal?: Pick<AbortSignal, 'throwIfAborted'> | undefined;
}

/** A text that would be longer than its limit. */
export class JsonTooLargeError extends RangeError {
  /** In bytes. */
  readonly limit: number;

  constructor(limit: number) {
    super(`The JSON text is larger than ${limit} bytes.`);
    this.limit = limit;
  }
}

/**
 * Returns the bytes of `JSON.stringify(value)`, in pieces. Large values are written in steps of about `step`
 * characters, so that they do not block the event loop.
 * @throws JsonTooLargeError over the limit; whatever `take` or the signal throws
 */
export async function writeInSteps(
  value: unknown,
  turn: Turn,
  { step = jsonStep, limit = Number.POSITIVE_INFINITY, take, signal }: WriteBounds = {},
): Promise<Buffer[]> {
  const scale = new Scale(step, limit);
  const weight = scale.weigh(value);
  take?.(weight);
  const written = new Written(turn, {
    step,
    limit,
    taken: take ? weight : Number.POSITIVE_INFINITY,
    take,
    signal,
  });
  if (weight <= step || !(typeof value === 'string' || isContainer(value))) {
    written.add(JSON.stringify(value));
    return written.end();
  }
  await turn();
  signal?.throwIfAborted();
  await new SteppedWriter(written, scale.large, step).value(value);
  return written.end();
}

/** True if a value is written in steps. */
export function isLargeJson(value: unknown, step = jsonStep): boolean {
  return weighUpTo(step, value) > step;
}

/** Estimates a value's length as JSON, in characters: without escapes. Stops once it exceeds `most`. */
export function jsonWeight(value: unknown, most = Number.POSITIVE_INFINITY): number {
  return weighUpTo(most, value);
}

const numberWeight = 16;
const otherWeight = 4;

/** Estimates the length of values as JSON, in characters, and finds the large ones. */
class Scale {
  /** Containers that are longer than a step. */
  readonly large = new Map<object, number>();
  readonly #step: number;
  readonly #limit: number;
  #sum = 0;

  constructor(step: number, limit: number) {
    this.#step = step;
    this.#limit = limit;
  }

  /** @throws JsonTooLargeError as soon as the values together exceed the limit */
  weigh(value: unknown): number {
    if (typeof value === 'string') return this.#add(value.length);
    if (typeof value === 'number') return this.#add(numberWeight);
    if (!isContainer(value)) return this.#add(otherWeight);
    let weight = this.#add(otherWeight);
    for (const [key, member] of entries(value))
      weight += this.#add(otherWeight + key.length) + this.weigh(member);
    if (weight > this.#step) this.large.set(value, weight);
    return weight;
  }

  #add(weight: number): number {
    this.#sum += weight;
    if (this.#sum > this.#limit) throw new JsonTooLargeError(this.#limit);
    return weight;
  }
}

/** Estimates like {@link Scale}, but stops once the length exceeds `most`. */
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

/** The bounds of a text, and the bytes that room was taken for. */
interface WrittenBounds extends WriteBounds {
  step: number;
  limit: number;
  taken: number;
}

/** The text written so far, converted to bytes a step at a time. */
class Written {
  readonly #turn: Turn;
  readonly #bounds: WrittenBounds;
  readonly #pieces: Buffer[] = [];
  #bytes = 0;
  #text = '';

  constructor(turn: Turn, bounds: WrittenBounds) {
    this.#turn = turn;
    this.#bounds = bounds;
  }

  add(text: string): void {
    this.#text += text;
  }

  /** Ends the step if it has written enough. */
  async next(): Promise<void> {
    if (this.#text.length < this.#bounds.step) return;
    this.#flush();
    await this.#turn();
    this.#bounds.signal?.throwIfAborted();
  }

  end(): Buffer[] {
    this.#flush();
    return this.#pieces;
  }

  #flush(): void {
    const piece = Buffer.from(this.#text);
    this.#text = '';
    this.#bytes += piece.length;
    const { limit, taken, take } = this.#bounds;
    if (this.#bytes > limit) throw new JsonTooLargeError(limit);
    if (this.#bytes > taken) {
      take?.(this.#bytes - taken);
      this.#bounds.taken = this.#bytes;
    }
    this.#pieces.push(piece);
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
