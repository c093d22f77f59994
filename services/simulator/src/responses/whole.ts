import type { ResponsesAnswer, ResponsesStatus, ResponsesUsage } from '@model-gateway/wire';
import type { Answer, Reply, Usage } from '../responder/answer.ts';
import { outputOf } from './output.ts';
import type { ParsedResponses } from './parse.ts';
import type { ResponsesRequest } from './request.ts';
import type { Tool } from './tool.ts';

export function begun(parsed: ParsedResponses, answer: Answer): ResponsesAnswer {
  return responseOf(parsed, answer, { status: 'in_progress' });
}

export function whole(parsed: ParsedResponses, answer: Answer): ResponsesAnswer {
  const [reply] = answer.replies as [Reply];
  const reason = incomplete[reply.finish] ?? null;
  return responseOf(parsed, answer, {
    status: reason ? 'incomplete' : 'completed',
    incomplete_details: reason ? { reason } : null,
    completed_at: reason ? null : answer.created,
    output: outputOf(parsed, answer),
    usage: responsesUsage(answer.usage),
  });
}

const incomplete: Partial<Record<Reply['finish'], string>> = {
  length: 'max_output_tokens',
  blocked: 'content_filter',
};

export function failed(
  parsed: ParsedResponses,
  answer: Answer,
  error: { code: string; message: string },
): ResponsesAnswer {
  return responseOf(parsed, answer, { status: 'failed', error });
}

function responseOf(
  { request, prompt: { effort } }: ParsedResponses,
  { id, created }: Answer,
  now: Partial<ResponsesAnswer> & { status: ResponsesStatus },
): ResponsesAnswer {
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: created,
    completed_at: null,
    error: null,
    incomplete_details: null,
    output: [],
    usage: null,
    ...echo(request),
    reasoning: { effort, summary: request.reasoning?.summary ?? null },
    ...now,
  };
}

type Echo = Omit<
  ResponsesAnswer,
  | 'id'
  | 'object'
  | 'created_at'
  | 'completed_at'
  | 'status'
  | 'error'
  | 'incomplete_details'
  | 'output'
  | 'usage'
  | 'reasoning'
>;

/** The fields that a response repeats from its request, with defaults. */
function echo(request: ResponsesRequest): Echo {
  const { text } = request;
  return {
    background: false,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    max_tool_calls: request.max_tool_calls ?? null,
    metadata: request.metadata ?? {},
    model: request.model,
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    presence_penalty: 0,
    frequency_penalty: 0,
    previous_response_id: request.previous_response_id ?? null,
    prompt_cache_key: request.prompt_cache_key ?? null,
    safety_identifier: request.safety_identifier ?? null,
    service_tier: shownTier(request),
    store: request.store ?? true,
    temperature: request.temperature ?? 1,
    text: {
      format: { ...(text?.format ?? { type: 'text' }) },
      ...(text?.verbosity && { verbosity: text.verbosity }),
    },
    tool_choice: request.tool_choice ?? 'auto',
    tools: (request.tools ?? []).map(shownTool),
    top_logprobs: request.top_logprobs ?? 0,
    top_p: request.top_p ?? 1,
    truncation: request.truncation ?? 'disabled',
    user: request.user ?? null,
  };
}

function shownTier({ service_tier: tier }: ResponsesRequest): string {
  return tier && tier !== 'auto' ? tier : 'default';
}

function shownTool(tool: Tool): Record<string, unknown> {
  if (tool.type !== 'function') return { ...tool };
  return { description: null, parameters: null, ...tool, strict: tool.strict ?? true };
}

export function responsesUsage({ input, cachedInput, output, reasoning }: Usage): ResponsesUsage {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cachedInput, cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}
