import { type FinishEvent, GatewayError, type GenerateEvent, type Usage } from '@model-gateway/canonical';
import { EventReader, splitEvents, sseEvent } from '@model-gateway/sse';
import {
  type ChatChunk,
  type ChatChunkChoice,
  type ChatDelta,
  type ChatUsage,
  chatDone,
} from '@model-gateway/wire';
import { answerFailure } from '../decode-openai-failure.ts';
import type { Decoder } from '../dialect.ts';
import { PassedEvents, type PassedReader } from '../event-stream.ts';
import { cutOff, errorEvents, malformed } from '../malformed.ts';
import { eventObject, objectIn, parseObject, type StreamEvent, TextEvents } from '../read-json.ts';
import { laterTotals } from '../running-totals.ts';
import { TranslatedEvents } from '../translated-events.ts';
import { verbatimBody, WholeBody } from '../whole-body.ts';
import { AnswerChoices, type ChoicesOptions, finishReason, onlyText, readUsage } from './decode-choices.ts';

export { decodeFailure } from '../decode-openai-failure.ts';

/** The form of the decoded response: the upstream's bytes, or parts. */
export type StreamOutput =
  /** Without `showUsage`, the chunk that holds only usage is not sent to the client. `changed`: the data of events that are sent with other data. */
  { showUsage: boolean; changed?: Map<StreamEvent, string> } | ChoicesOptions;

type Fields = Record<string, unknown>;

/** Returns the object in an event's data in the shape of a chunk; undefined if it is not an object. */
type ReadFields = (event: StreamEvent) => Fields | undefined;

export function decodeStream(output: StreamOutput, readFields: ReadFields = eventObject): Decoder {
  if (!('seed' in output)) return new PassedEvents(new Chunks({ readFields, ...output }));
  const answer = new AnswerChoices(output);
  const chunks = new Chunks({ readFields, choices: output.choices ?? 1 });
  return new TranslatedEvents(chunks, {
    add: chunk => answer.add(chunk),
    end: () => answer.end(chunks.usage),
  });
}

interface ChunksOptions {
  readFields: ReadFields;
  showUsage?: boolean;
  changed?: Map<StreamEvent, string>;
  /** Number of requested choices. If absent, one is expected and more are read. */
  choices?: number;
}

/** Reads the usage, the errors and the end of each choice in the chunks of a stream. */
class Chunks implements PassedReader<ChatChunk> {
  readonly endMark = 'ends-valid';
  readonly missingMark = sseEvent(chatDone);
  readonly #options: ChunksOptions;
  readonly #choices = new Set<number>();
  readonly #finished = new Set<number>();
  #reason: string | null = null;
  #usage: ChatUsage | undefined;
  #tier: unknown;
  characters = 0;
  /** True if a chunk was read that must not be sent to the client. */
  #hide = false;
  /** Set if the stream is passed on, so that chunks of text need not be parsed. */
  readonly #texts: TextEvents | undefined;

  constructor(options: ChunksOptions) {
    this.#options = options;
    if (options.showUsage !== undefined && options.readFields === eventObject) this.#texts = new TextEvents();
  }

  get usage(): Usage | null {
    return this.#usage ? readUsage(this.#usage, this.#tier) : null;
  }

  /** True if every expected choice has ended. */
  get complete(): boolean {
    return this.valid && this.#finished.size >= (this.#options.choices ?? 1);
  }

  /** True if every received choice has ended. An upstream may send fewer than requested. */
  get valid(): boolean {
    return this.#finished.size > 0 && this.#finished.size === this.#choices.size;
  }

  readTexts(whole: Buffer): boolean {
    const characters = this.#texts?.charactersIn(whole);
    this.characters += characters ?? 0;
    return characters !== undefined;
  }

  read(event: StreamEvent, whole: Buffer): ChatChunk | undefined {
    const ofText = this.#texts?.charactersOf(event);
    this.characters += ofText ?? 0;
    if (ofText !== undefined) return undefined;
    const fields = this.#options.readFields(event);
    const error = errorIn(fields) ?? (event.event === 'error' ? fields : undefined);
    if (error) throw answerFailure(error);
    const chunk = asChunk(fields);
    if (objectIn(chunk.usage)) this.#usage = laterTotals(this.#usage, chunk.usage as ChatUsage);
    this.#tier = chunk.service_tier ?? this.#tier;
    this.#hide ||= !this.#options.showUsage && isUsageOnly(chunk);
    if (chunk.choices) for (const choice of chunk.choices) this.#note(choice);
    this.#texts?.learn(event, chunk, 'content', onlyText, whole);
    return chunk;
  }

  passed(whole: Buffer, events: readonly StreamEvent[]): Buffer {
    const { changed } = this.#options;
    const sent = changed?.size ? rewritten(events, changed) : whole;
    changed?.clear();
    const passed = this.#hide ? withoutUsage(sent) : sent;
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
    if (!reason) return;
    this.#reason = reason;
    this.#finished.add(choice);
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
    const calls = isObject(choice.delta) ? choice.delta.tool_calls : undefined;
    if (calls && !(Array.isArray(calls) && calls.every(isObject)))
      throw malformed(what, 'delta.tool_calls: is not a list of objects');
  }
  return fields;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

/** Returns the error in a body or a chunk; some servers send the error as the body itself. */
function errorIn(body: Record<string, unknown> | undefined): unknown {
  if (!body) return undefined;
  const { error, object, choices, message, detail } = body;
  const isError = object === 'error' || (!choices && (typeof message === 'string' || Boolean(detail)));
  return error || (isError ? body : undefined);
}

/** @throws GatewayError for a choice that failed: its `finish_reason` is `error` */
function throwFailed({ finish_reason: reason, error }: ChatChunkChoice): void {
  if (reason === 'error') throw answerFailure(error);
}

/** Passes a non-streamed response on byte for byte, after it was received and validated. */
export class WholeDecoder extends WholeBody {
  protected decode(bytes: Buffer): GenerateEvent[] {
    const fields = parseObject(bytes.toString('utf8'));
    const ending = readEnding(fields);
    return [verbatimBody(this.filled(bytes, fields ?? {})), ending];
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
  if (choices?.some(({ finish_reason: reason }) => !reason)) throw cutOff();
  return finish(first.finish_reason ?? null, usage ? readUsage(usage, tier) : null);
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
    const received: unknown[] = fields.choices;
    // Parts cannot hold these, and the client has requested them.
    if (received.map(objectIn).some(choice => choice?.logprobs || objectIn(choice?.message)?.audio))
      throw new GatewayError('upstream', 'The upstream sent a complete response instead of a stream.');
    const choices = received.map(choice =>
      isObject(choice) ? { ...choice, delta: choice.message } : choice,
    );
    const chunk = asChunk({ ...fields, choices });
    chunk.choices?.forEach(throwFailed);
    if (chunk.choices?.some(({ finish_reason: reason }) => !reason)) throw cutOff();
    const answer = new AnswerChoices(options);
    return [
      ...answer.add(chunk),
      ...answer.end(chunk.usage ? readUsage(chunk.usage, chunk.service_tier) : null),
    ];
  } catch (thrown) {
    return errorEvents(thrown);
  }
}

function finish(raw: string | null, usage: Usage | null): FinishEvent {
  return { type: 'finish', reason: finishReason(raw), raw, usage };
}

/** Counts the characters of a delta, from which tokens are estimated. */
function charactersOf({ content, reasoning_content, tool_calls }: ChatDelta): number {
  let sum = length(content) + length(reasoning_content);
  if (tool_calls) for (const call of tool_calls) sum += length(call.function?.arguments);
  return sum;
}

function length(text: unknown): number {
  return typeof text === 'string' ? text.length : 0;
}

function isUsageOnly({ usage, choices }: ChatChunk): boolean {
  return Boolean(usage) && choices?.length === 0;
}

function rewritten(events: readonly StreamEvent[], changed: ReadonlyMap<StreamEvent, string>): Buffer {
  return Buffer.from(events.map(event => sseEvent(changed.get(event) ?? event.data, event.event)).join(''));
}

function withoutUsage(whole: Buffer): Buffer {
  const reader = new EventReader();
  const kept = splitEvents(whole.toString('utf8')).filter(event => {
    const chunk: ChatChunk | undefined = parseObject(reader.read(Buffer.from(event))[0]?.data ?? '');
    return !(chunk && isUsageOnly(chunk));
  });
  return Buffer.from(kept.join(''));
}
