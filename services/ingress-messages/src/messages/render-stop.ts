import { type FinishEvent, type FinishReason, noUsage, type Usage } from '@model-gateway/canonical';
import {
  type MessagesAnswer,
  type MessagesStopReason,
  type MessagesUsage,
  messagesStopReasons,
} from '@model-gateway/wire';

const reasons: Record<FinishReason, MessagesStopReason> = {
  stop: 'end_turn',
  'stop-sequence': 'stop_sequence',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  'content-filter': 'refusal',
  refusal: 'refusal',
  pause: 'pause_turn',
  other: 'end_turn',
};

type Stop = Pick<MessagesAnswer, 'stop_reason' | 'stop_sequence' | 'stop_details'>;

/** Renders the stop reason. `refusal` is the text of the refusals. */
export function renderStop(finish: FinishEvent, refusal: string): Stop {
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
  const known = messagesStopReasons.find(name => name === raw);
  // The stop sequence is part of the reason: without it, the reason is an ordinary end.
  if (reason === 'stop-sequence' && stopSequence === undefined) return 'end_turn';
  return known ?? reasons[reason];
}

/** Renders all token counts. `input_tokens` excludes cache reads and writes. */
export function renderUsage(usage: Usage | null): MessagesUsage {
  const { input, cachedInput, cacheWrite5m, cacheWrite1h, output, reasoning } = usage ?? noUsage;
  return {
    input_tokens: Math.max(0, input - cachedInput - cacheWrite5m - cacheWrite1h),
    cache_creation_input_tokens: cacheWrite5m + cacheWrite1h,
    cache_read_input_tokens: cachedInput,
    cache_creation: { ephemeral_5m_input_tokens: cacheWrite5m, ephemeral_1h_input_tokens: cacheWrite1h },
    output_tokens: output,
    output_tokens_details: { thinking_tokens: reasoning },
    server_tool_use: null,
    service_tier: null,
    inference_geo: null,
    speed: null,
  };
}
