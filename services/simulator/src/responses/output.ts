import type {
  ResponsesAnswer,
  ResponsesMessagePart,
  ResponsesOutputItem,
  ResponsesStatus,
  ResponsesUrlCitation,
  ResponsesUsage,
} from '@model-gateway/wire';
import { tokenLogprobs } from '../chat/whole.ts';
import {
  type Answer,
  type Call,
  cited,
  type Reply,
  type Step,
  source,
  type Usage,
} from '../responder/answer.ts';
import { encrypted } from './history.ts';
import type { Tool } from './item.ts';
import type { ParsedResponses } from './parse.ts';
import type { ResponsesRequest } from './request.ts';

/** An item of an output, before its deltas and after them. */
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
    return made(parsed, run, `${id}${at.toString(16)}`, cut ? 'incomplete' : 'completed');
  });
}

/** The item of a web search, if there was one. */
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

type Status = 'in_progress' | 'completed' | 'incomplete';

function made(parsed: ParsedResponses, run: Run, suffix: string, status: Status): BuiltItem {
  if (run.kind === 'call') return buildCall(parsed, run, suffix, status);
  if (run.kind === 'reasoning') return buildReasoning(parsed, run, suffix);
  const id = `msg_${suffix}`;
  const message = (state: Status, content: ResponsesMessagePart[]): ResponsesOutputItem => ({
    type: 'message',
    id,
    role: 'assistant',
    status: state,
    content,
  });
  return { run, id, begun: message('in_progress', []), done: message(status, [partOf(parsed, run)]) };
}

export function partOf(parsed: ParsedResponses, run: Run): ResponsesMessagePart {
  const text = textOf(run);
  if (run.kind === 'refusal') return { type: 'refusal', refusal: text };
  const tokens = run.steps.map(step => (step.kind === 'call' ? '' : step.text));
  const logprobs = parsed.topLogprobs === null ? [] : tokenLogprobs(tokens, 0, parsed.topLogprobs);
  return { type: 'output_text', text, annotations: annotationsOf(parsed, text), logprobs };
}

function annotationsOf({ searches }: ParsedResponses, text: string): ResponsesUrlCitation[] {
  return searches && text
    ? [{ type: 'url_citation', ...source, start_index: 0, end_index: text.length }]
    : [];
}

function buildReasoning({ summarizes, encrypts }: ParsedResponses, run: Run, suffix: string): BuiltItem {
  const id = `rs_${suffix}`;
  const text = textOf(run);
  return {
    run,
    id,
    begun: { type: 'reasoning', id, summary: [] },
    done: {
      type: 'reasoning',
      id,
      summary: summarizes ? [{ type: 'summary_text', text }] : [],
      ...(encrypts && { encrypted_content: encrypted(id, text) }),
    },
  };
}

function buildCall(
  { origins }: ParsedResponses,
  run: Run & { kind: 'call' },
  suffix: string,
  status: Status,
): BuiltItem {
  const id = `${run.call.tool === 'function' ? 'fc' : 'ctc'}_${suffix}`;
  const origin = origins.get(run.call.name) ?? { name: run.call.name };
  const item = (state: Status, input: string) => callItem(run.call, { id, ...origin, status: state }, input);
  return { run, id, begun: item('in_progress', ''), done: item(status, textOf(run)) };
}

function callItem(
  { tool, id: callId }: Call,
  { id, status, ...origin }: { id: string; name: string; namespace?: string; status: Status },
  input: string,
): ResponsesOutputItem {
  const shared = { id, call_id: `call_${callId}`, ...origin, status };
  return tool === 'function'
    ? { type: 'function_call', ...shared, arguments: input }
    : { type: 'custom_tool_call', ...shared, input };
}

/** The steps that make one item of an output. */
export type Run =
  | { kind: 'reasoning' | 'text' | 'refusal'; steps: Step[] }
  | { kind: 'call'; steps: Step[]; call: Call };

/** Parts an answer into the items of its output. */
function runsOf({ steps }: Reply): Run[] {
  const runs: Run[] = [];
  for (const step of steps) {
    const last = runs.at(-1);
    const kind = step.kind === 'input' ? 'call' : step.kind;
    if (step.kind === 'call') runs.push({ kind: 'call', call: step.call, steps: [step] });
    else if (last?.kind === kind) last.steps.push(step);
    else if (kind !== 'call') runs.push({ kind, steps: [step] });
  }
  return runs;
}

export function textOf({ steps }: Run): string {
  return steps.map(step => (step.kind === 'call' ? '' : step.text)).join('');
}

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

function responsesUsage({ input, cachedInput, output, reasoning }: Usage): ResponsesUsage {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cachedInput, cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}
