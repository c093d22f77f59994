import type { FinishEvent, Usage } from '@model-gateway/canonical';
import { parseExact } from '@model-gateway/json';
import { answerFailure } from '../upstream/decode-google-failure.ts';
import type { Translation } from '../upstream/event-stream.ts';
import { laterTotals, OneChoice } from '../upstream/loose-events.ts';
import { wellFormed } from '../upstream/malformed.ts';
import { eventJson, isBlank, type StreamEvent } from '../upstream/read-json.ts';
import { Candidates, type CandidatesOptions, Endings } from './decode-candidates.ts';
import {
  type GenerateContentUpstreamAnswer,
  type GenerateContentUpstreamPart,
  type GenerateContentUpstreamUsage,
  generateContentUpstreamAnswer,
} from './upstream-answer.ts';
import { readUsage } from './usage.ts';

type Candidate = NonNullable<GenerateContentUpstreamAnswer['candidates']>[number];

/** Returns the translation of the chunks that `chunks` reads. */
export function translation(
  options: CandidatesOptions,
  chunks: Chunks,
): Translation<GenerateContentUpstreamAnswer> {
  const candidates = new Candidates(options);
  return {
    add: chunk => candidates.add(chunk),
    end: () => candidates.end(chunks.endings, chunks.usage),
  };
}

/**
 * Reads the usage, the errors and the end of a response. Each chunk of a stream is a response with only the new
 * content. The format has no end mark.
 */
export class Chunks {
  readonly endMark = 'ignored';
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

  read(event: StreamEvent, _whole: Buffer): GenerateContentUpstreamAnswer {
    return this.note(event);
  }

  /** Parses and records a chunk. @throws GatewayError for a malformed chunk or one that holds an error */
  note(event: StreamEvent): GenerateContentUpstreamAnswer {
    const value = eventJson(event, parser(event.data));
    // Some errors arrive in a list of one.
    return this.record(Array.isArray(value) ? value[0] : value);
  }

  /** Records a chunk. @throws GatewayError for a malformed chunk or one that holds an error */
  record(value: unknown): GenerateContentUpstreamAnswer {
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

  finish(): FinishEvent {
    return { type: 'finish', ...this.endings.of(0), usage: this.usage };
  }
}

/** True for a chunk that is an error. Some servers send an error without content beside good candidates or usage. */
export function isFailure({ error, candidates, usageMetadata }: GenerateContentUpstreamAnswer): boolean {
  return Boolean(error) && !(isBlank(error) && (candidates || usageMetadata));
}

/** Returns the JSON parser for a text. Only call arguments may hold numbers that must stay exact. */
export function parser(text: string): (text: string) => unknown {
  return text.includes('"functionCall"') ? parseExact : JSON.parse;
}

/** Counts the characters that a part adds to the response, for token estimates. */
function charactersOf({ text, functionCall }: GenerateContentUpstreamPart): number {
  return (text?.length ?? 0) + (functionCall ? JSON.stringify(functionCall.args ?? {}).length : 0);
}
