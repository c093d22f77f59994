import { formatFields } from '@model-gateway/canonical';

/** The fields that errors name, by the canonical ones. */
export const completionsFields = formatFields({
  messages: 'prompt',
  others: 'prompt',
  maxTokens: 'max_tokens',
  temperature: 'temperature',
  topP: 'top_p',
  stop: 'stop',
  n: 'n',
  seed: 'seed',
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
  logprobs: 'logprobs',
  logitBias: 'logit_bias',
  user: 'user',
});
