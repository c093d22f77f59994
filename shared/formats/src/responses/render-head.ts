import type { StartEvent } from '@model-gateway/canonical';
import type { RenderContext } from '../client/endpoint.ts';
import type { ResponsesAnswer } from './answer.ts';
import { responseId } from './ids.ts';
import type { ResponsesRequest } from './request.ts';

/** Renders a response that is in progress. */
export function renderHead(
  { id, model }: Pick<StartEvent, 'id' | 'model'>,
  request: EchoedRequest,
  { requestId, created }: RenderContext,
): ResponsesAnswer {
  return {
    id: responseId(id, requestId),
    object: 'response',
    created_at: created,
    completed_at: null,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    model: model || request.model,
    output: [],
    ...echo(request),
    usage: null,
  };
}

/** A request without its input. A response repeats most of its fields. */
export type EchoedRequest = ResponsesRequest & { input?: undefined };

type Repeated =
  | 'instructions'
  | 'previous_response_id'
  | 'parallel_tool_calls'
  | 'tools'
  | 'tool_choice'
  | 'temperature'
  | 'top_p'
  | 'top_logprobs'
  | 'presence_penalty'
  | 'frequency_penalty'
  | 'truncation'
  | 'text'
  | 'reasoning'
  | 'max_output_tokens'
  | 'max_tool_calls'
  | 'store'
  | 'background'
  | 'service_tier'
  | 'metadata'
  | 'user'
  | 'safety_identifier'
  | 'prompt_cache_key';

/** Renders the request's fields with the format's defaults, since some clients require every field. */
export function echo(request: EchoedRequest): Pick<ResponsesAnswer, Repeated> {
  const { service_tier: tier, truncation } = request;
  return {
    instructions: request.instructions ?? null,
    previous_response_id: null,
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    tools: (request.tools ?? []).map(echoTool),
    tool_choice: request.tool_choice ?? 'auto',
    temperature: request.temperature ?? 1,
    top_p: request.top_p ?? 1,
    top_logprobs: request.top_logprobs ?? 0,
    presence_penalty: request.presence_penalty ?? 0,
    frequency_penalty: request.frequency_penalty ?? 0,
    truncation: truncation === 'auto' ? 'auto' : 'disabled',
    text: echoText(request.text),
    reasoning: echoReasoning(request.reasoning),
    max_output_tokens: request.max_output_tokens ?? null,
    max_tool_calls: request.max_tool_calls ?? null,
    // The store overwrites the field where the response is stored.
    store: false,
    background: false,
    service_tier: !tier || tier === 'auto' ? 'default' : tier,
    metadata: request.metadata ?? {},
    user: request.user ?? null,
    safety_identifier: request.safety_identifier ?? null,
    prompt_cache_key: request.prompt_cache_key ?? null,
  };
}

function echoTool(tool: Record<string, unknown>): Record<string, unknown> {
  if (tool.type !== 'function') return tool;
  return {
    ...tool,
    description: tool.description ?? null,
    parameters: tool.parameters ?? null,
    strict: tool.strict ?? null,
  };
}

function echoText(text: EchoedRequest['text']): ResponsesAnswer['text'] {
  const { format, verbosity } = (text ?? {}) as { format?: Record<string, unknown>; verbosity?: string };
  return { format: format ?? { type: 'text' }, ...(verbosity && { verbosity }) };
}

function echoReasoning(reasoning: EchoedRequest['reasoning']): ResponsesAnswer['reasoning'] {
  const fields = (reasoning ?? {}) as Record<string, string | null | undefined>;
  return { effort: fields.effort ?? null, summary: fields.summary ?? fields.generate_summary ?? null };
}
