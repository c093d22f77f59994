import type { FinishEvent, GenerateEvent, Usage } from '@model-gateway/canonical';
import { parseExact } from '@model-gateway/json';
import { sseEvent } from '@model-gateway/sse';
import { answerFailure } from '../upstream/decode-google-failure.ts';
import type { Decoder } from '../upstream/dialect.ts';
import { TranslatedEvents } from '../upstream/event-stream.ts';
import { editEvent, laterTotals, OneChoice, withoutError } from '../upstream/loose-events.ts';
import { cutOff, errorEvents, malformed, wellFormed } from '../upstream/malformed.ts';
import { PassedEvents, type PassedReader } from '../upstream/passed-events.ts';
import { eventJson, isBlank, objectIn, readJson, type StreamEvent } from '../upstream/read-json.ts';
import { verbatimBody, WholeBody } from '../upstream/whole-body.ts';
import { Candidates, type CandidatesOptions, Endings } from './decode-candidates.ts';
import {
  type GenerateContentUpstreamAnswer,
  type GenerateContentUpstreamPart,
  type GenerateContentUpstreamUsage,
  generateContentTokenCount,
  generateContentUpstreamAnswer,
} from './upstream-answer.ts';
import { readUsage } from './usage.ts';

/**
 * The decoder's output: the upstream's bytes, or translated parts. `wantsOne`: true if one candidate is requested; if absent, it is not
 * known.
 */
export type StreamOutput = { verbatim: true; wantsOne?: () => boolean } | CandidatesOptions;

type Candidate = NonNullable<GenerateContentUpstreamAnswer['candidates']>[number];

export function decodeStream(output: StreamOutput): Decoder {
  if ('verbatim' in output) return new PassedEvents(new Chunks(1, output.wantsOne ?? (() => false)));
  const candidates = new Candidates(output);
  const chunks = new Chunks(output.choices);
  return new TranslatedEvents(chunks, {
    add: chunk => candidates.add(chunk),
    end: () => candidates.end(chunks.endings, chunks.usage),
  });
}

/**
 * Reads the usage, the errors and the end of a response. Each chunk of a stream is a response with only the new
 * content. The format has no end mark.
 */
class Chunks implements PassedReader<GenerateContentUpstreamAnswer> {
  readonly endMark = 'ignored';
  readonly mark = '';
  readonly parser = parser;
  readonly endings = new Endings();
  readonly #expected: number;
  readonly #one: OneChoice;
  readonly #ended = new Set<number>();
  hasContent = false;
  /** True if the last finish reason came with content. */
  #endsWithContent = false;
  /** True if content followed a finish reason. */
  #goesOn = false;
  #usage: GenerateContentUpstreamUsage | undefined;
  /** Searches of the web. */
  #searches = 0;
  characters = 0;

  /** `expected` is the number of candidates requested; `wantsOne` returns true if it is one for sure. */
  constructor(expected: number, wantsOne = () => expected === 1) {
    this.#expected = expected;
    this.#one = new OneChoice(wantsOne);
  }

  /** True if every requested candidate has a finish reason. One that content followed is no sign of the end. */
  get complete(): boolean {
    return this.endings.isComplete(this.#expected) && !this.#goesOn;
  }

  get mayGoOn(): boolean {
    return this.#endsWithContent || !this.#usage;
  }

  /** True if a candidate has a finish reason. An upstream may send fewer than requested. */
  get valid(): boolean {
    return this.endings.isComplete(1);
  }

  get usage(): Usage | null {
    return this.#usage ? readUsage(this.#usage, this.#searches) : null;
  }

  read(event: StreamEvent): GenerateContentUpstreamAnswer | undefined {
    const value = eventJson(event, parser(event.data));
    // Some errors arrive in a list of one.
    const chunk = this.note(Array.isArray(value) ? value[0] : value);
    if (chunk.error && !Array.isArray(value)) editEvent(event, withoutError);
    return chunk;
  }

  /** Records a chunk. @throws GatewayError for a malformed chunk or one that holds an error */
  note(value: unknown): GenerateContentUpstreamAnswer {
    const chunk = wellFormed(generateContentUpstreamAnswer, value);
    if (isFailure(chunk)) throw answerFailure(chunk.error);
    if (chunk.candidates) this.#one.place(chunk.candidates);
    if (chunk.usageMetadata) this.#usage = laterTotals(this.#usage, chunk.usageMetadata);
    this.endings.note(chunk);
    for (const candidate of chunk.candidates ?? []) {
      const { content, groundingMetadata: grounding } = candidate;
      this.#noteEnd(candidate);
      this.#searches = Math.max(this.#searches, grounding?.webSearchQueries?.length ?? 0);
      for (const part of content?.parts ?? []) this.characters += charactersOf(part);
    }
    return chunk;
  }

  #noteEnd({ index, content, finishReason }: Candidate): void {
    const says = content?.parts?.some(({ text }) => text !== '') ?? false;
    if (says) {
      this.hasContent = true;
      this.#goesOn ||= this.#ended.has(index ?? 0);
    }
    if (!finishReason) return;
    this.#ended.add(index ?? 0);
    this.#endsWithContent = says;
    if (!says) this.#goesOn = false;
  }

  /** Returns events of one data line each: clients of the format fail on anything else. */
  passed(whole: Buffer, events: readonly StreamEvent[]): Buffer {
    const passed = events.filter(({ sent }) => sent !== '');
    const isPlain = !passed.some(({ data }) => data.includes('\n')) && hasOnlyData(whole);
    return isPlain ? whole : reframed(passed.map(({ data }) => data));
  }

  finish(): FinishEvent {
    return { type: 'finish', ...this.endings.of(0), usage: this.usage };
  }
}

/** Passes a non-streamed response or a token count unchanged, once it is complete and valid. */
export class WholeDecoder extends WholeBody {
  protected decode(bytes: Buffer): GenerateEvent[] {
    const body = parseJson(bytes.toString('utf8'));
    const end = readEnding(body);
    return [verbatimBody(bytes, objectIn(body)), end];
  }
}

/** Returns the end of a non-streamed response. @throws GatewayError if it is malformed or failed */
function readEnding(body: unknown): FinishEvent {
  if (generateContentTokenCount.safeParse(body).success)
    return { type: 'finish', reason: 'stop', raw: null, usage: null };
  if (!isAnswer(body)) throw malformed('answer', 'it is neither an answer nor a token count');
  const chunks = new Chunks(1);
  chunks.note(body);
  if (!chunks.valid && !chunks.hasContent) throw cutOff();
  return chunks.finish();
}

/** Decodes a response or an array of chunks sent in place of a stream. Undefined if the body is neither. */
export function decodeBody(body: Buffer, options: CandidatesOptions): GenerateEvent[] | undefined {
  const value = parseJson(body.toString('utf8'));
  const list = Array.isArray(value) ? value : [value];
  if (!isAnswer(list[0]) || isFailure(list[0])) return undefined;
  const chunks = new Chunks(options.choices);
  const candidates = new Candidates(options);
  const events: GenerateEvent[] = [];
  try {
    for (const value of list) for (const event of candidates.add(chunks.note(value))) events.push(event);
    // A list is a stream, whose last chunk has the reason.
    if (!chunks.valid && !(chunks.hasContent && !Array.isArray(value))) throw cutOff();
    return [...events, ...candidates.end(chunks.endings, chunks.usage)];
  } catch (thrown) {
    return [...events, ...errorEvents(thrown)];
  }
}

/** True for a chunk that is an error. Some servers send an error without content beside good candidates or usage. */
function isFailure({ error, candidates, usageMetadata }: GenerateContentUpstreamAnswer): boolean {
  return Boolean(error) && !(isBlank(error) && (candidates || usageMetadata));
}

/** True if the value has a field of a response, or an error. */
function isAnswer(value: unknown): value is GenerateContentUpstreamAnswer {
  if (typeof value !== 'object' || value === null) return false;
  return ['candidates', 'promptFeedback', 'usageMetadata', 'error'].some(name => name in value);
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

/** True if every line that is not empty is a data line. */
function hasOnlyData(whole: Buffer): boolean {
  return !/^(?!data: )[^\r\n]/m.test(whole.toString('latin1'));
}

/** Writes events with one data line each. Line breaks within the JSON become spaces. */
function reframed(passed: readonly string[]): Buffer {
  return Buffer.from(passed.map(data => sseEvent(data.replaceAll('\n', ' '))).join(''));
}

/** Reads an upstream's token count of a request. */
export function readCount(body: unknown): number | undefined {
  return generateContentTokenCount.safeParse(body).data?.totalTokens;
}
