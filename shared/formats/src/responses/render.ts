import {
  type ErrorKind,
  type FinishEvent,
  type GatewayError,
  type GenerateAnswer,
  type GenerateEvent,
  noUsage,
  type PartStart,
  type StartEvent,
  type VerbatimEvent,
} from '@model-gateway/canonical';
import { sseComment, sseEvent } from '@model-gateway/sse';
import type { AnswerRenderer, CountRenderer, RenderContext, StreamWriter } from '../client/endpoint.ts';
import { type ChatErrorBody, renderChatError } from '../client/render-errors.ts';
import type { ResponsesAnswer, ResponsesTokenCount } from './answer.ts';
import type { ToolNames } from './parse-tools.ts';
import { frame, type MakeOutput, type OutputWriter, responseId } from './render-items.ts';
import { Output } from './render-output.ts';
import { SummaryOutput } from './render-summary.ts';
import type { ResponsesRequest } from './request.ts';
import { renderUsage } from './usage.ts';

/** The fields of a request that affect how its response is rendered. */
export interface ResponsesRendering {
  /** The fields that the response repeats. */
  request: EchoedRequest;
  /** The names of the tools in the canonical request. */
  names: ToolNames;
  /** True if the response is a summary of the conversation. */
  summary: boolean;
}

export function rendererOf({ request, names, summary }: ResponsesRendering): AnswerRenderer {
  return responsesRenderer(request, (requestId, frame) =>
    summary ? new SummaryOutput(requestId, frame) : new Output({ requestId, names, frame }),
  );
}

/** Returns the renderer. The response repeats fields of `request`; `outputOf` turns its parts into items. */
export function responsesRenderer(request: EchoedRequest, outputOf: MakeOutput): AnswerRenderer {
  return {
    type: 'answer',
    whole: (answer, context) => renderWhole(answer, context, request, outputOf),
    stream(context) {
      const stream = new ResponseStream(context, request, outputOf);
      return {
        add: event => stream.add(event),
        ping: silentMs => stream.ping(silentMs),
        fail: error => stream.fail(error),
      };
    },
  };
}

/** Renders a complete response from the same events as a stream. */
function renderWhole(
  { start, parts, finish }: GenerateAnswer,
  context: RenderContext,
  request: EchoedRequest,
  outputOf: MakeOutput,
): ResponsesAnswer {
  const output = outputOf(context.requestId, () => '');
  for (const [index, part] of parts.entries()) {
    output.start(index, part as PartStart);
    if (part.type === 'tool-call') output.add(index, part.arguments);
    else if ('text' in part) output.add(index, part.text);
    output.end({ ...part, index });
  }
  const { incomplete, failed } = output.finish(finish);
  const head = renderHead(start, request, context);
  if (failed) return { ...head, status: 'failed', error: renderFailure(failed) };
  return renderEnd(head, finish, { incomplete, output: output.items, context });
}

export const countRenderer: CountRenderer = {
  type: 'count',
  count: (tokens): ResponsesTokenCount => ({ object: 'response.input_tokens', input_tokens: tokens }),
};

/**
 * The silence after which a keepalive event replaces comments. Agents ignore comments, and disconnect after 5
 * min without an event.
 */
const commentsMs = 120_000;

/**
 * Renders a response's events in this format. All events are numbered, also those that end a failed stream.
 */
class ResponseStream implements StreamWriter {
  readonly #context: RenderContext;
  readonly #request: EchoedRequest;
  readonly #output: OutputWriter;
  /** Tracks the events of a verbatim stream, which the client receives unchanged. */
  readonly #verbatim = new VerbatimTracker();
  #number = 0;
  #head: ResponsesAnswer | undefined;

  constructor(context: RenderContext, request: EchoedRequest, outputOf: MakeOutput) {
    this.#context = context;
    this.#request = request;
    this.#output = outputOf(context.requestId, (type, fields) => this.#frame(type, fields));
  }

  add(event: GenerateEvent): string {
    switch (event.type) {
      case 'start':
        return this.#head ? '' : this.#begin(event);
      case 'verbatim':
        return this.#track(event);
      case 'audio':
      case 'result':
      case 'error':
      case 'choice-end':
        return '';
      default:
        // This format has only one choice.
        return 'choice' in event && event.choice ? '' : this.#begun() + this.#rest(event);
    }
  }

  ping(silentMs: number): string {
    const begun = this.#head || this.#verbatim.begun;
    if (silentMs < commentsMs || !begun) return sseComment('ping');
    return this.#verbatim.begun
      ? frame('keepalive', this.#verbatim.number, {})
      : this.#frame('keepalive', {});
  }

  fail(error: GatewayError): string {
    if (this.#verbatim.begun) this.#number = this.#verbatim.number + 1;
    const begun = this.#verbatim.begun ? '' : this.#begun();
    const id = this.#verbatim.id ?? '';
    const head = this.#head ?? renderHead({ id, model: '' }, this.#request, this.#context);
    const response = { ...head, status: 'failed', error: renderFailure(error), output: this.#output.items };
    return (
      begun + this.#frame('error', renderErrorFields(error)) + this.#frame('response.failed', { response })
    );
  }

  #track(event: VerbatimEvent): string {
    this.#verbatim.add(event);
    return '';
  }

  #begun(): string {
    return this.#head ? '' : this.#begin({ type: 'start', id: '', model: '' });
  }

  #begin(start: StartEvent): string {
    const response = renderHead(start, this.#request, this.#context);
    this.#head = response;
    return this.#frame('response.created', { response }) + this.#frame('response.in_progress', { response });
  }

  #rest(
    event: Exclude<
      GenerateEvent,
      { type: 'start' | 'verbatim' | 'audio' | 'result' | 'error' | 'choice-end' }
    >,
  ): string {
    switch (event.type) {
      case 'part-start':
        return this.#output.start(event.index, event.part);
      case 'part-delta':
        return this.#output.add(event.index, event.text);
      case 'part-end':
        return this.#output.end(event);
      case 'finish':
        return this.#finish(event);
    }
  }

  #finish(finish: FinishEvent): string {
    const { text, incomplete, failed } = this.#output.finish(finish);
    if (failed) return text + this.fail(failed);
    const head = this.#head as ResponsesAnswer;
    const response = renderEnd(head, finish, {
      incomplete,
      output: this.#output.items,
      context: this.#context,
    });
    return text + this.#frame(`response.${response.status}`, { response }) + sseEvent('[DONE]');
  }

  #frame(type: string, fields: Record<string, unknown> | string): string {
    return frame(type, this.#number++, fields);
  }
}

/** Renders a response that has ended. */
function renderEnd(
  head: ResponsesAnswer,
  { usage }: FinishEvent,
  { incomplete, output, context }: End,
): ResponsesAnswer {
  return {
    ...head,
    status: incomplete ? 'incomplete' : 'completed',
    completed_at: incomplete ? null : (context.now?.() ?? context.created),
    incomplete_details: incomplete,
    output,
    usage: renderUsage(usage ?? noUsage),
  };
}

interface End extends Pick<ResponsesAnswer, 'output'> {
  incomplete: { reason: string } | null;
  context: RenderContext;
}

/** Keeps the parts of a verbatim stream that are needed to end it. They are parsed only if that happens. */
class VerbatimTracker {
  #first: Uint8Array | undefined;
  /** The last bytes that start at an event. */
  #last: Uint8Array | undefined;
  #within = false;

  add({ bytes, partial = false }: VerbatimEvent): void {
    this.#first ??= bytes;
    if (!this.#within) this.#last = bytes;
    this.#within = partial;
  }

  get begun(): boolean {
    return this.#first !== undefined;
  }

  /** The response's id. */
  get id(): string | undefined {
    return /"id"\s*:\s*"(resp_[^"]+)"/.exec(textOf(this.#first))?.[1];
  }

  /** The number of the last event. */
  get number(): number {
    const numbers = [...textOf(this.#last).matchAll(/"sequence_number"\s*:\s*(\d+)/g)];
    return Number(numbers.at(-1)?.[1] ?? 0);
  }
}

function textOf(bytes: Uint8Array | undefined): string {
  return bytes ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1') : '';
}

/** Renders a response that is in progress. It repeats the request's fields, with the format's defaults: some clients require every field. */
export function renderHead(
  { id, model }: Pick<StartEvent, 'id' | 'model'>,
  request: EchoedRequest,
  { requestId, created }: RenderContext,
): ResponsesAnswer {
  const { service_tier: tier, truncation } = request;
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
    usage: null,
  };
}

/** A request without its input. A response repeats most of its fields. */
export type EchoedRequest = ResponsesRequest & { input?: undefined };

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

/** The error codes of failed responses. Agents retry the codes that indicate a server error. */
const codes: Record<ErrorKind, string> = {
  'invalid-request': 'invalid_prompt',
  unauthenticated: 'server_error',
  forbidden: 'server_error',
  'not-found': 'server_error',
  'too-large': 'invalid_prompt',
  'rate-limited': 'rate_limit_exceeded',
  'quota-exceeded': 'insufficient_quota',
  overloaded: 'server_is_overloaded',
  timeout: 'server_error',
  upstream: 'server_error',
  cancelled: 'server_error',
  internal: 'server_error',
};

/** Renders the `error` field of a failed response. */
export function renderFailure({ kind, message, details }: GatewayError): { code: string; message: string } {
  const hasCode = kind === 'invalid-request' || kind === 'too-large' || details.endedBy !== undefined;
  return { code: (hasCode && details.code) || codes[kind], message };
}

/** Renders the fields of the `error` event: flat as in OpenAI's API, and nested as in Open Responses. */
function renderErrorFields(error: GatewayError): Record<string, unknown> {
  const { code, message } = renderFailure(error);
  const body = renderChatError(error).body as ChatErrorBody;
  const { type, param } = body.error;
  return { code, message, param, error: { type, code, message, param } };
}

/** Renders an error as the only event of a stream whose renderer is unknown. */
export function renderErrorEvent(error: GatewayError): string {
  return frame('error', 0, renderErrorFields(error));
}
