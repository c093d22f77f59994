import type {
  ResponsesAnswer,
  ResponsesItemStatus,
  ResponsesMessagePart,
  ResponsesOutputItem,
  ResponsesUsage,
} from '@model-gateway/formats';
import { tokenLogprobs } from '../chat/whole.ts';
import { type Answer, cited, type Reply, type Run, runsOf, source, type Usage } from '../responder/answer.ts';
import { encrypted } from './history.ts';
import type { ParsedResponses } from './parse.ts';
import type { ResponsesRequest } from './request.ts';

/** An output item before its deltas and after them. */
export interface BuiltItem {
  run: Run;
  id: string;
  begun: ResponsesOutputItem;
  done: ResponsesOutputItem;
}

/** The items of an output, without a web search. */
export function itemsOf(parsed: ParsedResponses, { id, replies }: Answer): BuiltItem[] {
  const [reply] = replies as [Reply];
  const runs = runsOf(reply);
  return runs.map((run, at) => {
    const cut = reply.finish === 'length' && at === runs.length - 1;
    const itemId = `${prefixOf(run)}_${id}${at.toString(16)}`;
    const item = (status: ResponsesItemStatus) => itemOf(parsed, run, itemId, status);
    return { run, id: itemId, begun: item('in_progress'), done: item(cut ? 'incomplete' : 'completed') };
  });
}

function prefixOf(run: Run): string {
  if (run.kind === 'call') return run.call.tool === 'function' ? 'fc' : 'ctc';
  return run.kind === 'reasoning' ? 'rs' : 'msg';
}

function itemOf(
  parsed: ParsedResponses,
  run: Run,
  id: string,
  status: ResponsesItemStatus,
): ResponsesOutputItem {
  const begins = status === 'in_progress';
  const text = begins ? '' : run.text;
  if (run.kind === 'call') {
    const { name } = run.call;
    const call = { id, call_id: `call_${run.call.id}`, ...(parsed.origins.get(name) ?? { name }), status };
    return run.call.tool === 'function'
      ? { type: 'function_call', ...call, arguments: text }
      : { type: 'custom_tool_call', ...call, input: text };
  }
  if (run.kind === 'reasoning')
    return {
      type: 'reasoning',
      id,
      summary: begins || !parsed.summarizes ? [] : [{ type: 'summary_text', text }],
      ...(!begins && parsed.encrypts && { encrypted_content: encrypted(id, text) }),
    };
  return { type: 'message', id, role: 'assistant', status, content: begins ? [] : [partOf(parsed, run)] };
}

/** The content part of a message. */
export function partOf({ searches, topLogprobs: top }: ParsedResponses, { kind, text, steps }: Run) {
  if (kind === 'refusal') return { type: 'refusal', refusal: text } as const;
  const tokens = steps.map(step => (step.kind === 'call' ? '' : step.text));
  const citation = { type: 'url_citation' as const, ...source, start_index: 0, end_index: text.length };
  return {
    type: 'output_text',
    text,
    annotations: searches && text ? [citation] : [],
    logprobs: top === null ? [] : tokenLogprobs(tokens, 0, top),
  } satisfies ResponsesMessagePart;
}

/** The item of a web search, if any. */
export function searchOf({ prompt, searches }: ParsedResponses, { id, replies }: Answer) {
  const [reply] = replies as [Reply];
  if (cited(reply, searches) === null) return undefined;
  const action = { type: 'search', query: prompt.question.slice(0, 100).toWellFormed() };
  return { type: 'web_search_call', id: `ws_${id}`, status: 'completed', action };
}

export function outputOf(parsed: ParsedResponses, answer: Answer) {
  const search = searchOf(parsed, answer);
  return [...(search ? [search] : []), ...itemsOf(parsed, answer).map(({ done }) => done)];
}

const incomplete: Partial<Record<Reply['finish'], string>> = {
  length: 'max_output_tokens',
  blocked: 'content_filter',
};

export function whole(parsed: ParsedResponses, answer: Answer): ResponsesAnswer {
  const [reply] = answer.replies as [Reply];
  const reason = incomplete[reply.finish] ?? null;
  return {
    ...unfinished(parsed, answer),
    status: reason ? 'incomplete' : 'completed',
    incomplete_details: reason ? { reason } : null,
    completed_at: reason ? null : answer.created,
    output: outputOf(parsed, answer),
    usage: responsesUsage(answer.usage),
  };
}

/** A response in progress, with the settings of its request. */
export function unfinished({ request, prompt }: ParsedResponses, { id, created }: Answer) {
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: created,
    completed_at: null,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    output: [],
    usage: null,
    ...settingsOf(request),
    reasoning: { effort: prompt.effort, summary: request.reasoning?.summary ?? null },
  } satisfies ResponsesAnswer;
}

function settingsOf({ text, service_tier: tier, ...request }: ResponsesRequest) {
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
    service_tier: tier && tier !== 'auto' ? tier : 'default',
    store: request.store ?? true,
    temperature: request.temperature ?? 1,
    text: {
      format: { ...(text?.format ?? { type: 'text' }) },
      ...(text?.verbosity && { verbosity: text.verbosity }),
    },
    tool_choice: request.tool_choice ?? 'auto',
    tools: (request.tools ?? []).map(tool =>
      tool.type === 'function'
        ? { description: null, parameters: null, ...tool, strict: tool.strict ?? true }
        : { ...tool },
    ),
    top_logprobs: request.top_logprobs ?? 0,
    top_p: request.top_p ?? 1,
    truncation: request.truncation ?? 'disabled',
    user: request.user ?? null,
  };
}

function responsesUsage({ input, cachedInput, output, reasoning }: Usage): ResponsesUsage {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cachedInput, cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}
