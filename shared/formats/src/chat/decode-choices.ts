import {
  type Ending,
  type FinishReason,
  GatewayError,
  type GenerateEvent,
  type StartEvent,
  type Usage,
} from '@model-gateway/canonical';
import { Appearance } from '../upstream/appearance.ts';
import { answerFailure } from '../upstream/decode-openai-failure.ts';
import { hasFailedBase } from '../upstream/failure-body.ts';
import { failedAnswer, failedReason, finishReason, laterReason } from '../upstream/finish-reason.ts';
import { cutOff } from '../upstream/malformed.ts';
import { isBlank, objectIn } from '../upstream/read-json.ts';
import type { ChatChunk, ChatChunkChoice, ChatDelta } from './answer.ts';
import { type AnswerOptions, AnswerParts } from './decode-parts.ts';

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
export class CallPlaces {
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
