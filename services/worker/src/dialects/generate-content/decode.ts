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
import { asItCame, WholeBody } from '../whole-body.ts';
import { Candidates, type CandidatesOptions } from './decode-candidates.ts';
import { Endings, laterUsage, readUsage } from './decode-finish.ts';

/** How an answer is given: as the upstream's own bytes, or in parts. */
export type StreamTarget = { verbatim: true } | CandidatesOptions;

/** Reads chunks, each of which is a whole answer of what is new, into events. */
class Chunks {
  readonly #endings = new Endings();
  /** Undefined where the bytes are passed on. */
  readonly #candidates: Candidates | undefined;
  readonly #expected: number;
  #usage: GenerateContentUpstreamUsage | undefined;
  characters = 0;

  constructor(target: StreamTarget) {
    this.#candidates = 'tools' in target ? new Candidates(target) : undefined;
    this.#expected = 'tools' in target ? target.choices : 1;
  }

  /** Every candidate that was asked for has its reason to end. */
  get complete(): boolean {
    return this.#endings.isComplete(this.#expected);
  }

  get usage(): Usage | null {
    return this.#usage ? readUsage(this.#usage) : null;
  }

  /** @throws GatewayError for a chunk that is broken, or tells of a failure */
  add(chunk: GenerateContentUpstreamAnswer): GenerateEvent[] {
    if (chunk.error) throw answerFailure(chunk.error);
    if (chunk.usageMetadata) this.#usage = laterUsage(this.#usage, chunk.usageMetadata);
    this.#endings.note(chunk);
    for (const { content } of chunk.candidates ?? [])
      for (const part of content?.parts ?? []) this.characters += charactersOf(part);
    return this.#candidates?.add(chunk) ?? [];
  }

  /** An upstream may give fewer candidates than it was asked for. @throws GatewayError for an answer that is cut off */
  end(): GenerateEvent[] {
    if (!this.#endings.isComplete(1))
      throw new GatewayError('upstream', 'The upstream ended its answer too early.');
    const { usage } = this;
    return this.#candidates?.end(this.#endings, usage) ?? [{ type: 'finish', ...this.#endings.of(0), usage }];
  }
}

/** Looks at each chunk of a stream once, and gives on its bytes or what it means. The format has no end mark. */
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

  /** The bytes of events that are whole now; where there are none, what that means. */
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
    const told: string[] = [];
    let plain = this.#verbatim && isPlain(whole);
    try {
      for (const event of this.#source.read(whole)) {
        const { data } = event;
        plain &&= !saysNothing.has(data) && !data.includes('\n');
        if (saysNothing.has(data)) continue;
        events.push(...this.#chunks.add(parseChunk(event)));
        told.push(data);
      }
    } catch (thrown) {
      const shown = this.#verbatim ? verbatim(reframed(told)) : events;
      return [...shown, ...this.#fail(asGatewayError(thrown))];
    }
    return this.#verbatim ? verbatim(plain ? whole : reframed(told)) : events;
  }

  #fail(error: GatewayError): GenerateEvent[] {
    this.#over = true;
    return [toErrorEvent(error)];
  }
}

/** Passes a whole answer or a count of tokens on byte for byte, once all of it is here and found to be one. */
export class WholeDecoder extends WholeBody {
  protected decode(bytes: Buffer): GenerateEvent[] {
    try {
      const ending = readEnding(parseJson(bytes.toString('utf8')));
      return [asItCame(bytes), ...ending];
    } catch (thrown) {
      return [toErrorEvent(asGatewayError(thrown))];
    }
  }
}

/** How a whole answer ended. @throws GatewayError for what is none, or failed */
function readEnding(body: unknown): GenerateEvent[] {
  if (generateContentTokenCount.safeParse(body).success)
    return [{ type: 'finish', reason: 'stop', raw: null, usage: null }];
  if (!isAnswer(body)) throw new GatewayError('upstream', 'The upstream sent a malformed answer.');
  const chunks = new Chunks({ verbatim: true });
  chunks.add(asChunk(body));
  return chunks.end();
}

/** The events of an answer that came whole, or as an array of chunks, where events were asked for; undefined for what is none. */
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

/** Whether it has anything that only an answer has, or an error. */
function isAnswer(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return ['candidates', 'promptFeedback', 'usageMetadata', 'error'].some(name => name in value);
}

function parseChunk(event: StreamEvent): GenerateContentUpstreamAnswer {
  const value = eventJson(event, parser(event.data));
  // An error may come in a list of one.
  return asChunk(Array.isArray(value) ? value[0] : value);
}

/** @throws GatewayError for a chunk whose fields have the wrong types */
function asChunk(value: unknown): GenerateContentUpstreamAnswer {
  const parsed = generateContentUpstreamAnswer.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new GatewayError('upstream', 'The upstream sent a malformed event.', {}, { cause: parsed.error });
}

/** Undefined for what is no JSON. */
function parseJson(text: string): unknown {
  return readJson(text, parser(text));
}

/** Only arguments may hold numbers that must stay as they were. */
function parser(text: string): (text: string) => unknown {
  return text.includes('"functionCall"') ? parseExact : JSON.parse;
}

/** How much a part adds to the text of an answer, for whoever must guess at its tokens. */
function charactersOf({ text, functionCall }: GenerateContentUpstreamPart): number {
  return (text?.length ?? 0) + (functionCall ? JSON.stringify(functionCall.args ?? {}).length : 0);
}

/** What compatible upstreams send where the format has nothing: its end mark is another's. */
const saysNothing = new Set(['', '[DONE]']);

/** Whether events are nothing but a line of data each, as clients of the format need them: they fail at all else. */
function isPlain(whole: Buffer): boolean {
  return !/^(?!data: )[^\r\n]/m.test(whole.toString('latin1'));
}

/** Events with nothing but their data, on one line: where it had several, these are parted by space that means nothing. */
function reframed(told: readonly string[]): Buffer {
  return Buffer.from(told.map(data => sseEvent(data.replaceAll('\n', ' '))).join(''));
}

function asGatewayError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  throw error;
}

function verbatim(bytes: Buffer): GenerateEvent[] {
  return bytes.length === 0 ? [] : [{ type: 'verbatim', bytes }];
}

/** An upstream's count of the tokens of a request. */
export function readCount(body: unknown): number | undefined {
  return generateContentTokenCount.safeParse(body).data?.totalTokens;
}
