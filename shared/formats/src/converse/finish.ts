import type { ReasonList } from '@model-gateway/providers/finish-reasons';

/** The format's stop reasons, and the meaning of each. */
export const converseReasons: ReasonList = {
  of: 'converse',
  source: 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html',
  reasons: {
    end_turn: 'stop',
    stop_sequence: 'stop-sequence',
    tool_use: 'tool-calls',
    max_tokens: 'length',
    model_context_window_exceeded: 'length',
    guardrail_intervened: 'content-filter',
    content_filtered: 'content-filter',
    malformed_model_output: 'other',
    malformed_tool_use: 'other',
  },
};
