import type { FinishEvent, FinishReason } from '@model-gateway/canonical';
import type { ReasonList } from '@model-gateway/providers/finish-reasons';

/** The format's stop reasons, and the meaning of each. */
export const messagesReasons = {
  of: 'messages',
  source: 'https://docs.claude.com/en/api/handling-stop-reasons',
  reasons: {
    end_turn: 'stop',
    stop_sequence: 'stop-sequence',
    tool_use: 'tool-calls',
    max_tokens: 'length',
    model_context_window_exceeded: 'length',
    pause_turn: 'pause',
    compaction: 'pause',
    refusal: 'refusal',
  },
} as const satisfies ReasonList;
type MessagesStopReason = keyof typeof messagesReasons.reasons;

/** The stop reason that clients are told for each canonical one. */
const told: Record<FinishReason, MessagesStopReason> = {
  stop: 'end_turn',
  'stop-sequence': 'stop_sequence',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  'content-filter': 'refusal',
  refusal: 'refusal',
  pause: 'pause_turn',
  other: 'max_tokens',
};

/** The end of an answer; all null before it. */
export interface MessagesStop {
  stop_reason: MessagesStopReason | null;
  stop_sequence: string | null;
  stop_details: { type: 'refusal'; category: string | null; explanation: string | null } | null;
}

/** Renders the stop reason. `refusal` is the text of the refusals. */
export function renderStop(finish: FinishEvent, refusal: string): MessagesStop {
  const reason = reasonOf(finish, refusal);
  const explanation = finish.explanation ?? (refusal || null);
  return {
    stop_reason: reason,
    stop_sequence: reason === 'stop_sequence' ? (finish.stopSequence ?? null) : null,
    stop_details: reason === 'refusal' ? { type: 'refusal', category: null, explanation } : null,
  };
}

function reasonOf({ reason, raw, stopSequence }: FinishEvent, refusal: string): MessagesStopReason {
  if (refusal && reason === 'stop') return 'refusal';
  // The stop sequence is part of the reason: without it, the reason is an ordinary end.
  if (reason === 'stop-sequence' && stopSequence === undefined) return 'end_turn';
  return raw !== null && isFiner(raw) ? raw : told[reason];
}

/** True for a reason of the format that says more than that of the gateway. The others follow from what the answer holds. */
function isFiner(raw: string): raw is MessagesStopReason {
  const { reasons } = messagesReasons;
  return Object.hasOwn(reasons, raw) && told[reasons[raw as MessagesStopReason]] !== raw;
}
