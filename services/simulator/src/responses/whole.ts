import type { ResponsesAnswer, ResponsesStatus } from '@model-gateway/wire';
import type { Answer, Thought } from '../mind/answer.ts';
import { outputOf } from './output.ts';
import type { ResponsesAsked } from './parse.ts';
import type { ResponsesRequest } from './request.ts';
import type { Tool } from './tool.ts';
import { responsesUsage } from './usage.ts';

/** A response that has begun. */
export function begun(asked: ResponsesAsked, answer: Answer): ResponsesAnswer {
  return responseOf(asked, answer, { status: 'in_progress' });
}

/** A response that has come to its end, good or cut short. */
export function whole(asked: ResponsesAsked, answer: Answer): ResponsesAnswer {
  const [thought] = answer.thoughts as [Thought];
  const reason = incomplete[thought.finish] ?? null;
  return responseOf(asked, answer, {
    status: reason ? 'incomplete' : 'completed',
    incomplete_details: reason ? { reason } : null,
    completed_at: reason ? null : answer.created,
    output: outputOf(asked, answer),
    usage: responsesUsage(answer.usage),
  });
}

const incomplete: Partial<Record<Thought['finish'], string>> = {
  length: 'max_output_tokens',
  blocked: 'content_filter',
};

/** A response that failed. */
export function failed(
  asked: ResponsesAsked,
  answer: Answer,
  error: { code: string; message: string },
): ResponsesAnswer {
  return responseOf(asked, answer, { status: 'failed', error });
}

function responseOf(
  { request, prompt: { effort } }: ResponsesAsked,
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

/** What a response repeats of its request, with the defaults of what was not said. */
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
