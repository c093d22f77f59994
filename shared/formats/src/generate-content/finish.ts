import type { Ending, FinishReason } from '@model-gateway/canonical';
import type { ReasonList } from '@model-gateway/providers/finish-reasons';

/** The format's finish reasons, and the meaning of each. */
export const generateContentReasons = {
  of: 'generate-content',
  source: 'https://ai.google.dev/api/generate-content#FinishReason',
  reasons: {
    STOP: 'stop',
    MAX_TOKENS: 'length',
    CONTINUATION: 'length',
    SAFETY: 'content-filter',
    RECITATION: 'content-filter',
    LANGUAGE: 'content-filter',
    BLOCKLIST: 'content-filter',
    PROHIBITED_CONTENT: 'content-filter',
    SPII: 'content-filter',
    IMAGE_SAFETY: 'content-filter',
    IMAGE_PROHIBITED_CONTENT: 'content-filter',
    IMAGE_RECITATION: 'content-filter',
    IMAGE_OTHER: 'content-filter',
    NO_IMAGE: 'content-filter',
    OTHER: 'other',
    MALFORMED_FUNCTION_CALL: 'other',
    UNEXPECTED_TOOL_CALL: 'other',
    TOO_MANY_TOOL_CALLS: 'other',
    MALFORMED_RESPONSE: 'other',
    MISSING_THOUGHT_SIGNATURE: 'other',
    FINISH_REASON_UNSPECIFIED: 'other',
  },
} as const satisfies ReasonList;
type Reason = keyof typeof generateContentReasons.reasons;

/** A reason why a candidate ended. Function calls have none of their own: they end with `STOP`. */
type GenerateContentFinishReason = Exclude<Reason, 'FINISH_REASON_UNSPECIFIED'>;

/** The finish reason that clients are told for each canonical one. */
const told: Record<FinishReason, GenerateContentFinishReason> = {
  stop: 'STOP',
  'stop-sequence': 'STOP',
  length: 'MAX_TOKENS',
  'tool-calls': 'STOP',
  'content-filter': 'SAFETY',
  refusal: 'SAFETY',
  pause: 'OTHER',
  other: 'MAX_TOKENS',
};

/** The default value, which some upstreams send explicitly. It does not end the candidate, nor block the prompt. */
export const unspecified = /^(?:FINISH|BLOCK|BLOCKED)_REASON_UNSPECIFIED$/;

/** The finish reason of a candidate, and its explanation. */
export interface GenerateContentFinish {
  finishReason: GenerateContentFinishReason;
  finishMessage?: string;
}

/** Renders the finish reason. `refusal` is the text of the refusals: this format has it as the finish message. */
export function renderFinish({ reason, raw, explanation }: Ending, refusal: string): GenerateContentFinish {
  const known = raw !== null && isOwn(raw) ? raw : told[reason];
  const finishReason = refusal && known === 'STOP' ? 'SAFETY' : known;
  const message = refusal || explanation;
  return { finishReason, ...(message && finishReason !== 'STOP' && { finishMessage: message }) };
}

function isOwn(raw: string): raw is GenerateContentFinishReason {
  return Object.hasOwn(generateContentReasons.reasons, raw) && !unspecified.test(raw);
}
