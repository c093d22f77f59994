import { formatFields } from '@model-gateway/canonical';

/** The fields that errors name, by the canonical ones. */
export const completionsFields = formatFields(
  {
    messages: 'prompt',
    others: 'prompt',
    maxTokens: 'max_tokens',
    stop: 'stop',
    logprobs: 'logprobs',
  },
  {
    temperature: 'temperature',
    topP: 'top_p',
    n: 'n',
    seed: 'seed',
    presencePenalty: 'presence_penalty',
    frequencyPenalty: 'frequency_penalty',
    logitBias: 'logit_bias',
    user: 'user',
  },
);
