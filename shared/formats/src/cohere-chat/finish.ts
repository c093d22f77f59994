import type { ReasonList } from '@model-gateway/providers/finish-reasons';

/** The format's finish reasons (`ChatFinishReason` in the SDK), and the meaning of each. */
export const cohereChatReasons: ReasonList = {
  of: 'cohere-chat',
  source: 'https://docs.cohere.com/reference/chat',
  reasons: {
    COMPLETE: 'stop',
    STOP_SEQUENCE: 'stop-sequence',
    MAX_TOKENS: 'length',
    TOOL_CALL: 'tool-calls',
    ERROR: { fails: 'upstream' },
    TIMEOUT: { fails: 'timeout' },
  },
};
