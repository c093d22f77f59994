import { GatewayError } from '@model-gateway/canonical';
import { answerFailure } from '../upstream/decode-openai-failure.ts';
import { hasFailedBase } from '../upstream/failure-body.ts';
import { failedAnswer, failedReason } from '../upstream/finish-reason.ts';
import { Appearance } from '../upstream/loose-events.ts';
import { cutOff } from '../upstream/malformed.ts';
import { isBlank, objectIn } from '../upstream/read-json.ts';
import type { ChatChunkChoice, ChatDelta } from './answer.ts';

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
