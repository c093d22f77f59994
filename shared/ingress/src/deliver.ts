import { type Call, type Caller, maxLosses } from '@model-gateway/bus';
import {
  type Envelope,
  Failures,
  fromErrorEvent,
  type GatewayError,
  type GenerateEvent,
  type Route,
  toGatewayError,
} from '@model-gateway/canonical';
import type { Admitted } from './admit.ts';
import { Answer } from './answer.ts';
import type { Endpoint, RenderedError, Renderer } from './endpoint.ts';
import type { Framing } from './gateway-request.ts';
import type { OpenAnswers } from './open-answers.ts';
import type { SentBody, SentRequest } from './request-bodies.ts';
import type { ResponseSink } from './response-sink.ts';

/** A request that passed all checks, with the routes to take in turn. */
export interface Deliverable extends SentRequest {
  admitted: Admitted;
  envelope: Omit<Envelope, 'textLength' | 'form' | 'route' | 'targets' | 'endsAt'>;
  /** Returns the renderer of the response. */
  renderer(): Renderer;
  framing: (() => Framing) | undefined;
  /** Returns the response body of a count if no route answers. */
  estimate: (() => Promise<Buffer>) | undefined;
}

interface DeliverOptions {
  endpoint: Endpoint;
  caller: Caller;
  answers: OpenAnswers;
  /** The longest wait for workers with room, in milliseconds, over all attempts. */
  queueMs: number;
  renderError(error: GatewayError): RenderedError;
}

/**
 * Sends a request over one route after the other until one answers, and writes the response to `sink`. Resolves when
 * the response has ended, with the error if it failed.
 */
export function deliver(
  request: Deliverable,
  options: DeliverOptions,
  sink: ResponseSink,
): Promise<GatewayError | undefined> {
  const { promise, resolve } = Promise.withResolvers<GatewayError | undefined>();
  new Delivery(request, options, sink, resolve).next();
  return promise;
}

class Delivery {
  readonly #request: Omit<Deliverable, keyof SentRequest>;
  readonly #options: DeliverOptions;
  readonly #answer: Answer;
  readonly #sink: ResponseSink;
  /** The routes that were not taken; freed with the bodies once a stream has begun. */
  #left: Route[];
  #bodies: SentRequest['bodies'];
  readonly #failures = new Failures();
  /** Latest end of all attempts, in milliseconds since 1970. */
  readonly #endsAt: number;
  #queueMsLeft: number;
  #lossesLeft = maxLosses;
  #call: Call | undefined;

  constructor(
    { routes, bodies, ...request }: Deliverable,
    options: DeliverOptions,
    sink: ResponseSink,
    ended: (error?: GatewayError) => void,
  ) {
    this.#request = request;
    this.#options = options;
    this.#sink = sink;
    this.#left = [...routes];
    this.#bodies = bodies;
    this.#queueMsLeft = options.queueMs;
    const totalMs = Math.max(0, ...routes.map(({ timeouts }) => timeouts.total));
    this.#endsAt = Date.now() + options.queueMs + totalMs;
    const { envelope, admitted, renderer, framing } = request;
    sink.setHeader('x-gateway-model', headerValue(envelope.model));
    this.#answer = new Answer(sink, {
      open: options.answers,
      endpoint: options.endpoint,
      renderer,
      framing,
      requestId: envelope.requestId,
      stream: envelope.stream,
      renderError: options.renderError,
      consumed: weight => this.#call?.consumed(weight),
      ended: error => {
        if (error) this.#call?.cancel();
        ended(error);
      },
    });
    // From here on, a revoked token ends the response with an error, which cancels the call.
    admitted.endForRevocation = reason => this.#answer.fail(reason);
  }

  /** Takes the next route. */
  next(): void {
    const route = this.#left.shift();
    if (route) this.#take(route);
    else void this.#answerByEstimate();
  }

  #take(route: Route): void {
    const { provider, model, pool } = route;
    const { body, sent } = this.#bodies[route.body] as SentBody;
    const { envelope } = this.#request;
    const openedAt = Date.now();
    this.#call = this.#options.caller.call({
      pool,
      envelope: { ...envelope, ...sent, route, targets: [{ provider, model }], endsAt: this.#endsAt },
      body,
      queueMs: this.#options.queueMs,
      queueUntil: Math.min(openedAt + this.#queueMsLeft, this.#endsAt),
      lossesLeft: this.#lossesLeft,
      onEvents: (events, weight) => this.#events(events, weight),
      onLost: () => {
        this.#account();
        this.#take(route);
      },
    });
  }

  #events(events: readonly GenerateEvent[], weight: number): void {
    const [first] = events;
    if (first?.type === 'error' && !this.#answer.begun) return this.#failed(fromErrorEvent(first));
    // Once a stream has begun there is no failover: the routes and their bodies can be freed.
    if (this.#request.envelope.stream && this.#left !== noRoutes) {
      this.#request.admitted.share.release();
      this.#left = noRoutes;
      this.#bodies = {};
    }
    this.#answer.write(events, weight);
  }

  #failed(failure: GatewayError): void {
    this.#account();
    const mayGoOn = this.#failures.add(failure) && Date.now() < this.#endsAt;
    const isLast = this.#left.length === 0 && !this.#request.estimate;
    if (mayGoOn && !isLast) this.next();
    else this.#answer.fail(this.#failures.error);
  }

  /** Subtracts what the last call used of the request's bounds. */
  #account(): void {
    const call = this.#call;
    if (!call) return;
    this.#lossesLeft -= call.losses;
    this.#queueMsLeft = Math.max(0, this.#queueMsLeft - call.queuedMs);
  }

  /** Answers with an estimate, marked by `x-gateway-estimate`. */
  async #answerByEstimate(): Promise<void> {
    const { estimate } = this.#request;
    if (!estimate) return this.#answer.fail(this.#failures.error);
    try {
      const bytes = await estimate();
      this.#sink.setHeader('x-gateway-estimate', 'true');
      const whole = { status: 200, mediaType: 'application/json', length: bytes.length };
      const finish = { type: 'finish', reason: 'stop', raw: null, usage: null } as const;
      this.#answer.write([{ type: 'verbatim', bytes, whole }, finish], 0);
    } catch (thrown) {
      this.#answer.fail(toGatewayError(thrown));
    }
  }
}

const noRoutes: Route[] = [];

/** Encodes a model's name for a header. */
function headerValue(text: string): string {
  return /^[\x21-\x7e]*$/.test(text) ? text : encodeURIComponent(text.toWellFormed());
}
