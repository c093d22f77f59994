import { sseComment } from '@model-gateway/sse';
import type { FormatEndpoint } from '../client/endpoint.ts';
import { knownFields } from '../client/endpoint.ts';
import { renderChatError } from '../client/render-chat-error.ts';
import { renderErrorEvent } from './render-failure.ts';
import { responsesRequest, responsesTranslatable } from './request.ts';

/** The properties that all endpoints of the format share. */
export const responsesFormat = {
  method: 'POST',
  format: 'responses',
  fields: knownFields(responsesRequest, responsesTranslatable),
  fieldNames: {
    messages: 'input',
    maxTokens: 'max_output_tokens',
    topP: 'top_p',
    toolChoice: 'tool_choice',
    parallelToolCalls: 'parallel_tool_calls',
    reasoning: 'reasoning.effort',
    output: 'text.format',
    verbosity: 'text.verbosity',
    logprobs: 'top_logprobs',
    serviceTier: 'service_tier',
    cacheKey: 'prompt_cache_key',
  },
  renderError: renderChatError,
  renderErrorEvent,
  ping: sseComment('ping'),
} satisfies Partial<FormatEndpoint>;
