import { answerFailure } from '../upstream/decode-openai-failure.ts';
import { hasFailedBase } from '../upstream/failure-body.ts';
import { failedAnswer, failedReason } from '../upstream/finish-reason.ts';
import { isBlank, objectIn } from '../upstream/read-json.ts';
import type { ChatChunkChoice, ChatDelta } from './answer.ts';

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

/** A choice of a chunk or of a whole response. */
type FailedChoice = ChatChunkChoice & { message?: ChatDelta | null };

/** @throws GatewayError for a choice whose `finish_reason` says that it failed */
export function throwFailed({ finish_reason: reason, error, delta, message = delta }: FailedChoice): void {
  const failed = reason ? failedReason(reason) : undefined;
  if (!failed) return;
  const told = error || (failed.told && message?.content);
  throw told ? answerFailure(told) : failedAnswer(failed, String(reason));
}
