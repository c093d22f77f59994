import type { Envelope, FinishEvent, GenerateEvent, Route, TraceHeaders } from '@model-gateway/canonical';
import { operationNames, type Span, type SpanAttributes, usageAttributes } from '@model-gateway/service';
import { answerIdentity } from './answer-identity.ts';
import type { AttemptCause, NotedOutcome } from './attempt-facts.ts';

/** The facts of an attempt as its span begins. */
export interface BegunAttempt {
  route: Route;
  cause: AttemptCause;
  /** Place among the attempts of the request, from 1. */
  number: number;
  envelope: Pick<Envelope, 'operation' | 'model' | 'stream'>;
  openedAt: number;
}

interface EndedAttempt {
  outcome: NotedOutcome;
  error: string | undefined;
  queuedMs: number | undefined;
  /** True if a worker accepted it. */
  accepted: boolean | undefined;
}

/** The span of an attempt, from its opening to its end, with the wait for a worker as a span below it. */
export class AttemptSpan {
  readonly #span: Span;
  readonly #openedAt: number;

  /** `provider`: the name of the provider's kind in traces; its own name if it is not known. */
  constructor(
    parent: Span,
    { route, cause, number, envelope, openedAt }: BegunAttempt,
    provider = route.provider,
  ) {
    const { operation, model, stream } = envelope;
    const name = operationNames[operation];
    const attributes: SpanAttributes = {
      'gen_ai.operation.name': name,
      'gen_ai.provider.name': provider,
      'gen_ai.request.model': route.model,
      'gen_ai.request.stream': stream || undefined,
      'gateway.model': model,
      'gateway.fallback': route.fallback,
      'gateway.provider': route.provider,
      'gateway.key': route.key,
      'gateway.pool': route.pool,
      'gateway.attempt.number': number,
      'gateway.attempt.cause': cause,
    };
    this.#openedAt = openedAt;
    this.#span = parent.child(`${name} ${route.model}`, { kind: 'client', attributes, at: openedAt });
  }

  get headers(): TraceHeaders {
    return this.#span.headers;
  }

  /** Notes the first events of the answer, `ms` after the opening. */
  began(events: readonly GenerateEvent[], ms: number): void {
    const { id, model } = answerIdentity(events) ?? {};
    this.#span.event('gen_ai.first_chunk', undefined, this.#openedAt + ms);
    this.#span.set({
      'gen_ai.response.time_to_first_chunk': ms / 1_000,
      'gen_ai.response.id': id,
      'gen_ai.response.model': model,
    });
  }

  finished({ reason, raw, usage, closed }: FinishEvent): void {
    // Each response of a session has a span of its own.
    if (closed) return this.#span.set({ 'gateway.session.close_code': closed.code });
    this.#span.set({
      'gen_ai.response.finish_reasons': [raw ?? reason],
      ...usageAttributes(usage),
    });
  }

  end({ outcome, error, queuedMs = 0, accepted }: EndedAttempt): void {
    const wait = this.#span.child('wait for a worker', { kind: 'internal', at: this.#openedAt });
    if (!accepted) wait.set({ 'gateway.accepted': false });
    wait.end(this.#openedAt + queuedMs);
    this.#span.set({ 'gateway.attempt.outcome': outcome });
    if (error) this.#span.fail(error);
    this.#span.end();
  }
}
