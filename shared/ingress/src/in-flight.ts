import { type Faults, Slab } from '@model-gateway/bus';
import { type GatewayError, toGatewayError } from '@model-gateway/canonical';
import type { Clock, Timer } from '@model-gateway/clock';
import { BoundedNames, Children, counter, gauge, histogram, type Registry } from '@model-gateway/service';
import type { LoggedEnd, RequestLines } from './request-line.ts';

/** A finished request, for logs and metrics. */
export interface Observed extends Omit<LoggedEnd, 'ms'> {
  /** The token's project. */
  project?: string;
  /** Time to the first part of a streamed answer, in milliseconds; absent if there was none. */
  firstMs?: number | undefined;
  /** Start of the request, by the monotonic clock. */
  startedAt: number;
}

export interface Observer {
  began(): void;
  ended(request: Observed): void;
}

/**
 * Creates an observer that counts, times and logs requests, with one log line each. `record` takes each request that failed, or took
 * several attempts.
 */
export function createObserver(
  metrics: Registry,
  lines: RequestLines,
  clock: Clock,
  record: (request: Observed) => void,
): Observer {
  let running = 0;
  gauge(metrics, 'gateway_requests_running', () => running);
  const measure = measureRequests(metrics);
  return {
    began: () => void running++,
    ended(request) {
      const ms = clock.monotonic() - request.startedAt;
      running--;
      measure(request, ms);
      lines.write({ ...request, ms });
      if (request.error || (request.entry && request.entry.attempts > 1)) record(request);
    },
  };
}

/** Returns the function that measures each request once it has ended, after `ms` milliseconds. */
function measureRequests(metrics: Registry): (request: Observed, ms: number) => void {
  const time = histogram(metrics, 'gateway_request_seconds');
  const first = histogram(metrics, 'gateway_first_token_seconds');
  const ofProject = counter(metrics, 'gateway_project_requests_total');
  const errors = counter(metrics, 'gateway_errors_total');
  const times = new Children((endpoint, model, status) => time.labels(endpoint, model, status));
  const firsts = new Children((endpoint, model) => first.labels(endpoint, model));
  const projects = new Children((project, status) => ofProject.labels(project, status));
  const names = new BoundedNames();
  return ({ endpoint, model, status, project, firstMs, error }, ms) => {
    times.of(endpoint, model, String(status)).observe(ms / 1_000);
    if (firstMs !== undefined) firsts.of(endpoint, model).observe(firstMs / 1_000);
    if (project !== undefined) projects.of(names.of(project), String(status)).inc();
    if (error) errors.inc({ endpoint, kind: error.kind });
  };
}

/** A response that is being written. */
interface OpenAnswer {
  check(now: number): void;
  fail(error: GatewayError): void;
}

/** The responses that a process is writing, each checked once a second until it is closed. */
export class OpenAnswers {
  /** The time by which they are checked. */
  readonly clock: Clock;
  /** Takes what their callbacks throw. */
  readonly faults: Faults;
  readonly #answers = new Slab<OpenAnswer>();
  /** Returns the time, in seconds since 1970. */
  readonly seconds = () => Math.floor(this.clock.now() / 1_000);
  readonly #timer: Timer;

  constructor(clock: Clock, faults: Faults) {
    this.clock = clock;
    this.faults = faults;
    this.#timer = clock.setInterval(() => this.#check(), 1_000).unref();
  }

  /** Returns the response's place, for `remove`. */
  add(answer: OpenAnswer): number {
    return this.#answers.add(answer);
  }

  remove(place: number, answer: OpenAnswer): void {
    this.#answers.remove(place, answer);
  }

  /** Ends all responses with an error, for a shutdown. */
  close(error: GatewayError): void {
    this.clock.clearInterval(this.#timer);
    for (const answer of this.#answers) this.faults.run('answer', () => answer.fail(error));
  }

  #check(): void {
    const now = this.clock.now();
    for (const answer of this.#answers) {
      try {
        answer.check(now);
      } catch (thrown) {
        this.faults.report('answer', thrown);
        this.faults.run('answer', () => answer.fail(toGatewayError(thrown)));
      }
    }
  }
}
