import type { Ending, FinishReason, GenerateEvent, StartEvent, Usage } from '@model-gateway/canonical';
import { answerFailure } from '../upstream/decode-openai-failure.ts';
import type { Translation } from '../upstream/event-stream.ts';
import { finishReason, laterReason } from '../upstream/finish-reason.ts';
import { laterTotals, OneChoice } from '../upstream/loose-events.ts';
import { malformed } from '../upstream/malformed.ts';
import { eventObject, objectIn, type StreamEvent } from '../upstream/read-json.ts';
import type { ChatChunk, ChatChunkChoice, ChatUsage } from './answer.ts';
import { CallPlaces, charactersOf, errorIn, hasContent, moveContent, throwFailed } from './decode-loose.ts';
import { type AnswerOptions, AnswerParts } from './decode-parts.ts';
import { readUsage } from './usage.ts';

type Fields = Record<string, unknown>;

/** Returns the object in an event's data in the shape of a chunk; undefined if it is not an object. */
export type ReadFields = (event: StreamEvent) => Fields | undefined;

export interface ChunksOptions {
  /** Reads the data as JSON if absent. */
  readFields?: ReadFields;
  wantsOne?: (() => boolean) | undefined;
  /** Number of requested choices. If absent, one is expected and more are read. */
  choices?: number;
}

/** Returns the translation of the chunks that `chunks` reads. */
export function translation(options: ChoicesOptions, chunks: Chunks): Translation<ChatChunk> {
  const answer = new AnswerChoices(options);
  return { add: chunk => answer.add(chunk), end: () => answer.end(chunks.usage) };
}

/** Reads the usage, the errors and the end of each choice in the chunks of a stream. */
export class Chunks {
  readonly endMark = 'ends-valid';
  readonly #readFields: ReadFields;
  readonly #requested: number | undefined;
  readonly #choices = new Set<number>();
  readonly #finished = new Set<number>();
  readonly #one: OneChoice;
  readonly #calls = new CallPlaces();
  #hasContent = false;
  /** True if the last finish reason came with content. */
  #endsWithContent = false;
  /** True if content followed a finish reason. */
  #goesOn = false;
  #usage: ChatUsage | undefined;
  #tier: unknown;
  characters = 0;
  /** The last finish reason. */
  protected reason: string | null = null;
  /** True if the last chunk is not as clients of the format read it. */
  protected differs = false;

  constructor({ readFields = eventObject, wantsOne = () => false, choices }: ChunksOptions) {
    this.#readFields = readFields;
    this.#one = new OneChoice(wantsOne);
    this.#requested = choices;
  }

  get usage(): Usage | null {
    return this.#usage ? readUsage(this.#usage, this.#tier) : null;
  }

  /** True if every expected choice has ended. A finish reason that content followed is no sign of the end. */
  get complete(): boolean {
    return this.valid && this.#finished.size >= (this.#requested ?? 1) && !this.#goesOn;
  }

  get mayGoOn(): boolean {
    return this.#endsWithContent || !this.usage || !this.#anyContent;
  }

  /** True if every received choice has ended. An upstream may send fewer than requested. */
  get valid(): boolean {
    return this.#finished.size > 0 && this.#finished.size === this.#choices.size;
  }

  /** True if every received choice has ended, or if none has: some servers send no finish reason. */
  get validAtMark(): boolean {
    if (this.#finished.size > 0) return this.valid;
    return this.#choices.size > 0 && (this.usage !== null || this.#anyContent);
  }

  get #anyContent(): boolean {
    return this.#hasContent || this.characters > 0;
  }

  /** Counts text that was not parsed; returns false if there is none. */
  protected addText(characters: number | undefined): boolean {
    if (characters === undefined) return false;
    this.characters += characters;
    if (this.#finished.size > 0) this.#goesOn = true;
    return true;
  }

  read(event: StreamEvent, _whole: Buffer): ChatChunk | undefined {
    return this.note(event);
  }

  /** Parses and records a chunk. @throws GatewayError for a malformed chunk or one that holds an error */
  note(event: StreamEvent): ChatChunk {
    const fields = this.#readFields(event);
    const error = errorIn(fields) ?? (event.event === 'error' ? fields : undefined);
    if (error) throw answerFailure(error);
    const isMoved = moveContent(fields?.choices);
    const chunk = asChunk(fields);
    if (objectIn(chunk.usage)) this.#usage = laterTotals(this.#usage, chunk.usage as ChatUsage);
    this.#tier = chunk.service_tier ?? this.#tier;
    const isPlaced = chunk.choices ? this.#place(chunk.choices) : false;
    if (chunk.choices) for (const choice of chunk.choices) this.#note(choice);
    this.differs = isMoved || isPlaced || Boolean(chunk.error);
    return chunk;
  }

  /** Numbers choices and calls as clients do; returns true if one had another number. */
  #place(choices: ChatChunkChoice[]): boolean {
    const isOther = this.#one.place(choices);
    return this.#calls.place(choices) || isOther;
  }

  /** Records a choice's text and end. */
  #note(received: ChatChunkChoice): void {
    const requested = this.#requested;
    const { index, delta, finish_reason: reason } = received;
    const choice = index ?? 0;
    if (delta) this.characters += charactersOf(delta);
    if (requested !== undefined && !(choice < requested)) return;
    throwFailed(received);
    this.#choices.add(choice);
    const says = hasContent(delta);
    if (says) {
      this.#hasContent = true;
      this.#goesOn ||= this.#finished.has(choice);
    }
    if (!reason) return;
    this.reason = reason;
    this.#finished.add(choice);
    this.#endsWithContent = says;
    if (!says) this.#goesOn = false;
  }
}

/**
 * Returns the fields of a chunk or a whole response, after a check of the types that decoding relies on. It is
 * written by hand because a zod schema makes a verbatim stream a third slower.
 * @throws GatewayError for a wrong type
 */
export function asChunk(fields: Fields | undefined, what: 'event' | 'answer' = 'event'): ChatChunk {
  const choices = fields?.choices ?? [];
  if (!fields) throw malformed(what, 'it is not a JSON object');
  if (!Array.isArray(choices)) throw malformed(what, 'choices: is not a list');
  for (const choice of choices) {
    if (!isObject(choice)) throw malformed(what, 'choices: an entry is not an object');
    const { finish_reason: reason, delta } = choice;
    if (reason && typeof reason !== 'string') throw malformed(what, 'finish_reason: is not a text');
    if (isObject(delta) && !areCalls(delta.tool_calls))
      throw malformed(what, 'delta.tool_calls: is not a list of objects');
  }
  return fields;
}

function areCalls(calls: unknown): boolean {
  return calls === undefined || calls === null || (Array.isArray(calls) && calls.every(isObject));
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

export interface ChoicesOptions extends AnswerOptions {
  stop: readonly string[];
  /** Number of requested choices; 1 if absent. */
  choices?: number;
}

/** The state of one choice. */
interface Choice {
  parts: AnswerParts;
  raw: string | null;
  stopSequence?: string;
}

/** Turns the deltas of each choice into events. */
export class AnswerChoices {
  readonly #options: ChoicesOptions;
  readonly #stop: ReadonlySet<string>;
  readonly #choices = new Map<number, Choice>();
  /** Held back until the response has a part, so that a retry at another upstream stays possible. */
  #start: StartEvent | undefined;
  #started = false;

  constructor(options: ChoicesOptions) {
    this.#options = options;
    this.#stop = new Set(options.stop);
  }

  /** True if a choice was requested; some upstreams send more. */
  has(choice: number): boolean {
    return choice < (this.#options.choices ?? 1);
  }

  add({ id, model, choices }: ChatChunk): GenerateEvent[] {
    // Chunks without choices, such as Azure's prompt filter results, have an empty id and model.
    if (choices?.length) this.#start ??= { type: 'start', id: id ?? '', model: model ?? '' };
    const events: GenerateEvent[] = [];
    for (const { index, delta, finish_reason: raw, stop_reason: stop } of choices ?? []) {
      const number = index ?? 0;
      if (!this.has(number)) continue;
      const choice = this.#choice(number);
      if (delta) for (const event of ofChoice(number, choice.parts.add(delta))) events.push(event);
      if (!raw) continue;
      choice.raw = laterReason(choice.raw, raw);
      if (typeof stop === 'string' && this.#stop.has(stop)) choice.stopSequence = stop;
    }
    return events.length > 0 ? this.#begin(events) : events;
  }

  /**
   * Ends every choice and the response. `otherwise` is the reason of choices that have none.
   * @throws GatewayError for a tool call without a name
   */
  end(usage: Usage | null, otherwise = reasonless(usage)): GenerateEvent[] {
    const { parts, ...first } = this.#choice(0);
    const events: GenerateEvent[] = [];
    for (const [number, choice] of this.#choices) {
      for (const event of ofChoice(number, choice.parts.end())) events.push(event);
      if (number > 0) events.push({ type: 'choice-end', choice: number, ...ending(choice, otherwise) });
    }
    return this.#begin([...events, { type: 'finish', ...ending({ parts, ...first }, otherwise), usage }]);
  }

  #choice(number: number): Choice {
    const found = this.#choices.get(number);
    if (found) return found;
    const { seed } = this.#options;
    const parts = new AnswerParts({ ...this.#options, seed: number === 0 ? seed : `${seed}.${number}` });
    const choice: Choice = { parts, raw: null };
    this.#choices.set(number, choice);
    return choice;
  }

  /** Puts the start event before the first part. */
  #begin(events: GenerateEvent[]): GenerateEvent[] {
    if (this.#started) return events;
    this.#started = true;
    return [this.#start ?? { type: 'start', id: '', model: '' }, ...events];
  }
}

function ofChoice(choice: number, events: GenerateEvent[]): GenerateEvent[] {
  return choice === 0 ? events : events.map(event => ({ ...event, choice }) as GenerateEvent);
}

/** Derives the finish reason. Tool calls replace an ordinary end, and a refusal that or an unknown reason. */
function ending({ parts, raw, stopSequence }: Choice, otherwise: FinishReason): Ending {
  const reason = raw ? finishReason(raw) : otherwise;
  const ordinary = !raw || reason === 'stop' || reason === 'stop-sequence';
  if (ordinary && parts.called) return { reason: 'tool-calls', raw };
  if ((ordinary || reason === 'other') && parts.refused) return { reason: 'refusal', raw };
  return ordinary && stopSequence ? { reason: 'stop-sequence', raw, stopSequence } : { reason, raw };
}

/**
 * Returns the reason of a response that ended without one. Its usage, which comes last, tells that it is whole. The end mark alone does not:
 * some relays also send it after a response that was cut off.
 */
export function reasonless(usage: Usage | null): FinishReason {
  return usage ? 'stop' : 'length';
}

/** Returns the text of a chunk that tells nothing else; undefined for any other chunk. */
export function onlyText({ usage, choices }: ChatChunk): unknown {
  const [choice, ...others] = choices ?? [];
  if (!choice || others.length > 0 || usage || choice.finish_reason) return undefined;
  const { content, reasoning_content, tool_calls } = choice.delta ?? {};
  return reasoning_content || tool_calls ? undefined : content;
}
