import { type Bus, FleetAsker } from '@model-gateway/bus';
import {
  comparePlaces,
  type GatewayError,
  type OverloadReason,
  overloaded,
  type RunningChange,
  type RunningCount,
  type RunningFilter,
  type RunningPlace,
  type RunningQuestion,
  type RunningRequest,
} from '@model-gateway/canonical';
import type { Clock, Timer } from '@model-gateway/clock';
import { whenConnected } from '../common/when-connected.ts';

/** Interval at which processes are told that changes are followed, in milliseconds. */
const renewMs = 2_000;
/** Time for which they then send changes, in milliseconds. */
const leaseMs = 3 * renewMs;
/** The longest wait until the NATS server knows of a follower, in milliseconds. */
const flushMs = 1_000;
/** The most followers of one control, and of one caller there. */
export const mostFollowers = 32;
export const mostOfCaller = 8;
/** The most questions of one control at once. */
export const mostQuestions = 16;

/** A receiver of changes. */
export interface Follower {
  /** The one who follows. */
  readonly caller: string;
  /** Receives a change. */
  changed(change: RunningChange): void;
  /** Receives the number of changes that a process left out. */
  missed(changes: number): void;
  /** Called when control stops. */
  stop(): void;
}

/** Requests in flight at all processes, in the order of their start. */
interface RunningList {
  requests: RunningRequest[];
  /** The number of requests that the filter names. */
  total: number;
  /** The processes that did not answer. */
  unanswered: string[];
}

/** The requests in flight at all processes of the gateway, by questions over the bus. */
export class RunningFleet {
  #asker: FleetAsker | undefined;
  readonly #followers = new Set<Follower>();
  /** Questions that are not answered yet. */
  #asking = 0;
  readonly #clock: Clock;
  #renewing: Timer | undefined;

  constructor(bus: () => Promise<Bus>, signal: AbortSignal, clock: Clock) {
    this.#clock = clock;
    void whenConnected(bus, signal).then(connected => {
      if (!connected || signal.aborted) return;
      const asker = new FleetAsker(connected);
      asker.onNew = () => this.#renew();
      this.#asker = asker;
    });
    signal.addEventListener('abort', () => this.#close(), { once: true });
  }

  /** Lists requests, oldest first, from those after a place on. @throws GatewayError if NATS cannot be reached */
  async list(
    filter: RunningFilter,
    { limit, after }: { limit: number; after: RunningPlace | undefined },
  ): Promise<RunningList> {
    const { items, lasts, unanswered } = await this.#ask({ type: 'list', filter, after, limit });
    const sorted = items.sort(comparePlaces);
    const total = lasts.reduce((sum, last) => sum + last.total, 0);
    return { requests: sorted.slice(0, limit), total, unanswered };
  }

  /** Finds a request by its id. @throws GatewayError if NATS cannot be reached, or if a process that may have it did not answer */
  async find(requestId: string): Promise<RunningRequest | undefined> {
    const { items, unanswered } = await this.#ask({ type: 'find', requestId });
    if (items.length === 0 && unanswered.length > 0) throw noAnswer(unanswered);
    return items[0];
  }

  /**
   * Ends a request. `by`: the administrator. Also returns the processes that may have it, did not answer, and may still end it.
   * @throws GatewayError if NATS cannot be reached
   */
  async end(requestId: string, by: string): Promise<{ ended: boolean; unanswered: string[] }> {
    const { items, unanswered } = await this.#ask({ type: 'end', requestId, by });
    return items.length > 0 ? { ended: true, unanswered: [] } : { ended: false, unanswered };
  }

  /**
   * Passes the changes of all requests to a follower, until the returned function is called. Resolves once it would get them.
   * @throws GatewayError if NATS cannot be reached, or if there are too many followers
   */
  async follow(follower: Follower): Promise<() => void> {
    if (!this.#asker) throw unreachable();
    const ofCaller = [...this.#followers].filter(({ caller }) => caller === follower.caller).length;
    if (this.#followers.size >= mostFollowers || ofCaller >= mostOfCaller)
      throw tooMany(
        'request_followers_full',
        'follow',
        `${mostFollowers}, and ${mostOfCaller} of one caller`,
        10_000,
      );
    this.#followers.add(follower);
    if (this.#followers.size === 1) this.#begin(this.#asker);
    await Promise.race([this.#asker.flushed(), this.#clock.sleep(flushMs)]);
    return () => {
      if (this.#followers.delete(follower) && this.#followers.size === 0) this.#end();
    };
  }

  /** Ends all followers, as control stops. */
  stopFollowers(): void {
    for (const follower of this.#followers) follower.stop();
  }

  #begin(asker: FleetAsker): void {
    asker.listen(({ changes, missed = 0 }) => {
      for (const follower of this.#followers) {
        if (missed > 0) follower.missed(missed);
        for (const change of changes as RunningChange[]) follower.changed(change);
      }
    });
    this.#renewing = this.#clock.setInterval(() => this.#renew(), renewMs);
    this.#renew();
  }

  #renew(): void {
    if (this.#followers.size > 0) this.#asker?.follow(leaseMs);
  }

  /** Stops listening; the processes stop by themselves. */
  #end(): void {
    this.#clock.clearInterval(this.#renewing);
    this.#asker?.listen(undefined);
  }

  async #ask(question: RunningQuestion) {
    if (!this.#asker) throw unreachable();
    if (this.#asking >= mostQuestions)
      throw tooMany('request_queries_full', 'ask for', String(mostQuestions), 1_000);
    const one = question.type !== 'list';
    this.#asking++;
    try {
      return await this.#asker.ask<RunningRequest, RunningCount>(question, { one });
    } catch {
      throw unreachable();
    } finally {
      this.#asking--;
    }
  }

  #close(): void {
    this.stopFollowers();
    this.#end();
    this.#asker?.close();
  }
}

/** The error for a request that was looked for in vain, while some processes did not answer. */
export function noAnswer(processes: readonly string[]): GatewayError {
  const message = `Some processes did not answer: ${processes.join(', ')}.`;
  return overloaded('processes_silent', message, { retryAfterMs: 1_000 });
}

function unreachable(): GatewayError {
  return overloaded('bus_unavailable', 'NATS cannot be reached.', { retryAfterMs: 1_000 });
}

/** `what`: the thing that too many do; `most`: the bound. */
export function tooMany(
  reason: OverloadReason,
  what: string,
  most: string,
  retryAfterMs: number,
): GatewayError {
  const message = `Too many clients ${what} the requests in flight: a control has at most ${most}.`;
  return overloaded(reason, message, { retryAfterMs });
}
