import { formatFields } from '@model-gateway/canonical';

/** The fields that requests and errors name, by the canonical ones. */
export const messagesFields = formatFields(
  {
    messages: ['messages', 'system'],
    reasoning: ['output_config.effort', 'thinking'],
    output: 'output_config.format',
    tools: 'tools',
    toolChoice: 'tool_choice',
    parallelToolCalls: 'tool_choice',
    serviceTier: 'service_tier',
    user: 'metadata.user_id',
  },
  {
    maxTokens: 'max_tokens',
    temperature: 'temperature',
    topP: 'top_p',
    topK: 'top_k',
    stop: 'stop_sequences',
  },
);
