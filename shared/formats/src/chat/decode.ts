import type { FinishEvent, GenerateEvent, Usage } from '@model-gateway/canonical';
import { EventReader, splitEvents, sseEvent } from '@model-gateway/sse';
import { answerFailure } from '../upstream/decode-openai-failure.ts';
import type { Decoder } from '../upstream/dialect.ts';
import { TranslatedEvents } from '../upstream/event-stream.ts';
import { finishReason } from '../upstream/finish-reason.ts';
import { editEvent, laterTotals, OneChoice, withoutError } from '../upstream/loose-events.ts';
import { errorEvents, malformed } from '../upstream/malformed.ts';
import { PassedEvents, type PassedReader } from '../upstream/passed-events.ts';
import { eventObject, objectIn, parseObject, type StreamEvent, TextEvents } from '../upstream/read-json.ts';
import { verbatimBody, WholeBody } from '../upstream/whole-body.ts';
import { type ChatChunk, type ChatChunkChoice, type ChatUsage, chatDone } from './answer.ts';
import {
  AnswerChoices,
  CallPlaces,
  type ChoicesOptions,
  charactersOf,
  errorIn,
  hasContent,
  moveContent,
  onlyText,
  reasonless,
  refuseLost,
  throwFailed,
  throwUnended,
} from './decode-choices.ts';
import { isUsageOnly, readUsage } from './usage.ts';

export { decodeFailure } from '../upstream/decode-openai-failure.ts';

/** The form of the decoded response: the upstream's bytes, or parts. */
export type StreamOutput =
  /**
   * Without `showUsage`, the chunk that holds only usage is not sent to the client. `wantsOne`: true if one choice is requested; if absent,
   * it is not known.
   */
  { showUsage: boolean; wantsOne?: () => boolean } | ChoicesOptions;

type Fields = Record<string, unknown>;

/** Returns the object in an event's data in the shape of a chunk; undefined if it is not an object. */
type ReadFields = (event: StreamEvent) => Fields | undefined;

export function decodeStream(output: StreamOutput, readFields: ReadFields = eventObject): Decoder {
  if (!('seed' in output)) return new PassedEvents(new Chunks({ readFields, ...output }));
  const answer = new AnswerChoices(output);
  const { choices = 1 } = output;
  const chunks = new Chunks({ readFields, choices, wantsOne: () => choices === 1 });
  return new TranslatedEvents(chunks, {
    add: chunk => answer.add(chunk),
    end: () => answer.end(chunks.usage),
  });
}

/** Decodes a stream that was sent in place of a whole response. */
export function decodeEvents(options: ChoicesOptions, readFields: ReadFields = eventObject): Decoder {
  return decodeStream(options, event => {
    const fields = readFields(event);
    if (Array.isArray(fields?.choices)) refuseLost(fields.choices, 'a stream instead of a complete response');
    return fields;
  });
}

interface ChunksOptions {
  readFields: ReadFields;
  showUsage?: boolean;
  wantsOne?: (() => boolean) | undefined;
  /** Number of requested choices. If absent, one is expected and more are read. */
  choices?: number;
}

/** Reads the usage, the errors and the end of each choice in the chunks of a stream. */
class Chunks implements PassedReader<ChatChunk> {
  readonly endMark = 'ends-valid';
  readonly mark = sseEvent(chatDone);
  readonly #options: ChunksOptions;
  readonly #choices = new Set<number>();
  readonly #finished = new Set<number>();
  readonly #one: OneChoice;
  readonly #calls = new CallPlaces();
  #reason: string | null = null;
  #hasContent = false;
  /** True if the last finish reason came with content. */
  #endsWithContent = false;
  /** True if content followed a finish reason. */
  #goesOn = false;
  #usage: ChatUsage | undefined;
  #tier: unknown;
  characters = 0;
  /** True if a chunk was read that must not be sent to the client. */
  #hide = false;
  /** Set if the stream is passed on, so that chunks of text need not be parsed. */
  readonly #texts: TextEvents | undefined;

  constructor(options: ChunksOptions) {
    this.#options = options;
    this.#one = new OneChoice(options.wantsOne ?? (() => false));
    if (options.showUsage !== undefined && options.readFields === eventObject) this.#texts = new TextEvents();
  }

  get usage(): Usage | null {
    return this.#usage ? readUsage(this.#usage, this.#tier) : null;
  }

  /** True if every expected choice has ended. A finish reason that content followed is no sign of the end. */
  get complete(): boolean {
    return this.valid && this.#finished.size >= (this.#options.choices ?? 1) && !this.#goesOn;
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

  readTexts(whole: Buffer): boolean {
    return this.#addText(this.#texts?.charactersIn(whole));
  }

  /** Counts text that was not parsed; returns false if there is none. */
  #addText(characters: number | undefined): boolean {
    if (characters === undefined) return false;
    this.characters += characters;
    if (this.#finished.size > 0) this.#goesOn = true;
    return true;
  }

  read(event: StreamEvent, whole: Buffer): ChatChunk | undefined {
    if (this.#addText(this.#texts?.charactersOf(event))) return undefined;
    const fields = this.#options.readFields(event);
    const error = errorIn(fields) ?? (event.event === 'error' ? fields : undefined);
    if (error) throw answerFailure(error);
    const isMoved = moveContent(fields?.choices);
    const chunk = asChunk(fields);
    if (objectIn(chunk.usage)) this.#usage = laterTotals(this.#usage, chunk.usage as ChatUsage);
    this.#tier = chunk.service_tier ?? this.#tier;
    this.#hide ||= !this.#options.showUsage && isUsageOnly(chunk);
    const isPlaced = chunk.choices ? this.#place(chunk.choices) : false;
    if (chunk.choices) for (const choice of chunk.choices) this.#note(choice);
    if (isMoved || isPlaced || chunk.error) this.#edit(event, chunk);
    else this.#texts?.learn(event, chunk, 'content', onlyText, whole);
    return chunk;
  }

  /** Numbers choices and calls as clients do; returns true if one had another number. */
  #place(choices: ChatChunkChoice[]): boolean {
    const isOther = this.#one.place(choices);
    return this.#calls.place(choices) || isOther;
  }

  /** Edits a chunk as clients of the format read it. */
  #edit(event: StreamEvent, { choices }: ChatChunk): void {
    const isOwn = this.#options.readFields === eventObject;
    editEvent(
      event,
      new Map([...withoutError, ...(isOwn ? [['choices', JSON.stringify(choices)] as const] : [])]),
    );
  }

  passed(whole: Buffer): Buffer {
    const passed = this.#hide ? withoutUsage(whole) : whole;
    this.#hide = false;
    return passed;
  }

  finish(): FinishEvent {
    return finish(this.#reason, this.usage);
  }

  /** Records a choice's text and end. */
  #note(received: ChatChunkChoice): void {
    const { choices: requested } = this.#options;
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
    this.#reason = reason;
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
function asChunk(fields: Fields | undefined, what: 'event' | 'answer' = 'event'): ChatChunk {
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

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

/** Passes a non-streamed response on byte for byte, after it was received and validated. */
export class WholeDecoder extends WholeBody {
  protected decode(bytes: Buffer): GenerateEvent[] {
    const body = parseObject(bytes.toString('utf8'));
    const end = readEnding(body);
    return [verbatimBody(this.filled(bytes, body ?? {}), body), end];
  }

  /** Returns the bytes with the fields that clients read and that the response lacks. */
  protected filled(bytes: Buffer, _fields: Fields): Buffer {
    return bytes;
  }
}

/** Reads how a non-streamed response ended. @throws GatewayError for an invalid or failed response */
function readEnding(fields: Fields | undefined): FinishEvent {
  const error = errorIn(fields);
  if (error) throw answerFailure(error);
  const { choices, usage, service_tier: tier } = asChunk(fields, 'answer');
  choices?.forEach(throwFailed);
  const [first] = choices ?? [];
  if (!first) throw malformed('answer', 'choices: is empty');
  choices?.forEach(throwUnended);
  return finish(first.finish_reason || null, usage ? readUsage(usage, tier) : null, 'stop');
}

/** Decodes a JSON body that was returned instead of a stream; undefined if it is not a response. */
export function decodeBody(
  body: Buffer,
  options: ChoicesOptions,
  readFields: (text: string) => Fields | undefined = parseObject,
): GenerateEvent[] | undefined {
  const fields = readFields(body.toString('utf8'));
  if (!fields || errorIn(fields) || !Array.isArray(fields.choices) || fields.choices.length === 0)
    return undefined;
  try {
    refuseLost(fields.choices, 'a complete response instead of a stream');
    const choices = fields.choices.map(choice =>
      isObject(choice) ? { ...choice, delta: choice.message ?? choice.delta } : choice,
    );
    moveContent(choices);
    const chunk = asChunk({ ...fields, choices });
    chunk.choices?.forEach(throwFailed);
    chunk.choices?.forEach(throwUnended);
    const answer = new AnswerChoices(options);
    return [
      ...answer.add(chunk),
      ...answer.end(chunk.usage ? readUsage(chunk.usage, chunk.service_tier) : null, 'stop'),
    ];
  } catch (thrown) {
    return errorEvents(thrown);
  }
}

/** `otherwise` is the reason of a response that has none. */
function finish(raw: string | null, usage: Usage | null, otherwise = reasonless(usage)): FinishEvent {
  return { type: 'finish', reason: raw ? finishReason(raw) : otherwise, raw, usage };
}

function withoutUsage(whole: Buffer): Buffer {
  const reader = new EventReader();
  const kept = splitEvents(whole.toString('utf8')).filter(event => {
    const chunk: ChatChunk | undefined = parseObject(reader.read(Buffer.from(event))[0]?.data ?? '');
    return !(chunk && isUsageOnly(chunk));
  });
  return Buffer.from(kept.join(''));
}
