import { type GatewayError, toErrorEvent } from '@model-gateway/canonical';
import type { InputBody } from '@model-gateway/formats/upstream';
import { isJsonObject, jsonStep, parseInSteps, type Turn } from '@model-gateway/json';
import { nextTurn } from '@model-gateway/service';
import type { AttemptEnd } from './attempt-record.ts';
import type { AttemptOptions } from './exchange.ts';
import { type Redacted, redact } from './redact.ts';

/** The most characters of a message that the ledger keeps. */
export const maxKept = 500;

/** The answer to an attempt that failed. */
interface Answered {
  status: number;
  /** The message of the error in its body, in the upstream's own words. */
  said: string | undefined;
}

type Words = Pick<AttemptEnd, 'upstreamStatus' | 'upstreamMessage'>;

/**
 * Returns what the ledger keeps of an upstream's words about a failed attempt: without secrets, and without what they quote of the
 * request. The gateway's own words take their place if the upstream had none.
 */
export async function wordsOf(
  error: GatewayError,
  { input, storesErrors, call }: Pick<AttemptOptions, 'input' | 'storesErrors' | 'call'>,
  answered: Answered | undefined,
  secrets: Redacted | undefined,
): Promise<Words> {
  const status = answered && { upstreamStatus: answered.status };
  if (!storesErrors || !secrets) return { ...status };
  const message = redact(answered?.said ?? ownWords(error), secrets);
  const turn = () => nextTurn(undefined, call.envelope.token.id);
  const upstreamMessage = await withoutQuotes(beginningOf(message), input, turn).catch(() => '');
  return { ...status, ...(upstreamMessage && { upstreamMessage }) };
}

/** Returns as much of a message as the ledger keeps. */
export function beginningOf(message: string): string {
  return message.length > maxKept ? `${message.slice(0, maxKept - 1)}…` : message;
}

/** Returns the gateway's message, with the code of the operating system for a connection that failed. */
function ownWords(error: GatewayError): string {
  const { code } = (error.cause ?? {}) as { code?: unknown };
  const isCode = typeof code === 'string' && /^[A-Z][A-Z_]{2,40}$/.test(code);
  return `${toErrorEvent(error).message}${isCode ? ` (${code})` : ''}`;
}

async function withoutQuotes(message: string, input: InputBody, turn: Turn): Promise<string> {
  const quotes = new Quotes(message);
  for (const text of textsOf(await requestOf(input, turn))) {
    await look(quotes, text, turn);
    // The text of a tool's arguments is JSON in a text, and what a program wrote may be quoted as it was meant.
    if (text.includes('\\')) await look(quotes, unescaped(text), turn);
  }
  return quotes.rest;
}

function requestOf(input: InputBody, turn: Turn): unknown {
  if (input.body === 'canonical') return input.request;
  if (input.body === 'form') return Object.fromEntries(input.form.fields);
  return parseInSteps(input.text.toString('utf8'), turn);
}

async function look(quotes: Quotes, text: string, turn: Turn): Promise<void> {
  for (let from = 0; from < text.length; from += jsonStep) {
    if (from > 0) await turn();
    quotes.look(text, from, from + jsonStep);
  }
}

/** Members that hold the arguments or the result of a tool as an object, in some format. */
const structured = new Set([
  ...['arguments', 'args', 'input', 'output', 'response', 'result'],
  ...['data', 'document', 'json'],
]);
/** Members of a request that errors of upstreams name. */
const namedMembers = new Set(['model']);
/** The longest text that is parsed for its values. */
const maxParsed = 64 * 1024;

/** Returns the texts of a request: its prompts, and the arguments and results of tools. The name of its model is none of them. */
export function textsOf(request: unknown): string[] {
  const texts: string[] = [];
  const members = isJsonObject(request) ? Object.entries(request) : [];
  for (const [name, value] of members) if (!namedMembers.has(name)) collect(value, '', texts);
  return texts;
}

/** Collects the texts of a value. `name`: its member's; undefined in a value that was written as a whole. */
function collect(value: unknown, name: string | undefined, texts: string[]): void {
  if (typeof value === 'string') {
    if (value.length >= quotedLength) texts.push(value);
    const mayBeJson = name !== undefined && value.length <= maxParsed && /^\s*[{[]/.test(value);
    if (mayBeJson) addWritings(parsed(value), texts);
  } else if (typeof value === 'object' && value !== null) {
    const isList = Array.isArray(value);
    // A prompt may be a list of numbers of tokens.
    const isNumbers = isList && typeof value[0] === 'number';
    const isWritten = name !== undefined && (structured.has(name) || isNumbers);
    if (isWritten) addWritings(value, texts);
    if (isNumbers) return;
    const isInside = isWritten || name === undefined;
    for (const [key, each] of Object.entries(value))
      collect(each, isInside ? undefined : isList ? name : key, texts);
  }
}

/** Adds the ways in which servers write a value of JSON: close together, with spaces, and as Python shows it. */
function addWritings(value: unknown, texts: string[]): void {
  if (typeof value !== 'object' || value === null) return;
  const close = JSON.stringify(value);
  const spaced = close.replace(/"(?:[^"\\]|\\.)*"|[,:]/g, part => (part.length === 1 ? `${part} ` : part));
  texts.push(close, spaced, spaced.replaceAll('"', "'"));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

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
