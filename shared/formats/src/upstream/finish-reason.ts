import {
  type ErrorKind,
  type FinishReason,
  GatewayError,
  type GenerateFormat,
} from '@model-gateway/canonical';
import {
  type FailedReason,
  type ReasonList,
  type ReasonMeaning,
  reasonLists as vendorReasons,
} from '@model-gateway/providers/finish-reasons';
import { chatReasons } from '../chat/finish.ts';
import { cohereChatReasons } from '../cohere-chat/finish.ts';
import { completionsReasons } from '../completions/finish.ts';
import { converseReasons } from '../converse/finish.ts';
import { generateContentReasons } from '../generate-content/finish.ts';
import { messagesReasons } from '../messages/finish.ts';
import { responsesReasons } from '../responses/finish.ts';

export type { ReasonMeaning };

/** The finish reasons that the formats' own descriptions have. */
const formatReasons: Record<GenerateFormat, ReasonList> = {
  chat: chatReasons,
  completions: completionsReasons,
  responses: responsesReasons,
  messages: messagesReasons,
  'generate-content': generateContentReasons,
  converse: converseReasons,
  'cohere-chat': cohereChatReasons,
};

/**
 * All finish reasons that are known: those of the formats, and those of vendors. A reason means the same wherever it arrives: relays pass on
 * those of other servers, also in the fields of other formats.
 */
export const reasonLists: readonly ReasonList[] = [...Object.values(formatReasons), ...vendorReasons];

const meanings = new Map<string, ReasonMeaning>();
for (const { reasons } of reasonLists)
  for (const [reason, meaning] of Object.entries(reasons)) meanings.set(spelled(reason), meaning);

/**
 * Returns the meaning of an upstream's finish reason; undefined for one that no list has. Case, and `-` for `_`, make no difference. A
 * reason that ends with a more exact one, as in `content_filter: RECITATION`, is known by its beginning.
 */
export function reasonMeaning(reason: string): ReasonMeaning | undefined {
  const name = reason.length > longest ? '' : spelled(reason);
  const [beginning = ''] = name.split(':', 1);
  return meanings.get(name) ?? meanings.get(beginning.trim());
}

/** The most characters of a reason that is looked up. */
const longest = 200;

function spelled(reason: string): string {
  return reason.trim().toLowerCase().replaceAll('-', '_');
}

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
