import { formatFields } from '@model-gateway/canonical';

/** The fields that errors name, by the canonical ones. */
export const responsesFields = formatFields(
  {
    messages: 'input',
    maxTokens: 'max_output_tokens',
    presencePenalty: 'presence_penalty',
    frequencyPenalty: 'frequency_penalty',
    reasoning: 'reasoning.effort',
    output: 'text.format',
    verbosity: 'text.verbosity',
    logprobs: 'top_logprobs',
    tools: 'tools',
    toolChoice: 'tool_choice',
    parallelToolCalls: 'parallel_tool_calls',
    serviceTier: 'service_tier',
    user: ['user', 'safety_identifier'],
  },
  {
    temperature: 'temperature',
    topP: 'top_p',
    cacheKey: 'prompt_cache_key',
    metadata: 'metadata',
  },
);
