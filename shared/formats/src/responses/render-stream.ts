import {
  type FinishEvent,
  type GatewayError,
  type GenerateEvent,
  noUsage,
  type StartEvent,
  type VerbatimEvent,
} from '@model-gateway/canonical';
import { sseComment, sseEvent } from '@model-gateway/sse';
import type { RenderContext, StreamWriter } from '../client/endpoint.ts';
import type { ResponsesAnswer } from './answer.ts';
import { renderErrorFields, renderFailure } from './render-failure.ts';
import { type EchoedRequest, renderHead } from './render-head.ts';
import { renderUsage } from './usage.ts';
import { frame, type MakeOutput, type OutputWriter } from './writer.ts';

/**
 * The silence after which a keepalive event replaces comments. Agents ignore comments, and disconnect after 5
 * min without an event.
 */
const commentsMs = 120_000;

/**
 * Renders a response's events in this format. All events are numbered, also those that end a failed stream.
 */
export class ResponseStream implements StreamWriter {
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
export function renderEnd(
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
