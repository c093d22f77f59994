import type { StartEvent, Usage } from '@model-gateway/canonical';
import type { RenderContext } from '@model-gateway/ingress';
import type { ResponsesAnswer, ResponsesRequest, ResponsesUsage } from '@model-gateway/wire';
import { responseId } from './ids.ts';

/** A response as it begins. */
export function renderHead(
  { id, model }: Pick<StartEvent, 'id' | 'model'>,
  asked: IncomingRequest,
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
    model: model || asked.model,
    output: [],
    ...echo(asked),
    usage: null,
  };
}

/** A request without its input: what an answer repeats of it. */
export type IncomingRequest = ResponsesRequest & { input?: undefined };

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

/** What the client asked for, with the format's defaults for the rest: some clients require every field. */
export function echo(asked: IncomingRequest): Pick<ResponsesAnswer, Repeated> {
  const { service_tier: tier, truncation } = asked;
  return {
    instructions: asked.instructions ?? null,
    previous_response_id: null,
    parallel_tool_calls: asked.parallel_tool_calls ?? true,
    tools: (asked.tools ?? []).map(echoTool),
    tool_choice: asked.tool_choice ?? 'auto',
    temperature: asked.temperature ?? 1,
    top_p: asked.top_p ?? 1,
    top_logprobs: asked.top_logprobs ?? 0,
    presence_penalty: asked.presence_penalty ?? 0,
    frequency_penalty: asked.frequency_penalty ?? 0,
    truncation: truncation === 'auto' ? 'auto' : 'disabled',
    text: echoText(asked.text),
    reasoning: echoReasoning(asked.reasoning),
    max_output_tokens: asked.max_output_tokens ?? null,
    max_tool_calls: asked.max_tool_calls ?? null,
    // Nothing is kept.
    store: false,
    background: false,
    service_tier: !tier || tier === 'auto' ? 'default' : tier,
    metadata: asked.metadata ?? {},
    user: asked.user ?? null,
    safety_identifier: asked.safety_identifier ?? null,
    prompt_cache_key: asked.prompt_cache_key ?? null,
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

function echoText(text: IncomingRequest['text']): ResponsesAnswer['text'] {
  const { format, verbosity } = (text ?? {}) as { format?: Record<string, unknown>; verbosity?: string };
  return { format: format ?? { type: 'text' }, ...(verbosity && { verbosity }) };
}

function echoReasoning(reasoning: IncomingRequest['reasoning']): ResponsesAnswer['reasoning'] {
  const given = (reasoning ?? {}) as Record<string, string | null | undefined>;
  return { effort: given.effort ?? null, summary: given.summary ?? given.generate_summary ?? null };
}

/** Every count that the format lists. Cached and written tokens are part of the input, reasoning of the output. */
export function renderUsage(usage: Usage): ResponsesUsage {
  return {
    input_tokens: usage.input,
    input_tokens_details: {
      cached_tokens: usage.cachedInput,
      cache_write_tokens: usage.cacheWrite5m + usage.cacheWrite1h,
    },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: usage.input + usage.output,
  };
}
