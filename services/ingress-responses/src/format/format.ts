import { responsesRequest, responsesTranslatable } from '@model-gateway/formats';
import { knownFields, renderChatError } from '@model-gateway/formats/client';
import type { Endpoint } from '@model-gateway/ingress';
import { sseComment } from '@model-gateway/sse';
import { renderErrorEvent } from './render-failure.ts';

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
} satisfies Partial<Endpoint>;
