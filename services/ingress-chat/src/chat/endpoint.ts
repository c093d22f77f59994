import { chatRequest, chatTranslatable } from '@model-gateway/formats';
import { knownFields } from '@model-gateway/formats/client';
import type { Endpoint } from '@model-gateway/ingress';
import { sseComment } from '@model-gateway/sse';
import { nestTools } from './flat-tools.ts';
import { parse } from './parse.ts';
import { chatRenderer, renderError, renderErrorEvent } from './render.ts';
import type { ChatAnswerOptions } from './render-whole.ts';

export const chatCompletions: Endpoint<ChatAnswerOptions> = {
  method: 'POST',
  path: '/v1/chat/completions',
  format: 'chat',
  fields: knownFields(chatRequest, chatTranslatable),
  amend: nestTools,
  parse,
  render: chatRenderer,
  fieldNames: {
    maxTokens: 'max_completion_tokens',
    topP: 'top_p',
    topK: 'top_k',
    toolChoice: 'tool_choice',
    parallelToolCalls: 'parallel_tool_calls',
    reasoning: 'reasoning_effort',
    output: 'response_format',
    presencePenalty: 'presence_penalty',
    frequencyPenalty: 'frequency_penalty',
    logitBias: 'logit_bias',
    serviceTier: 'service_tier',
    cacheKey: 'prompt_cache_key',
  },
  renderError,
  renderErrorEvent,
  ping: sseComment('ping'),
};
