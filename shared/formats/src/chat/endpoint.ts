import { sseComment } from '@model-gateway/sse';
import type { FormatEndpoint } from '../client/endpoint.ts';
import { knownFields } from '../client/endpoint.ts';
import { nestTools } from './flat-tools.ts';
import { parse } from './parse.ts';
import { chatRenderer, renderError, renderErrorEvent } from './render.ts';
import type { ChatAnswerOptions } from './render-whole.ts';
import { chatRequest, chatTranslatable } from './request.ts';

export const chatCompletions: FormatEndpoint<ChatAnswerOptions> = {
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
