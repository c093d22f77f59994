import { completionRequest } from '@model-gateway/formats';
import { knownFields } from '@model-gateway/formats/client';
import type { Endpoint } from '@model-gateway/ingress';
import { sseComment } from '@model-gateway/sse';
import { parse } from './parse.ts';
import { type CompletionAnswerOptions, completionRenderer, renderError, renderErrorEvent } from './render.ts';

/** OpenAI's legacy text completions. */
export const completions: Endpoint<CompletionAnswerOptions> = {
  method: 'POST',
  path: '/v1/completions',
  format: 'completions',
  fields: knownFields(completionRequest),
  parse,
  render: completionRenderer,
  fieldNames: {
    messages: 'prompt',
    others: 'prompt',
    maxTokens: 'max_tokens',
    topP: 'top_p',
    presencePenalty: 'presence_penalty',
    frequencyPenalty: 'frequency_penalty',
    logitBias: 'logit_bias',
  },
  renderError,
  renderErrorEvent,
  ping: sseComment('ping'),
};
