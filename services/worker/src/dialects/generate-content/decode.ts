import {
  GatewayError,
  type GenerateEvent,
  parseExact,
  type Turn,
  toErrorEvent,
  type Usage,
} from '@model-gateway/canonical';
import { sseEvent } from '@model-gateway/sse';
import {
  type GenerateContentUpstreamAnswer,
  type GenerateContentUpstreamPart,
  type GenerateContentUpstreamUsage,
  generateContentTokenCount,
  generateContentUpstreamAnswer,
} from '@model-gateway/wire';
import { answerFailure, BareError } from '../decode-google-failure.ts';
import type { Decoder } from '../dialect.ts';
import { readJson, unreadable } from '../read-json.ts';
import { eventJson, type StreamEvent, StreamEvents } from '../stream-events.ts';
import { verbatimBody, WholeBody } from '../whole-body.ts';
import { Candidates, type CandidatesOptions } from './decode-candidates.ts';
import { Endings, laterUsage, readUsage } from './decode-finish.ts';

/** The decoder's output: the upstream's bytes, or translated parts. */
export type StreamTarget = { verbatim: true } | CandidatesOptions;

/** Turns chunks into events. Each chunk is a complete response object with only the new content. */
class Chunks {
  readonly #endings = new Endings();
  /** Undefined if the bytes pass verbatim. */
  readonly #candidates: Candidates | undefined;
  readonly #expected: number;
  #usage: GenerateContentUpstreamUsage | undefined;
  /** Characters of text and arguments so far. */
  characters = 0;

  constructor(target: StreamTarget) {
    this.#candidates = 'tools' in target ? new Candidates(target) : undefined;
    this.#expected = 'tools' in target ? target.choices : 1;
  }

  /** True if every requested candidate has a finish reason. */
  get complete(): boolean {
    return this.#endings.isComplete(this.#expected);
  }

  get usage(): Usage | null {
    return this.#usage ? readUsage(this.#usage) : null;
  }

  /** @throws GatewayError for a malformed chunk or one that holds an error */
  add(chunk: GenerateContentUpstreamAnswer): GenerateEvent[] {
    if (chunk.error) throw answerFailure(chunk.error);
    if (chunk.usageMetadata) this.#usage = laterUsage(this.#usage, chunk.usageMetadata);
    this.#endings.note(chunk);
    for (const { content } of chunk.candidates ?? [])
      for (const part of content?.parts ?? []) this.characters += charactersOf(part);
    return this.#candidates?.add(chunk) ?? [];
  }

  /** Ends the response. It may have fewer candidates than requested. @throws GatewayError if it is cut off */
  end(): GenerateEvent[] {
    if (!this.#endings.isComplete(1))
      throw new GatewayError('upstream', 'The upstream ended its answer too early.');
    const { usage } = this;
    return this.#candidates?.end(this.#endings, usage) ?? [{ type: 'finish', ...this.#endings.of(0), usage }];
  }
}

/** Decodes each chunk of a stream once, into verbatim bytes or events. The format has no end marker. */
export class StreamDecoder implements Decoder {
  readonly #source = new StreamEvents({ parser });
  readonly #bare = new BareError();
  readonly #chunks: Chunks;
  readonly #verbatim: boolean;
  #over = false;

  constructor(target: StreamTarget) {
    this.#chunks = new Chunks(target);
    this.#verbatim = 'verbatim' in target;
  }

  get complete(): boolean {
    return this.#chunks.complete && !this.#source.unfinished;
  }

  get usage(): Usage | null {
    return this.#chunks.usage;
  }

  get characters(): number {
    return this.#chunks.characters;
  }

  read(bytes: Buffer): GenerateEvent[] {
    const whole = this.#whole(bytes);
    return Buffer.isBuffer(whole) ? this.#events(whole) : whole;
  }

  readInSteps(bytes: Buffer, turn: Turn): GenerateEvent[] | Promise<GenerateEvent[]> {
    const whole = this.#whole(bytes);
    return Buffer.isBuffer(whole) ? this.#source.decode(whole, turn, () => this.#events(whole)) : whole;
  }

  /** Returns the bytes of the complete events; if there are none, the resulting events. */
  #whole(bytes: Buffer): Buffer | GenerateEvent[] {
    if (this.#over) return [];
    try {
      const whole = this.#source.push(bytes);
      this.#bare.note(bytes, whole);
      return whole.length === 0 ? [] : whole;
    } catch (cause) {
      return this.#fail(unreadable(cause));
    }
  }

  end(): GenerateEvent[] {
    if (this.#over) return [];
    const { error } = this.#bare;
    if (error) return this.#fail(answerFailure(error));
    if (this.#source.unfinished)
      return this.#fail(new GatewayError('upstream', 'The upstream ended its answer too early.'));
    try {
      const events = this.#chunks.end();
      this.#over = true;
      return events;
    } catch (thrown) {
      return this.#fail(asGatewayError(thrown));
    }
  }

  #events(whole: Buffer): GenerateEvent[] {
    const events: GenerateEvent[] = [];
    const passed: string[] = [];
    let plain = this.#verbatim && isPlain(whole);
    try {
      for (const event of this.#source.read(whole)) {
        const { data } = event;
        plain &&= !ignoredData.has(data) && !data.includes('\n');
        if (ignoredData.has(data)) continue;
        events.push(...this.#chunks.add(parseChunk(event)));
        passed.push(data);
      }
    } catch (thrown) {
      const before = this.#verbatim ? verbatim(reframed(passed)) : events;
      return [...before, ...this.#fail(asGatewayError(thrown))];
    }
    return this.#verbatim ? verbatim(plain ? whole : reframed(passed)) : events;
  }

  #fail(error: GatewayError): GenerateEvent[] {
    this.#over = true;
    return [toErrorEvent(error)];
  }
}

/** Passes a non-streamed response or a token count unchanged, once it is complete and valid. */
export class WholeDecoder extends WholeBody {
  protected decode(bytes: Buffer): GenerateEvent[] {
    try {
      const ending = readEnding(parseJson(bytes.toString('utf8')));
      return [verbatimBody(bytes), ...ending];
    } catch (thrown) {
      return [toErrorEvent(asGatewayError(thrown))];
    }
  }
}

/** Returns the end of a non-streamed response. @throws GatewayError if it is malformed or failed */
function readEnding(body: unknown): GenerateEvent[] {
  if (generateContentTokenCount.safeParse(body).success)
    return [{ type: 'finish', reason: 'stop', raw: null, usage: null }];
  if (!isAnswer(body)) throw new GatewayError('upstream', 'The upstream sent a malformed answer.');
  const chunks = new Chunks({ verbatim: true });
  chunks.add(asChunk(body));
  return chunks.end();
}

/** Decodes a response or an array of chunks sent in place of a stream. Undefined if the body is neither. */
export function decodeBody(body: Buffer, options: CandidatesOptions): GenerateEvent[] | undefined {
  const value = parseJson(body.toString('utf8'));
  const list = Array.isArray(value) ? value : [value];
  if (!isAnswer(list[0]) || (list[0] as GenerateContentUpstreamAnswer).error) return undefined;
  const chunks = new Chunks(options);
  const events: GenerateEvent[] = [];
  try {
    for (const chunk of list) events.push(...chunks.add(asChunk(chunk)));
    return [...events, ...chunks.end()];
  } catch (thrown) {
    return [...events, toErrorEvent(asGatewayError(thrown))];
  }
}

/** True if the value has a field of a response, or an error. */
function isAnswer(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return ['candidates', 'promptFeedback', 'usageMetadata', 'error'].some(name => name in value);
}

function parseChunk(event: StreamEvent): GenerateContentUpstreamAnswer {
  const value = eventJson(event, parser(event.data));
  // Some errors arrive in a list of one.
  return asChunk(Array.isArray(value) ? value[0] : value);
}

/** @throws GatewayError for a chunk with fields of the wrong types */
function asChunk(value: unknown): GenerateContentUpstreamAnswer {
  const parsed = generateContentUpstreamAnswer.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new GatewayError('upstream', 'The upstream sent a malformed event.', {}, { cause: parsed.error });
}

/** Parses JSON; undefined if it is invalid. */
function parseJson(text: string): unknown {
  return readJson(text, parser(text));
}

/** Returns the JSON parser for a text. Only call arguments may hold numbers that must stay exact. */
function parser(text: string): (text: string) => unknown {
  return text.includes('"functionCall"') ? parseExact : JSON.parse;
}

/** Counts the characters that a part adds to the response, for token estimates. */
function charactersOf({ text, functionCall }: GenerateContentUpstreamPart): number {
  return (text?.length ?? 0) + (functionCall ? JSON.stringify(functionCall.args ?? {}).length : 0);
}

/** Event data that compatible upstreams add and that this format does not have. */
const ignoredData = new Set(['', '[DONE]']);

/** True if each event is a single data line. Clients of the format fail on anything else. */
function isPlain(whole: Buffer): boolean {
  return !/^(?!data: )[^\r\n]/m.test(whole.toString('latin1'));
}

/** Writes events with one data line each. Line breaks within the JSON become spaces. */
function reframed(passed: readonly string[]): Buffer {
  return Buffer.from(passed.map(data => sseEvent(data.replaceAll('\n', ' '))).join(''));
}

function asGatewayError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  throw error;
}

function verbatim(bytes: Buffer): GenerateEvent[] {
  return bytes.length === 0 ? [] : [{ type: 'verbatim', bytes }];
}

/** Reads an upstream's token count of a request. */
export function readCount(body: unknown): number | undefined {
  return generateContentTokenCount.safeParse(body).data?.totalTokens;
}
