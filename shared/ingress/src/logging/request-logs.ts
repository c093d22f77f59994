import { createHash } from 'node:crypto';
import { type Bus, LoggedRequestWriter } from '@model-gateway/bus';
import type { Logging } from '@model-gateway/catalog';
import type { Clock } from '@model-gateway/clock';
import type { GatewayRequest } from '@model-gateway/formats/client';
import { countedElsewhere, gauge, type ServiceContext } from '@model-gateway/service';
import { Redactor } from './excerpt.ts';
import { type LoggedEnd, type LoggedFacts, RequestLog } from './request-log.ts';

/** The most bytes of texts that a process captures at once. Requests beyond that are not logged. */
export const maxCapturedBytes = 64 * 1024 * 1024;

/** The longest wait for the end of a response after that of its request, in milliseconds. */
const closeMs = 60_000;

/** A log of one request, until the request has ended. */
export interface OpenLog extends Pick<RequestLog, 'read' | 'through' | 'beforeFraming'> {
  /** Notes the model that was asked for. A request that counts tokens asks none, and is not logged. */
  parsed(request: Pick<GatewayRequest, 'type' | 'model'>): void;
  end(end: LoggedEnd): void;
  /** Logs nothing of the request: it asks no model, or is logged when it runs. */
  discard(): void;
}

/** Logs requests of projects with request logging. */
export class RequestLogs {
  readonly #clock: Clock;
  readonly #writer: LoggedRequestWriter;
  readonly #log: ServiceContext['log'];
  readonly #redactors = new WeakMap<Logging, Redactor>();
  readonly #ending = new Map<RequestLog, Promise<void>>();
  #captured = 0;
  #dropped = 0;

  constructor(bus: Bus, { log, metrics }: Pick<ServiceContext, 'log' | 'metrics'>) {
    this.#clock = bus.clock;
    this.#log = log;
    this.#writer = new LoggedRequestWriter(bus, {
      onWaiting: error => log.warn({ err: error }, 'logged requests wait for NATS'),
    });
    countedElsewhere(metrics, 'gateway_logged_requests_dropped_total', () => this.dropped);
    gauge(metrics, 'gateway_logged_requests_waiting_bytes', () => this.#writer.waitingBytes);
  }

  /** Number of logged requests that were dropped. */
  get dropped(): number {
    return this.#dropped + this.#writer.dropped;
  }

  /** Begins to log a request; undefined if it is not in the project's sample. */
  open(facts: LoggedFacts): OpenLog | undefined {
    if (!isSampled(facts.requestId, facts.logging.sample)) return undefined;
    let held = 0;
    let complete = true;
    let discarded = false;
    const log = new RequestLog(facts, this.#clock, bytes => {
      if (discarded) return false;
      complete &&= bytes < 0 || this.#captured + bytes <= maxCapturedBytes;
      if (!complete && bytes > 0) return false;
      held += bytes;
      this.#captured += bytes;
      return true;
    });
    const release = () => {
      this.#captured -= held;
      held = 0;
    };
    const discard = () => {
      discarded = true;
      release();
    };
    return {
      read: received => log.read(received),
      parsed({ type, model }) {
        log.model = model;
        if (type === 'count-tokens') discard();
      },
      through: sink => log.through(sink),
      beforeFraming: framing => log.beforeFraming(framing),
      end: end => {
        if (discarded) return;
        const ending = this.#end(log, facts.logging, end, () => complete).finally(() => {
          release();
          this.#ending.delete(log);
        });
        this.#ending.set(log, ending);
      },
      discard,
    };
  }

  /** Sends the requests that have ended. */
  async close(): Promise<void> {
    for (const log of this.#ending.keys()) log.close();
    await Promise.all(this.#ending.values());
    await this.#writer.close();
  }

  async #end(log: RequestLog, logging: Logging, end: LoggedEnd, isComplete: () => boolean): Promise<void> {
    try {
      const timer = this.#clock.setTimeout(() => log.close(), closeMs).unref();
      await log.closed();
      this.#clock.clearTimeout(timer);
      if (!isComplete()) this.#dropped++;
      else this.#writer.add(await log.end(this.#redactorOf(logging), end));
    } catch (error) {
      // A text that cannot be redacted is not stored.
      this.#dropped++;
      this.#log.error({ err: error }, 'a request could not be logged');
    }
  }

  #redactorOf(logging: Logging): Redactor {
    const known = this.#redactors.get(logging);
    if (known) return known;
    const redactor = new Redactor(logging);
    this.#redactors.set(logging, redactor);
    return redactor;
  }
}

/** True if a request is in a sample: the same for each part of it, at every ingress. */
export function isSampled(requestId: string, sample: number): boolean {
  const share = createHash('sha256').update(requestId).digest().readUInt32BE() / 2 ** 32;
  return share < sample;
}
