import type { FinishReason } from '@model-gateway/canonical';
import type { ChatFinishReason } from '@model-gateway/wire';

const reasons: Record<ChatFinishReason, FinishReason> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
  content_filter: 'content-filter',
};

export function finishReason(raw: string | null): FinishReason {
  return raw !== null && Object.hasOwn(reasons, raw) ? reasons[raw as ChatFinishReason] : 'other';
}
