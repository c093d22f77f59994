/** The length of the shortest quotation, in characters. */
export const quotedLength = 20;
/** Replacement for a quotation. */
const omitted = '[…]';

/** The base of the rolling hash: odd, and not known to whoever writes the texts. */
const base = Math.floor(Math.random() * 2 ** 32) | 1;
/** The factor by which a character that leaves the window has been multiplied. */
const leaving = Array.from({ length: quotedLength }).reduce<number>(power => Math.imul(power, base), 1);
const filterSize = 1 << 16;

/** A message as it is, or with its escapes replaced by their characters. */
interface Reading {
  text: string;
  /** The place in the message of each character, and its end. */
  at: number[];
}

/** Finds what a message quotes: runs of {@link quotedLength} characters that a text has, too. Takes time linear in the texts. */
export class Quotes {
  readonly #message: string;
  readonly #readings: Reading[];
  /** The runs of the message that no text had yet, by their hash. */
  readonly #wanted = new Map<number, string[]>();
  /** 1 for a part of the hashes of these runs. */
  readonly #filter = new Uint8Array(filterSize);
  readonly #found = new Set<string>();

  constructor(message: string) {
    this.#message = message;
    const read = readingOf(message);
    const literal = { text: message, at: Array.from({ length: message.length + 1 }, (_, i) => i) };
    this.#readings = read.text === message ? [literal] : [literal, read];
    for (const { text } of this.#readings) this.#want(text);
  }

  #want(text: string): void {
    for (let at = 0; at + quotedLength <= text.length; at++) {
      const run = text.slice(at, at + quotedLength);
      const hash = hashOf(run);
      const known = this.#wanted.get(hash) ?? [];
      if (known.includes(run)) continue;
      this.#wanted.set(hash, [...known, run]);
      this.#filter[filterOf(hash)] = 1;
    }
  }

  /** Looks for runs of a text that begin in a part of it. */
  look(text: string, from = 0, to = text.length): void {
    const filter = this.#filter;
    const end = Math.min(text.length, to + quotedLength - 1);
    let hash = 0;
    for (let i = from; i < end; i++) {
      const at = i + 1 - quotedLength;
      hash = Math.imul(hash, base) + text.charCodeAt(i);
      if (at > from) hash -= Math.imul(text.charCodeAt(at - 1), leaving);
      hash |= 0;
      if (at >= from && filter[filterOf(hash)] === 1) this.#compare(hash, text, at);
    }
  }

  #compare(hash: number, text: string, at: number): void {
    const runs = this.#wanted.get(hash);
    const run = runs?.find(each => text.startsWith(each, at));
    if (!runs || run === undefined) return;
    this.#found.add(run);
    this.#wanted.set(
      hash,
      runs.filter(other => other !== run),
    );
  }

  /** The message without what it quotes. */
  get rest(): string {
    if (this.#found.size === 0) return this.#message;
    const quoted = new Uint8Array(this.#message.length);
    for (const { text, at } of this.#readings)
      for (let i = 0; i + quotedLength <= text.length; i++)
        if (this.#found.has(text.slice(i, i + quotedLength))) quoted.fill(1, at[i], at[i + quotedLength]);
    let rest = '';
    for (let i = 0; i < quoted.length; i++)
      if (quoted[i] === 0) rest += this.#message[i];
      else if (i === 0 || quoted[i - 1] === 0) rest += omitted;
    return rest.toWellFormed();
  }
}

function hashOf(run: string): number {
  let hash = 0;
  for (let i = 0; i < run.length; i++) hash = (Math.imul(hash, base) + run.charCodeAt(i)) | 0;
  return hash;
}

function filterOf(hash: number): number {
  return (hash ^ (hash >>> 16)) & (filterSize - 1);
}

const escapes = /\\(?:u([0-9a-f]{4})|x([0-9a-f]{2})|([^ux]))/gis;
/** By the letter after the backslash. */
const named: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** Replaces the escapes of JSON and of program texts by their characters. */
export function unescaped(text: string): string {
  return text.replace(escapes, (_, wide, narrow, plain) => characterOf(wide ?? narrow, plain));
}

function characterOf(code: string | undefined, plain = ''): string {
  return code === undefined ? (named[plain] ?? plain) : String.fromCharCode(Number.parseInt(code, 16));
}

/** Returns a message with its escapes replaced. */
function readingOf(message: string): Reading {
  const at: number[] = [];
  let end = 0;
  const readTo = (index: number) => {
    for (; end < index; end++) at.push(end);
  };
  for (const { 0: escaped, index } of message.matchAll(escapes)) {
    readTo(index);
    at.push(index);
    end = index + escaped.length;
  }
  readTo(message.length + 1);
  return { text: unescaped(message), at };
}
