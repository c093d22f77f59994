import { type ErrorKind, type FinishReason, GatewayError } from '@model-gateway/canonical';
import { type FailedReason, reasonMeaning } from '@model-gateway/providers/finish-reasons';

/**
 * Translates an upstream's finish reason, of whatever format: servers use those of others, too. An answer that ends without one ends
 * in the ordinary way. One that is not known is a cut, `other`.
 */
export function finishReason(raw: unknown): FinishReason {
  if (raw === null || raw === undefined || raw === '') return 'stop';
  const meaning = typeof raw === 'string' ? reasonMeaning(raw) : undefined;
  return typeof meaning === 'string' ? meaning : 'other';
}

/** Returns the one of two finish reasons of a choice that counts: an ordinary end after a cut or a filter says nothing new. */
export function laterReason(earlier: string | null, later: string): string {
  return earlier !== null && finishReason(later) === 'stop' ? earlier : later;
}

/** Returns what a finish reason says of a failed answer; undefined for any other reason. */
export function failedReason(raw: unknown): FailedReason | undefined {
  const meaning = typeof raw === 'string' && raw !== '' ? reasonMeaning(raw) : undefined;
  return typeof meaning === 'object' ? meaning : undefined;
}

/** @throws GatewayError for the finish reason of a failed answer */
export function throwIfFailed(raw: unknown): void {
  const failed = failedReason(raw);
  if (failed) throw failedAnswer(failed, String(raw));
}

/** Returns the error of an answer that failed, with the upstream's reason for the log. */
export function failedAnswer({ fails }: FailedReason, raw: string): GatewayError {
  return new GatewayError(fails, messages[fails] ?? 'The upstream failed.', {
    fault: `finish reason: ${raw}`,
  });
}

const messages: Partial<Record<ErrorKind, string>> = {
  overloaded: 'The upstream ran out of resources.',
  timeout: 'The upstream ran out of time.',
};
