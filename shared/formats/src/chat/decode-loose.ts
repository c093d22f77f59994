import { GatewayError } from '@model-gateway/canonical';
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
