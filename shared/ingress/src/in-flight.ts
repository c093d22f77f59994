import { Slab } from '@model-gateway/bus';
import type { GatewayError } from '@model-gateway/canonical';
import { Counter, Gauge, Histogram, type Registry } from '@model-gateway/service';
import type { LoggedEnd, RequestLines } from './request-line.ts';

/** A finished request, for logs and metrics. */
export interface Observed extends Omit<LoggedEnd, 'ms'> {
  /** Start of the request, by `performance.now()`. */
  startedAt: number;
}

export interface Observer {
  began(): void;
  ended(request: Observed): void;
}

const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** Creates an observer that counts, times and logs requests, with one log line each. */
export function createObserver(metrics: Registry, lines: RequestLines): Observer {
  const registers = [metrics];
  const labelNames = ['endpoint', 'model', 'status'] as const;
  const running = new Gauge({ name: 'gateway_requests_running', help: 'Requests being answered', registers });
  const time = new Histogram({
    name: 'gateway_request_seconds',
    help: 'From a request to the end of its answer',
    labelNames,
    buckets: seconds,
    registers,
  });
  const errors = new Counter({
    name: 'gateway_errors_total',
    help: 'Failed requests by kind',
    labelNames: ['endpoint', 'kind'],
    registers,
  });
  return {
    began: () => running.inc(),
    ended({ startedAt, ...request }) {
      const { endpoint, model, status, error } = request;
      const ms = performance.now() - startedAt;
      running.dec();
      time.labels(endpoint, model, String(status)).observe(ms / 1000);
      if (error) errors.inc({ endpoint, kind: error.kind });
      lines.write({ ...request, ms });
    },
  };
}

/** A response that is being written. */
interface OpenAnswer {
  check(now: number): void;
  fail(error: GatewayError): void;
}

/** The responses that a process is writing, each checked once a second until it is closed. */
export class OpenAnswers {
  readonly #answers = new Slab<OpenAnswer>();
  readonly #timer = setInterval(() => this.#check(), 1_000).unref();

  /** Returns the response's place, for `remove`. */
  add(answer: OpenAnswer): number {
    return this.#answers.add(answer);
  }

  remove(place: number, answer: OpenAnswer): void {
    this.#answers.remove(place, answer);
  }

  /** Ends all responses with an error, for a shutdown. */
  close(error: GatewayError): void {
    clearInterval(this.#timer);
    for (const answer of this.#answers) answer.fail(error);
  }

  #check(): void {
    const now = Date.now();
    for (const answer of this.#answers) answer.check(now);
  }
}
