import {
  canonicalMedia,
  estimateInput,
  estimateUsage,
  type FieldNames,
  fromErrorEvent,
  GatewayError,
  type GenerateEvent,
  type GenerateRequest,
  type Route,
  type SpeechRequest,
  toGatewayError,
  type Usage,
  type WireFormat,
} from '@model-gateway/canonical';
import type { Deliverable, Receiver, ReceiverHooks, SentBody } from '@model-gateway/ingress';
import type { Backlog } from './backlog.ts';

/** The client's names of canonical fields, for errors. */
export const fieldNames: FieldNames = {
  messages: 'items',
  toolChoice: 'tool_choice',
  parallelToolCalls: 'parallel_tool_calls',
  maxTokens: 'max_output_tokens',
};

/** A request to a model, with the receiver of its answer. */
export interface ModelCall {
  operation: 'generate' | 'transcribe' | 'speech';
  model: string;
  /** The format of the body. */
  format: WireFormat;
  fields?: Partial<Deliverable['envelope']>;
  /** Kind of the body; only routes that take it are used. */
  kind: Route['body'];
  /** Returns the body, and its length in bytes, for which it calls `take` before it makes it. @throws GatewayError */
  write(take: (bytes: number) => void): Promise<SentBody & { size: number }>;
  /** The request for routes of other formats; they are not used if it is absent. */
  translated?: SpeechRequest;
  /** The request, from which usage is estimated. */
  request?: GenerateRequest;
  signal: AbortSignal;
  onEvents(events: readonly GenerateEvent[]): void;
}

/** The end of a session, for the calls that it cancels. */
export interface SessionEnd {
  /** The reason, if it is not that the client left. */
  error: GatewayError | undefined;
}

/** The answer of a model to one call, for a session. */
export class ModelAnswer implements Receiver {
  readonly #call: ModelCall;
  readonly #backlog: Backlog;
  readonly #session: SessionEnd;
  #hooks: ReceiverHooks | undefined;
  #begun = false;
  #over = false;
  #usage: Usage | null = null;
  #complete = false;
  #characters = 0;

  constructor(call: ModelCall, backlog: Backlog, session: SessionEnd) {
    this.#call = call;
    this.#backlog = backlog;
    this.#session = session;
  }

  /** Sets the functions to call, and ends the answer when the call's signal aborts. */
  connect(hooks: ReceiverHooks): this {
    this.#hooks = hooks;
    const { signal } = this.#call;
    signal.addEventListener('abort', this.#leave);
    if (signal.aborted) this.#leave();
    return this;
  }

  get begun(): boolean {
    return this.#begun;
  }

  write(events: readonly GenerateEvent[], weight: number): void {
    if (this.#over) return;
    this.#begun = true;
    for (const event of events) this.#read(event);
    try {
      this.#call.onEvents(events);
    } catch (thrown) {
      // An error of the session ends the call.
      return this.fail(toGatewayError(thrown));
    }
    const last = events.at(-1);
    if (last?.type === 'error') return this.fail(fromErrorEvent(last, fieldNames));
    if (last?.type === 'finish') return this.#end();
    if (!this.#backlog.full) this.#hooks?.consumed(weight);
    else void this.#backlog.drained().then(() => this.#hooks?.consumed(weight));
  }

  fail(error: GatewayError): void {
    this.#end(error);
  }

  /** Returns the usage that the upstream reported; an estimate until then, and null before the answer has begun. */
  usage(): Usage | null {
    if (!this.#begun || this.#complete || !this.#call.request) return this.#usage;
    const input = estimateInput(this.#call.request, canonicalMedia);
    return estimateUsage({ input }, this.#characters, this.#usage);
  }

  #read(event: GenerateEvent): void {
    if (event.type === 'start') this.#usage = event.usage ?? null;
    else if (event.type === 'part-delta') this.#characters += event.text.length;
    else if (event.type === 'finish') {
      this.#complete = event.usage !== null;
      this.#usage = event.usage ?? this.#usage;
    }
  }

  readonly #leave = () =>
    this.fail(this.#session.error ?? new GatewayError('cancelled', 'The request was cancelled.'));

  #end(error?: GatewayError): void {
    if (this.#over) return;
    this.#over = true;
    this.#call.signal.removeEventListener('abort', this.#leave);
    this.#hooks?.ended(error);
  }
}
