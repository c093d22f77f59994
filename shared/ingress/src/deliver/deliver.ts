import { appended, maxLosses } from '@model-gateway/bus';
import {
  Failures,
  fromErrorEvent,
  type GatewayError,
  type GenerateEvent,
  type Route,
} from '@model-gateway/canonical';
import type { Clock, Timer } from '@model-gateway/clock';
import type { AttemptCause } from '../attempts/request-trace.ts';
import { kindOf, NotedAttempt } from '../attempts/running-attempt.ts';
import { chooseFailover, longestDoubtMs } from '../health/choose-failover.ts';
import { RouteFailures } from '../health/route-failures.ts';
import type { Fallbacks } from '../plan/fallbacks.ts';
import type { RequestBodies, SentBody } from '../plan/plan.ts';
import type { Deliverable, DeliverOptions, Receiver, ReceiverHooks } from './deliverable.ts';
import { GuardedReceiver } from './guarded-receiver.ts';

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
  new Delivery(request, options, receiver, resolve).begin();
  return promise;
}

class Delivery {
  readonly #request: Omit<Deliverable, keyof RequestBodies>;
  readonly #options: DeliverOptions;
  readonly #clock: Clock;
  readonly #receiver: GuardedReceiver;
  /** The routes that were not taken; freed with the bodies and the fallbacks once a stream has begun. */
  #left: Route[];
  #bodies: RequestBodies['bodies'];
  #fallbacks: Fallbacks | undefined;
  #failures: RouteFailures | undefined;
  /** The attempts that run: two while a hedged request waits for the first answer. */
  #running: NotedAttempt[] = [];
  /** The attempt whose worker has sent a part of the answer, though it may not be shown yet. */
  #answering: NotedAttempt | undefined;
  /** Number of attempts. */
  #taken = 0;
  #retry: Timer | undefined;
  #hedge: Timer | undefined;
  #hedged = false;
  /** True once a worker has accepted an attempt that then failed. */
  #hadTurn = false;
  /** The route that was announced last. */
  #announced: Route | undefined;
  /** Latest end of all attempts, in milliseconds since 1970. */
  readonly #endsAt: number;
  #queueMsLeft: number;
  #lossesLeft = maxLosses;
  #over = false;
  readonly #onEnd: (error?: GatewayError) => void;
  readonly #refuse = (reason: GatewayError) => this.#receiver.fail(reason);

  constructor(
    { routes, bodies, fallbacks, ...request }: Deliverable,
    options: DeliverOptions,
    receiver: (hooks: ReceiverHooks) => Receiver,
    ended: (error?: GatewayError) => void,
  ) {
    this.#request = request;
    this.#options = options;
    this.#clock = options.health.clock;
    this.#left = [...routes];
    this.#bodies = bodies;
    this.#fallbacks = fallbacks;
    this.#queueMsLeft = options.queueMs;
    this.#onEnd = ended;
    options.health.retries.sent();
    const own = routes.filter(({ fallback }) => fallback === undefined);
    const limiting = own.length > 0 ? own : routes;
    const totalMs = Math.max(0, ...limiting.map(({ timeouts }) => timeouts.total));
    this.#endsAt = request.endsAt ?? this.#clock.now() + options.queueMs + totalMs;
    const end = (error?: GatewayError) => this.#end(error);
    const hooks = { consumed: (weight: number) => this.#answering?.call?.consumed(weight), ended: end };
    this.#receiver = new GuardedReceiver(receiver(hooks), options.caller.faults, end);
    // From here on, a revoked token or an administrator ends the answer with an error, which cancels the call.
    request.admitted.endForRevocation = this.#refuse;
  }

  #end(error?: GatewayError): void {
    if (this.#over) return;
    this.#over = true;
    this.#clock.clearTimeout(this.#retry);
    this.#clock.clearTimeout(this.#hedge);
    if (error && this.#receiver.givesUp(error, this.#request.again)) this.#giveUpRunning();
    else if (error) this.#leaveRunning(error.details.endedBy);
    this.#onEnd(error);
  }

  /** Takes the first route. */
  begin(): void {
    const first = this.#options.health.firstOf(this.#left);
    if (first) this.#next(first);
    else void this.#answerByEstimate();
  }

  /** Takes a route that is left. */
  #next(route: Route): void {
    const isOpen = this.#options.health.isOpen(route, this.#clock.now());
    // If it rests, the others of its model rest, too.
    this.#left = this.#left.filter(other => (isOpen ? other !== route : other.fallback !== route.fallback));
    this.#take(route, this.#taken === 0 ? 'first' : route.fallback ? 'fallback' : 'failover');
    this.#armHedge();
  }

  /** Sets the timer of the second attempt, which a request makes at most once. */
  #armHedge(): void {
    const { hedgeAfter } = this.#request;
    this.#clock.clearTimeout(this.#hedge);
    if (hedgeAfter !== undefined && this.#left.length > 0 && !this.#hedged)
      this.#hedge = this.#clock.setTimeout(() => this.#receiver.run(() => this.#takeBeside()), hedgeAfter);
  }

  /** Takes a second route while the first one has not answered, if the budget of retries allows it. */
  #takeBeside(): void {
    const [running] = this.#running;
    const open = this.#options.health.firstOpen(this.#left);
    if (open < 0 || !running || this.#answering) return;
    // The first attempt waits for a worker: a second one would wait behind it.
    if (!running.call?.worker) return this.#armHedge();
    if (!this.#options.health.retries.take('hedge')) return;
    this.#hedged = true;
    const [route] = this.#left.splice(open, 1);
    this.#take(route as Route, 'hedge');
  }

  #take(route: Route, cause: AttemptCause): void {
    const { body, textLength } = this.#bodies[route.body] as SentBody;
    const { envelope, entry } = this.#request;
    const openedAt = this.#clock.now();
    this.#request.admitted.usage = undefined;
    this.#announce(route);
    const tracked = this.#options.health.begin(route, openedAt, kindOf(envelope), this.#endsAt);
    const number = ++this.#taken;
    const span = entry?.trace?.attempt({ route, cause, number, envelope, openedAt });
    const attempt = new NotedAttempt({ route, cause, tracked, span, openedAt, clock: this.#clock });
    const trace = attempt.trace ?? entry?.trace?.headers;
    this.#running = appended(this.#running, attempt);
    entry?.took(attempt);
    attempt.call = this.#options.caller.call({
      pool: route.pool,
      envelope: {
        ...envelope,
        textLength,
        route,
        endsAt: this.#endsAt,
        ...(trace && { trace }),
      },
      body,
      queueMs: this.#options.queueMs,
      queueUntil: Math.min(openedAt + this.#queueMsLeft, this.#endsAt),
      lossesLeft: this.#lossesLeft,
      ...(this.#hadTurn && { again: true }),
      onEvents: (events, weight) => this.#received(attempt, events, weight),
      ...(!envelope.stream && { onHeld: (bytes: number) => this.#receiver.hold(bytes) }),
      onLost: () => {
        attempt.lost();
        this.#ended(attempt);
        this.#receiver.run(() => this.#take(route, 'lost-worker'));
      },
    });
  }

  #received(attempt: NotedAttempt, events: readonly GenerateEvent[], weight: number): void {
    try {
      this.#events(attempt, events, weight);
    } catch (thrown) {
      this.#receiver.broke(thrown);
    }
  }

  #events(attempt: NotedAttempt, events: readonly GenerateEvent[], weight: number): void {
    this.#request.entry?.received(weight);
    const last = events.at(-1);
    const failure = last?.type === 'error' ? fromErrorEvent(last, this.#options.fieldNames) : undefined;
    attempt.read(events, failure);
    if (last?.type === 'finish' && last.usage) this.#request.admitted.usage = last.usage;
    if (failure && events.length === 1 && !this.#answering && !this.#receiver.begun)
      return this.#failed(attempt, failure);
    if (!this.#answering) this.#chosen(attempt);
    this.#request.admitted.place?.cost?.answered(attempt, events);
    // Once a stream has begun there is no failover: the routes and their bodies can be freed.
    if (this.#request.envelope.stream && this.#left !== noRoutes) {
      this.#request.admitted.share.release();
      this.#left = noRoutes;
      this.#bodies = {};
      this.#fallbacks = undefined;
    }
    this.#receiver.write(events, weight);
  }

  /** Takes the answer of this attempt, and cancels the other one of a hedged request. */
  #chosen(attempt: NotedAttempt): void {
    this.#answering = attempt;
    this.#clock.clearTimeout(this.#hedge);
    for (const other of this.#running) if (other !== attempt) other.giveUp();
    this.#running = [attempt];
    this.#request.entry?.answers(attempt);
    if (this.#announced !== attempt.route) this.#announce(attempt.route);
  }

  #announce(route: Route): void {
    this.#announced = route;
    this.#options.onRoute?.(route);
  }

  /** Cancels the running attempts, since another one answers. */
  #giveUpRunning(): void {
    for (const attempt of this.#running.splice(0)) attempt.giveUp();
  }

  /** Cancels the running attempts, since the client left; it is charged for the first. `endedBy`: the administrator who ended the request. */
  #leaveRunning(endedBy: string | undefined): void {
    const [first] = this.#running.splice(0, 1);
    this.#giveUpRunning();
    if (first && !first.call?.done) this.#request.admitted.place?.cost?.left(first);
    first?.leave(endedBy);
  }

  /** Takes the failure of an attempt. */
  #failed(attempt: NotedAttempt, failure: GatewayError): void {
    this.#ended(attempt);
    if (failure.lostWorkers) this.#request.admitted.place?.cost?.left(attempt);
    this.#failures ??= new RouteFailures();
    if (!this.#failures.isRefused(attempt.route)) {
      this.#fallbacks?.failed(attempt.route, failure);
      this.#left = this.#failures.add(attempt.route, failure, this.#left);
    }
    // The other attempt of a hedged request may still answer.
    if (this.#running.length > 0) return;
    this.#goOn(attempt, failure);
  }

  /** Takes another route after an attempt failed, or one again after a wait; ends the answer with the error if neither may help. */
  #goOn(attempt: NotedAttempt, failure: GatewayError, hasWaited = false): void {
    if (this.#over) return;
    const { health } = this.#options;
    const isLate = this.#clock.now() >= this.#endsAt;
    const doubt = { since: attempt.openedAt, hasWaited };
    const next = isLate ? undefined : chooseFailover(this.#left, health, doubt);
    if (next?.waits)
      return health.follow(next.route, longestDoubtMs, hasOutcome =>
        this.#receiver.run(() => this.#goOn(attempt, failure, !hasOutcome)),
      );
    if (next) return this.#next(next.route);
    const { estimate, retries = 0 } = this.#request;
    if (estimate && !isLate && !this.#failures?.isRefused(attempt.route))
      return void this.#answerByEstimate();
    const { route, waitMs = 0 } = (isLate ? undefined : this.#failures?.retry(retries)) ?? {};
    if (!route || this.#clock.now() + waitMs >= this.#endsAt || !health.retries.take('retry'))
      return void this.#fallBack(attempt, failure).catch(thrown => this.#receiver.broke(thrown));
    this.#retry = this.#clock.setTimeout(() => this.#receiver.run(() => this.#take(route, 'retry')), waitMs);
  }

  /** Takes the routes of another model; ends the answer with the error if there is none. */
  async #fallBack(attempt: NotedAttempt, failure: GatewayError): Promise<void> {
    const other = this.#clock.now() < this.#endsAt ? await this.#fallbacks?.next() : undefined;
    if (!other) return this.#receiver.fail(this.#failures?.error(failure) ?? failure);
    this.#left = [...other.routes];
    this.#bodies = { ...this.#bodies, ...other.bodies };
    this.#goOn(attempt, failure);
  }

  /** Forgets an attempt that has ended, and subtracts what its call used of the request's bounds. */
  #ended(attempt: NotedAttempt): void {
    const { call } = attempt;
    this.#running = this.#running.filter(other => other !== attempt);
    if (this.#answering === attempt) this.#answering = undefined;
    this.#request.entry?.failed(this.#running[0]);
    if (!call) return;
    this.#hadTurn ||= call.accepted;
    this.#lossesLeft -= call.losses;
    this.#queueMsLeft = Math.max(0, this.#queueMsLeft - call.queuedMs);
  }

  async #answerByEstimate(): Promise<void> {
    const { estimate } = this.#request;
    if (!estimate) return this.#receiver.fail(new Failures().error);
    try {
      this.#receiver.write(await estimate(), 0);
    } catch (thrown) {
      this.#receiver.broke(thrown);
    }
  }
}

const noRoutes: Route[] = [];
