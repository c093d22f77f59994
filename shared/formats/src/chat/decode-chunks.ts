import { GatewayError, type Usage } from '@model-gateway/canonical';
import { answerFailure } from '../upstream/decode-openai-failure.ts';
import { hasFailedBase } from '../upstream/failure-body.ts';
import { failedAnswer, failedReason } from '../upstream/finish-reason.ts';
import { Appearance, laterTotals, OneChoice } from '../upstream/loose-events.ts';
import { cutOff, malformed } from '../upstream/malformed.ts';
import { eventObject, isBlank, objectIn, type StreamEvent } from '../upstream/read-json.ts';
import type { ChatChunk, ChatChunkChoice, ChatDelta, ChatUsage } from './answer.ts';
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

/** Returns the text of a chunk that tells nothing else; undefined for any other chunk. */
export function onlyText({ usage, choices }: ChatChunk): unknown {
  const [choice, ...others] = choices ?? [];
  if (!choice || others.length > 0 || usage || choice.finish_reason) return undefined;
  const { content, reasoning_content, tool_calls } = choice.delta ?? {};
  return reasoning_content || tool_calls ? undefined : content;
}

/** Puts the content of choices into `delta`: some servers send a message or a bare text in its place. Returns true if one was moved. */
export function moveContent(choices: unknown): boolean {
  if (!Array.isArray(choices)) return false;
  let isMoved = false;
  for (const choice of choices) {
    const isObject = typeof choice === 'object' && choice !== null;
    if (isObject && !(choice.delta && typeof choice.delta === 'object') && moved(choice)) isMoved = true;
  }
  return isMoved;
}

/** A choice whose content may be anywhere. */
interface LooseChoice extends Omit<ChatChunkChoice, 'delta' | 'message' | 'text'> {
  delta?: unknown;
  message?: unknown;
  text?: unknown;
}

function moved(choice: LooseChoice): boolean {
  const { delta, message, text } = choice;
  const found = [delta, message, text].find(
    content => content && ['string', 'object'].includes(typeof content),
  );
  if (found === undefined) return false;
  choice.delta = typeof found === 'string' ? { content: found } : found;
  delete choice.message;
  delete choice.text;
  return true;
}

/** True for a delta with content, whose end may be missing. */
export function hasContent(delta: ChatDelta | null | undefined): boolean {
  if (!delta) return false;
  const { content, reasoning_content, reasoning, refusal, tool_calls, function_call, images } = delta;
  return Boolean(
    content?.length ||
      reasoning_content ||
      reasoning ||
      refusal ||
      tool_calls?.length ||
      function_call?.name ||
      function_call?.arguments ||
      images?.length,
  );
}

/** @throws GatewayError for a choice of a whole response without an end and without content. Some servers send no finish reason. */
export function throwUnended({ finish_reason: reason, message, delta, text }: ChatChunkChoice): void {
  if (!reason && !hasContent(message ?? delta) && !text) throw cutOff();
}

/** @throws GatewayError for what parts cannot hold: a client whose response is made of parts may have requested it */
export function refuseLost(choices: readonly unknown[], sent: string): void {
  for (const choice of choices.map(objectIn))
    if (!isBlank(choice?.logprobs) || !isBlank(objectIn(choice?.message ?? choice?.delta)?.audio))
      throw new GatewayError('upstream', `The upstream sent ${sent}.`);
}

/** Counts the characters of a delta, from which tokens are estimated. */
export function charactersOf({ content, reasoning_content, tool_calls }: ChatDelta): number {
  let sum = length(content) + length(reasoning_content);
  if (tool_calls) for (const call of tool_calls) sum += length(call.function?.arguments);
  return sum;
}

function length(text: unknown): number {
  return typeof text === 'string' ? text.length : 0;
}

/** Returns the error in a body or a chunk; some servers send the error as the body itself. */
export function errorIn(body: Record<string, unknown> | undefined): unknown {
  if (!body) return undefined;
  if (body.base_resp && hasFailedBase(body)) return body;
  const { error, object, choices, message, detail, usage } = body;
  const isError = object === 'error' || (!choices && (typeof message === 'string' || Boolean(detail)));
  // Some servers send an error without content beside good choices or usage.
  const isGood = isBlank(error) && (Array.isArray(choices) || objectIn(usage) !== undefined);
  return (!isGood && error) || (isError ? body : undefined);
}

/** @throws GatewayError for a choice whose `finish_reason` says that it failed */
export function throwFailed({ finish_reason: reason, error, delta, message = delta }: ChatChunkChoice): void {
  const failed = reason ? failedReason(reason) : undefined;
  if (!failed) return;
  const told = error || (failed.told && message?.content);
  throw told ? answerFailure(told) : failedAnswer(failed, String(reason));
}

/** Numbers the calls of each choice from 0, as clients expect. */
class CallPlaces {
  readonly #choices = new Map<number, Appearance>();

  /** Sets the index of each call. Returns true if another one was sent. */
  place(choices: readonly ChatChunkChoice[]): boolean {
    let isOther = false;
    for (const { index, delta } of choices)
      for (const call of delta?.tool_calls ?? []) {
        if (typeof call.index !== 'number') continue;
        const place = this.#of(index ?? 0).of(call.index);
        isOther ||= place !== call.index;
        call.index = place;
      }
    return isOther;
  }

  #of(choice: number): Appearance {
    const found = this.#choices.get(choice);
    if (found) return found;
    const appearance = new Appearance();
    this.#choices.set(choice, appearance);
    return appearance;
  }
}
