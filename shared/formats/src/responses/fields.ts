import { formatFields } from '@model-gateway/canonical';

/** The fields that errors name, by the canonical ones. */
export const responsesFields = formatFields({
  messages: 'input',
  maxTokens: 'max_output_tokens',
  temperature: 'temperature',
  topP: 'top_p',
  reasoning: 'reasoning.effort',
  output: 'text.format',
  verbosity: 'text.verbosity',
  logprobs: 'top_logprobs',
  tools: 'tools',
  toolChoice: 'tool_choice',
  parallelToolCalls: 'parallel_tool_calls',
  serviceTier: 'service_tier',
  cacheKey: 'prompt_cache_key',
  user: ['user', 'safety_identifier'],
  metadata: 'metadata',
});
