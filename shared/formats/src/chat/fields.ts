import { formatFields } from '@model-gateway/canonical';

/** The fields that errors name, by the canonical ones. */
export const chatFields = formatFields(
  {
    messages: 'messages',
    maxTokens: ['max_completion_tokens', 'max_tokens'],
    topK: 'top_k',
    stop: 'stop',
    reasoning: 'reasoning_effort',
    output: 'response_format',
    tools: 'tools',
    toolChoice: 'tool_choice',
    parallelToolCalls: 'parallel_tool_calls',
    logprobs: ['logprobs', 'top_logprobs'],
    serviceTier: 'service_tier',
    cacheKey: 'prompt_cache_key',
    user: ['user', 'safety_identifier'],
    metadata: 'metadata',
    verbosity: 'verbosity',
  },
  {
    temperature: 'temperature',
    topP: 'top_p',
    n: 'n',
    seed: 'seed',
    presencePenalty: 'presence_penalty',
    frequencyPenalty: 'frequency_penalty',
    logitBias: 'logit_bias',
    modalities: 'modalities',
  },
);
