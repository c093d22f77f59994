import { compilePattern, type Logging } from '@model-gateway/catalog';
import { type JsonScalar, joinScalars, splitScalars, type Turn } from '@model-gateway/json';
import { kinds, markOf, type Redact, secretName, secrets } from './kinds.ts';

/** A text that is being captured, of which the beginning is kept. */
export interface Capture {
  /** True for JSON, and for events of JSON. */
  readonly isJson: boolean;
  add(bytes: Buffer): void;
  /** Returns what was kept; `cut` if there was more. */
  end(): { text: string; cut: boolean };
}

/** Takes room for bytes that are kept, or gives it back if they are negative; returns false if there is none. */
export type TakeRoom = (bytes: number) => boolean;

const quote = 0x22;
const backslash = 0x5c;

/** Keeps the beginning of a JSON text. Strings of base64 are replaced by marks, so that they take no room. */
export class JsonExcerpt implements Capture {
  readonly isJson = true;
  readonly #kept: KeptBytes;
  /** The string that is open, with its quote. */
  #string: KeptBytes | undefined;
  readonly #most: number;
  readonly #take: TakeRoom;
  /** True if the last byte escapes the next one. */
  #escapes = false;

  constructor(most: number, take: TakeRoom) {
    this.#most = most;
    this.#take = take;
    this.#kept = new KeptBytes(most, take);
  }

  add(bytes: Buffer): void {
    for (let at = 0; at < bytes.length && !this.#kept.isFull; ) {
      const end = this.#string ? this.#stringEnd(bytes, at) : afterQuote(bytes, at);
      const piece = bytes.subarray(at, end.at);
      if (this.#string) {
        this.#string.add(piece);
        if (end.found) this.#closeString();
      } else {
        this.#kept.add(end.found ? piece.subarray(0, -1) : piece);
        if (end.found) {
          this.#string = new KeptBytes(this.#most, this.#take);
          this.#string.add(bytes.subarray(end.at - 1, end.at));
        }
      }
      at = end.at;
    }
  }

  end(): { text: string; cut: boolean } {
    if (this.#string) this.#closeString();
    return this.#kept.end();
  }

  #closeString(): void {
    const string = this.#string as KeptBytes;
    this.#string = undefined;
    const { text, cut } = string.end();
    string.release();
    const data = markOfData(text.slice(1, cut ? undefined : -1), string.length - 2);
    this.#kept.add(Buffer.from(data === undefined ? text : `"${data}"`));
    if (cut && data === undefined) this.#kept.isFull = true;
  }

  /** Returns the offset after the quote that closes the string. */
  #stringEnd(bytes: Buffer, from: number): End {
    for (let at = from; ; ) {
      const close = bytes.indexOf(quote, at);
      const slashes = backslashesBefore(bytes, close < 0 ? bytes.length : close, from);
      const reachesStart = (close < 0 ? bytes.length : close) - slashes === from;
      const escaped = (slashes % 2 === 1) !== (reachesStart && this.#escapes);
      if (close < 0) {
        this.#escapes = escaped;
        return { at: bytes.length, found: false };
      }
      if (!escaped) {
        this.#escapes = false;
        return { at: close + 1, found: true };
      }
      at = close + 1;
    }
  }
}

/** Keeps the beginning of a text that is not JSON. */
export class TextExcerpt implements Capture {
  readonly isJson = false;
  readonly #kept: KeptBytes;

  constructor(most: number, take: TakeRoom) {
    this.#kept = new KeptBytes(most, take);
  }

  add(bytes: Buffer): void {
    this.#kept.add(bytes);
  }

  end(): { text: string; cut: boolean } {
    return this.#kept.end();
  }
}

/** Keeps nothing of a body that is neither JSON nor text. */
export class OmittedBody implements Capture {
  readonly isJson = false;
  readonly #mediaType: string;
  #bytes = 0;

  constructor(mediaType: string) {
    this.#mediaType = mediaType;
  }

  add(bytes: Buffer): void {
    this.#bytes += bytes.length;
  }

  end(): { text: string; cut: boolean } {
    return { text: `[${this.#bytes} bytes of ${this.#mediaType} omitted]`, cut: false };
  }
}

interface End {
  at: number;
  found: boolean;
}

function afterQuote(bytes: Buffer, from: number): End {
  const open = bytes.indexOf(quote, from);
  return open < 0 ? { at: bytes.length, found: false } : { at: open + 1, found: true };
}

function backslashesBefore(bytes: Buffer, end: number, from: number): number {
  let count = 0;
  while (end - count > from && bytes[end - count - 1] === backslash) count++;
  return count;
}

/** The first bytes of a text. */
class KeptBytes {
  readonly #most: number;
  readonly #take: TakeRoom;
  readonly #pieces: Buffer[] = [];
  #bytes = 0;
  /** Number of all bytes. */
  length = 0;
  isFull = false;

  constructor(most: number, take: TakeRoom) {
    this.#most = most;
    this.#take = take;
  }

  add(bytes: Buffer): void {
    this.length += bytes.length;
    const room = Math.min(bytes.length, this.#most - this.#bytes);
    if (room < bytes.length) this.isFull = true;
    if (room === 0 || !this.#take(room)) return;
    // A copy: the body's own memory is freed once the request has ended.
    this.#pieces.push(Buffer.from(bytes.subarray(0, room)));
    this.#bytes += room;
  }

  end(): { text: string; cut: boolean } {
    return { text: beginning(Buffer.concat(this.#pieces), this.#most), cut: this.isFull };
  }

  release(): void {
    this.#take(-this.#bytes);
  }
}

/** Returns the text of at most `most` bytes, without a character that is cut off. */
export function beginning(bytes: Buffer, most: number): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, most), { stream: true });
}

/** The fewest characters of base64 that are omitted. */
const least = 256;
/** Characters of a long string that are looked at. */
const sampled = 1_024;

const dataUrl = /^data:[^,"]{0,200};base64,/;
/** In JSON, `/` may be escaped. */
const alphabet = /^[A-Za-z0-9+/_=\\-]+$/;
/** Data has letters of both cases and digits, or is a run of zero bytes, such as silence. */
const mixed = /^(?:(?=.*[A-Z])(?=.*[a-z])(?=.*\d)|A{64})/;
const within = /(data:[\w.+-]+\/[\w.+-]+(?:;[\w=.-]+)?;base64,)([A-Za-z0-9+/_=-]{64,})/g;

/**
 * Returns a mark with the size for a string that is data in base64, or a data URL of it; undefined for any other string.
 * `begin` is at least the first characters, `length` the number of all.
 */
export function markOfData(begin: string, length: number): string | undefined {
  const head = dataUrl.exec(begin.slice(0, sampled))?.[0] ?? '';
  const sample = begin.slice(head.length, sampled);
  if (length - head.length < least || !alphabet.test(sample)) return undefined;
  return head || mixed.test(sample) ? head + mark(length - head.length) : undefined;
}

/** Replaces data URLs within a text by marks with their sizes. */
function omitData(text: string): string {
  if (!text.includes(';base64,')) return text;
  return text.replace(within, (_, head: string, data: string) => head + mark(data.length));
}

function mark(characters: number): string {
  return `[${Math.floor((characters * 3) / 4)} bytes omitted]`;
}

/** Members that hold pieces of the answer's text, in which redaction would find nothing. */
const inPieces: ReadonlySet<string> = new Set(['logprobs', 'logprobsResult', 'top_logprobs', 'topLogprobs']);

/** Replaces what a project redacts, in texts of its requests and answers. Secrets are always replaced. */
export class Redactor {
  readonly #steps: readonly Redact[];

  /** @throws Error if a regular expression is invalid */
  constructor({ redact = [] }: Logging) {
    const own = redact.map((redaction): Redact => {
      if (typeof redaction === 'string') return kinds[redaction];
      const pattern = compilePattern(redaction.pattern);
      return text => pattern.matcher(text).replaceAll(() => markOf(redaction.name));
    });
    this.#steps = [omitData, ...secrets, ...own];
  }

  /** `secret` is a further text to replace. `turn` separates the steps of work on a large text. */
  async redact(text: string, isJson: boolean, turn: Turn, secret?: string): Promise<string> {
    const mark = markOf('secret');
    const known: Redact[] = secret ? [piece => piece.replaceAll(secret, mark)] : [];
    const steps = [...known, ...this.#steps];
    if (!isJson) return run(steps, [{ raw: text, value: text }], turn).then(([only]) => only?.value ?? '');
    const pieces = splitScalars(text, inPieces);
    const scalars = pieces.filter(piece => typeof piece !== 'string');
    const original = scalars.map(({ value }) => value);
    for (const scalar of scalars) if (scalar.name && secretName.test(scalar.name)) scalar.value = mark;
    await run(steps, scalars, turn);
    return joinScalars(pieces, original);
  }
}

async function run(steps: readonly Redact[], scalars: JsonScalar[], turn: Turn): Promise<JsonScalar[]> {
  for (const step of steps) {
    for (const scalar of scalars) scalar.value = step(scalar.value);
    await turn();
  }
  return scalars;
}
