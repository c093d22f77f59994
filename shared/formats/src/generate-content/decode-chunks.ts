import type {
  ChoiceEndEvent,
  Ending,
  FinishEvent,
  GenerateEvent,
  StartEvent,
  Usage,
} from '@model-gateway/canonical';
import { parseExact } from '@model-gateway/json';
import { answerFailure } from '../upstream/decode-google-failure.ts';
import type { Translation } from '../upstream/event-stream.ts';
import { finishReason, throwIfFailed } from '../upstream/finish-reason.ts';
import { laterTotals, OneChoice } from '../upstream/loose-events.ts';
import { wellFormed } from '../upstream/malformed.ts';
import { eventJson, isBlank, type StreamEvent } from '../upstream/read-json.ts';
import {
  type GenerateContentUpstreamAnswer,
  type GenerateContentUpstreamPart,
  type GenerateContentUpstreamUsage,
  generateContentUpstreamAnswer,
} from './answer.ts';
import { Parts, type PartsOptions } from './decode-parts.ts';
import { unspecified } from './finish.ts';
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

export interface CandidatesOptions extends PartsOptions {
  /** The number of candidates requested. */
  choices: number;
}

/** Turns chunks into events, candidate by candidate. */
export class Candidates {
  readonly #options: CandidatesOptions;
  readonly #candidates = new Map<number, Parts>();
  /** Held back until the response has a part, so that failover stays possible until then. */
  #start: StartEvent | undefined;
  #begun = false;

  constructor(options: CandidatesOptions) {
    this.#options = options;
  }

  /** @throws GatewayError for a malformed part */
  add({
    candidates,
    responseId,
    modelVersion,
    usageMetadata,
  }: GenerateContentUpstreamAnswer): GenerateEvent[] {
    this.#start ??= {
      type: 'start',
      id: responseId ?? '',
      model: modelVersion ?? '',
      ...(usageMetadata && { usage: readUsage(usageMetadata) }),
    };
    const events = (candidates ?? []).flatMap(({ index, content, groundingMetadata: grounding }) => {
      const number = index ?? 0;
      if (number >= this.#options.choices) return [];
      const parts = this.#parts(number);
      const partEvents = (content?.parts ?? []).flatMap(part => parts.add(part));
      if (grounding) parts.ground(grounding);
      return withChoice(number, partEvents);
    });
    return events.length > 0 ? this.#begin(events) : events;
  }

  /** Ends the candidates and the response. */
  end(endings: Endings, usage: Usage | null): GenerateEvent[] {
    const first = endings.of(0);
    const events = [...this.#candidates].flatMap(([choice, parts]) => {
      const end: ChoiceEndEvent[] = choice > 0 ? [{ type: 'choice-end', choice, ...endings.of(choice) }] : [];
      return [...withChoice(choice, parts.end()), ...end];
    });
    return this.#begin([...events, { type: 'finish', ...first, usage }]);
  }

  #parts(number: number): Parts {
    const found = this.#candidates.get(number);
    if (found) return found;
    const { seed } = this.#options;
    const parts = new Parts({ ...this.#options, seed: number === 0 ? seed : `${seed}.${number}` });
    this.#candidates.set(number, parts);
    return parts;
  }

  /** Puts the start event before the first part. */
  #begin(events: GenerateEvent[]): GenerateEvent[] {
    if (this.#begun) return events;
    this.#begun = true;
    return [this.#start ?? { type: 'start', id: '', model: '' }, ...events];
  }
}

function withChoice(choice: number, events: GenerateEvent[]): GenerateEvent[] {
  return choice === 0 ? events : events.map(event => ({ ...event, choice }) as GenerateEvent);
}

/** Tracks which candidates have begun and ended, over all chunks of a response. */
export class Endings {
  readonly #begun = new Set<number>();
  /** Candidates that called a function: the format has no finish reason for that. */
  readonly #called = new Set<number>();
  readonly #ends = new Map<number, Ending>();
  #blocked: Ending | undefined;

  /** @throws GatewayError for a candidate that failed */
  note({ candidates, promptFeedback }: GenerateContentUpstreamAnswer): void {
    for (const { index, content, finishReason: raw, finishMessage } of candidates ?? []) {
      const number = index ?? 0;
      this.#begun.add(number);
      if (content?.parts?.some(({ functionCall }) => functionCall)) this.#called.add(number);
      if (!raw || unspecified.test(raw)) continue;
      throwIfFailed(raw);
      this.#ends.set(number, ending(raw, finishMessage));
    }
    const { blockReason: raw, blockReasonMessage: explanation } = promptFeedback ?? {};
    if (raw && !unspecified.test(raw))
      this.#blocked = { reason: 'content-filter', raw, ...(explanation && { explanation }) };
  }

  /** True if every candidate has ended and there are as many as expected, or if the prompt is blocked, at the start or later. */
  isComplete(expected: number): boolean {
    if (this.#blocked) return true;
    return this.#begun.size > 0 && this.#ends.size === this.#begun.size && this.#ends.size >= expected;
  }

  /** Returns how a candidate ended. A normal stop with calls becomes `tool-calls`. */
  of(candidate: number): Ending {
    const end = this.#ends.get(candidate) ?? this.#blocked ?? { reason: 'stop', raw: null };
    return end.reason === 'stop' && this.#called.has(candidate) ? { ...end, reason: 'tool-calls' } : end;
  }
}

function ending(raw: string, message: string | null | undefined): Ending {
  const reason = finishReason(raw);
  return { reason, raw, ...(reason === 'content-filter' && message && { explanation: message }) };
}
