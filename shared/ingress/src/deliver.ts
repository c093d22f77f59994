import { type Call, type Caller, maxLosses } from '@model-gateway/bus';
import {
  type Envelope,
  Failures,
  type FieldNames,
  fromErrorEvent,
  type GatewayError,
  type GenerateEvent,
  type Route,
  toGatewayError,
} from '@model-gateway/canonical';
import type { Admitted } from './admit.ts';
import type { RequestBodies, SentBody } from './plan.ts';

/** A request that passed all checks, with the routes to take in turn. */
export interface Deliverable extends RequestBodies {
  admitted: Pick<Admitted, 'share' | 'endForRevocation'>;
  envelope: Omit<Envelope, 'textLength' | 'form' | 'route' | 'targets' | 'endsAt'>;
  /** Latest end in milliseconds since 1970, if the routes' timeouts do not set it. */
  endsAt?: number;
  /** Returns the answer if no route gives one. */
  estimate?: (() => Promise<readonly GenerateEvent[]>) | undefined;
}

/** The receiver of an answer. */
export interface Receiver {
  /** True once it has shown a part of the answer: from then on no other route is taken. */
  readonly begun: boolean;
  /** Receives events in order, the last one `finish` or `error`; `weight` is the credit to return once they are taken. */
  write(events: readonly GenerateEvent[], weight: number): void;
  /** Ends the answer with an error. */
  fail(error: GatewayError): void;
}

/** The functions that a receiver calls. */
export interface ReceiverHooks {
  /** Returns credit for events that were taken. */
  consumed(weight: number): void;
  /** Ends the delivery: with an error if the answer failed or is not wanted any more. */
  ended(error?: GatewayError): void;
}

interface DeliverOptions {
  caller: Caller;
  /** The client's names of fields, for errors. */
  fieldNames?: FieldNames | undefined;
  /** The longest wait for workers with room, in milliseconds, over all attempts. */
  queueMs: number;
}

/**
 * Sends a request over one route after the other until one answers. Resolves when the receiver has ended, with the error
 * if it failed.
 */
export function deliver(
  request: Deliverable,
  options: DeliverOptions,
  receiver: (hooks: ReceiverHooks) => Receiver,
): Promise<GatewayError | undefined> {
  const { promise, resolve } = Promise.withResolvers<GatewayError | undefined>();
  new Delivery(request, options, receiver, resolve).next();
  return promise;
}

class Delivery {
  readonly #request: Omit<Deliverable, keyof RequestBodies>;
  readonly #options: DeliverOptions;
  readonly #receiver: Receiver;
  /** The routes that were not taken; freed with the bodies once a stream has begun. */
  #left: Route[];
  #bodies: RequestBodies['bodies'];
  #failures: Failures | undefined;
  /** Latest end of all attempts, in milliseconds since 1970. */
  readonly #endsAt: number;
  #queueMsLeft: number;
  #lossesLeft = maxLosses;
  #call: Call | undefined;
  /** True once the call's worker has sent a part of the answer, though it may not be shown yet. */
  #answering = false;
  #over = false;

  constructor(
    { routes, bodies, ...request }: Deliverable,
    options: DeliverOptions,
    receiver: (hooks: ReceiverHooks) => Receiver,
    ended: (error?: GatewayError) => void,
  ) {
    this.#request = request;
    this.#options = options;
    this.#left = [...routes];
    this.#bodies = bodies;
    this.#queueMsLeft = options.queueMs;
    const totalMs = Math.max(0, ...routes.map(({ timeouts }) => timeouts.total));
    this.#endsAt = request.endsAt ?? Date.now() + options.queueMs + totalMs;
    this.#receiver = receiver({
      consumed: weight => this.#call?.consumed(weight),
      ended: error => {
        this.#over = true;
        if (error) this.#call?.cancel();
        ended(error);
      },
    });
    // From here on, a revoked token ends the answer with an error, which cancels the call.
    request.admitted.endForRevocation = reason => this.#receiver.fail(reason);
  }

  /** Takes the next route. */
  next(): void {
    if (this.#over) return;
    const route = this.#left.shift();
    if (route) this.#take(route);
    else void this.#answerByEstimate();
  }

  #take(route: Route): void {
    const { provider, model, pool } = route;
    const { body, sent } = this.#bodies[route.body] as SentBody;
    const { envelope } = this.#request;
    const openedAt = Date.now();
    this.#answering = false;
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
    if (first?.type === 'error' && !this.#answering && !this.#receiver.begun)
      return this.#failed(fromErrorEvent(first, this.#options.fieldNames));
    this.#answering = true;
    // Once a stream has begun there is no failover: the routes and their bodies can be freed.
    if (this.#request.envelope.stream && this.#left !== noRoutes) {
      this.#request.admitted.share.release();
      this.#left = noRoutes;
      this.#bodies = {};
    }
    this.#receiver.write(events, weight);
  }

  #failed(failure: GatewayError): void {
    this.#account();
    this.#failures ??= new Failures();
    const mayGoOn = this.#failures.add(failure) && Date.now() < this.#endsAt;
    const isLast = this.#left.length === 0 && !this.#request.estimate;
    if (mayGoOn && !isLast) this.next();
    else this.#receiver.fail(this.#failures.error);
  }

  /** Subtracts what the last call used of the request's bounds. */
  #account(): void {
    const call = this.#call;
    if (!call) return;
    this.#lossesLeft -= call.losses;
    this.#queueMsLeft = Math.max(0, this.#queueMsLeft - call.queuedMs);
  }

  async #answerByEstimate(): Promise<void> {
    const { estimate } = this.#request;
    if (!estimate) return this.#receiver.fail((this.#failures ?? new Failures()).error);
    try {
      this.#receiver.write(await estimate(), 0);
    } catch (thrown) {
      this.#receiver.fail(toGatewayError(thrown));
    }
  }
}

const noRoutes: Route[] = [];
