import {
  type FinishEvent,
  type GatewayError,
  type GenerateEvent,
  noUsage,
  type StartEvent,
  type VerbatimEvent,
} from '@model-gateway/canonical';
import type { RenderContext, StreamWriter } from '@model-gateway/ingress';
import { sseComment, sseEvent } from '@model-gateway/sse';
import type { ResponsesAnswer } from '@model-gateway/wire';
import { renderErrorFields, renderFailure } from './render-failure.ts';
import { type IncomingRequest, renderHead, renderUsage } from './render-head.ts';
import { frame, type MakeOutput, type OutputWriter } from './writer.ts';

/** Agents take no comment for a sign of life, and give a silent server up after five minutes. */
const commentsMs = 120_000;

/** Writes an answer's events as the events of this format. Each has a number, and so has what ends a stream that fails. */
export class ResponseStream implements StreamWriter {
  readonly #context: RenderContext;
  readonly #asked: IncomingRequest;
  readonly #output: OutputWriter;
  /** What the client was shown of an answer that goes out as it came. */
  readonly #overheard = new VerbatimTracker();
  #number = 0;
  #head: ResponsesAnswer | undefined;

  constructor(context: RenderContext, asked: IncomingRequest, outputOf: MakeOutput) {
    this.#context = context;
    this.#asked = asked;
    this.#output = outputOf(context.requestId, (type, fields) => this.#frame(type, fields));
  }

  add(event: GenerateEvent): string {
    switch (event.type) {
      case 'start':
        return this.#head ? '' : this.#begin(event);
      case 'verbatim':
        return this.#listen(event);
      case 'result':
      case 'error':
      case 'choice-end':
        return '';
      default:
        // A client of this format asks for one answer, and has room for one.
        return 'choice' in event && event.choice ? '' : this.#begun() + this.#rest(event);
    }
  }

  ping(silentMs: number): string {
    const begun = this.#head || this.#overheard.begun;
    if (silentMs < commentsMs || !begun) return sseComment('ping');
    return this.#overheard.begun
      ? frame('keepalive', this.#overheard.number, {})
      : this.#frame('keepalive', {});
  }

  fail(error: GatewayError): string {
    if (this.#overheard.begun) this.#number = this.#overheard.number + 1;
    const begun = this.#overheard.begun ? '' : this.#begun();
    const id = this.#overheard.id ?? '';
    const head = this.#head ?? renderHead({ id, model: '' }, this.#asked, this.#context);
    const response = { ...head, status: 'failed', error: renderFailure(error), output: this.#output.items };
    return (
      begun + this.#frame('error', renderErrorFields(error)) + this.#frame('response.failed', { response })
    );
  }

  #listen(event: VerbatimEvent): string {
    this.#overheard.add(event);
    return '';
  }

  #begun(): string {
    return this.#head ? '' : this.#begin({ type: 'start', id: '', model: '' });
  }

  #begin(start: StartEvent): string {
    const response = renderHead(start, this.#asked, this.#context);
    this.#head = response;
    return this.#frame('response.created', { response }) + this.#frame('response.in_progress', { response });
  }

  #rest(
    event: Exclude<GenerateEvent, { type: 'start' | 'verbatim' | 'result' | 'error' | 'choice-end' }>,
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

  #frame(type: string, fields: Record<string, unknown>): string {
    return frame(type, this.#number++, fields);
  }
}

/** A response that is over. */
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

/** What of a stream that goes out as it came is needed to end it: little is kept, and nothing read until then. */
class VerbatimTracker {
  #first: Uint8Array | undefined;
  /** The last bytes that began with an event. */
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
