import type { Timeouts } from '@model-gateway/canonical';
import type { Catalog } from '@model-gateway/catalog';
import type { Clock, Timer } from '@model-gateway/clock';
import { Children, counter, histogram, otherName, type Registry } from '@model-gateway/service';

/** The gaps between the chunks of one stream. Times are in milliseconds. */
interface StreamGaps {
  /** Chunks after the first one. */
  readonly chunks: number;
  readonly totalMs: number;
  readonly longestMs: number;
}

/** Measures the stream of a provider once it has ended. */
export type MeasureStream = (provider: string, gaps: StreamGaps) => void;

/** The part of an answer that is waited for: data, its end mark alone, or an end mark before which more may come. */
export type Awaited = 'data' | 'mark' | 'more';

/** Time for a response to end after its answer is complete. */
const lingerMs = 2_000;
/** Time to wait for the end mark, such as `[DONE]`, of an answer that is complete without it: alone, and if more may come before it. */
export const endMarkMs = { mark: 2_000, more: 10_000 };

/** The delay of a timer that shows that the worker stood still, and the time to read the bytes that came meanwhile, in milliseconds. */
const stillMs = 1_000;

const lateMessages = {
  firstToken: 'The upstream sent no token within the first-token timeout',
  idle: 'The upstream sent no data within the idle timeout',
};

/** Called when a timeout expires. */
interface Expired {
  /** The upstream was too slow; the message says in which way. */
  late(message: string): void;
  /** The end mark of a complete answer did not come. */
  unmarked(): void;
}

/** The timeouts of one attempt: in total, and for what it waits for next. It knows the gaps between the chunks of a stream. */
export class AttemptTimers implements StreamGaps {
  chunks = 0;
  totalMs = 0;
  longestMs = 0;
  readonly #timeouts: Timeouts;
  readonly #expired: Expired;
  readonly #clock: Clock;
  readonly #total: Timer;
  #next: Timer | undefined;
  /** True if `#next` is the idle timeout, perhaps stopped by a pause. */
  #isIdle = false;
  /** Time of the last data or, before any, of the request, in milliseconds of the monotonic clock. */
  #heardAt = 0;

  /** Starts the total timeout. */
  constructor(timeouts: Timeouts, clock: Clock, expired: Expired) {
    this.#timeouts = timeouts;
    this.#expired = expired;
    this.#clock = clock;
    this.#total = clock.setTimeout(
      () => expired.late('The upstream did not finish within the total timeout'),
      timeouts.total,
    );
  }

  /** Starts the first-token timeout. */
  awaitFirst(): void {
    this.#heardAt = this.#clock.monotonic();
    this.#awaitData('firstToken');
  }

  /** Restarts the first-token timeout, since data without an answer arrived: a comment, which local servers send while they read a long prompt. */
  alive(): void {
    this.#heardAt = this.#clock.monotonic();
  }

  /**
   * Restarts the idle timeout, since a part of the answer arrived. Its timer stays: when it is due, it is set again for the rest of the
   * time. A complete answer waits for its end mark.
   */
  heard(awaits: Awaited): void {
    if (!this.#isIdle) return this.resume(awaits);
    const now = this.#clock.monotonic();
    this.#gap(now - this.#heardAt);
    if (awaits === 'data') this.#heardAt = now;
    else this.resume(awaits);
  }

  #gap(ms: number): void {
    this.chunks++;
    this.totalMs += ms;
    if (ms > this.longestMs) this.longestMs = ms;
  }

  /** Stops waiting, as while the client has no credit. The total timeout goes on. */
  pause(): void {
    this.#clock.clearTimeout(this.#next);
  }

  /** Waits again. */
  resume(awaits: Awaited): void {
    this.#clock.clearTimeout(this.#next);
    this.#isIdle = awaits === 'data';
    if (awaits === 'data') {
      this.#heardAt = this.#clock.monotonic();
      this.#awaitData('idle');
    } else {
      const ms = Math.min(this.#timeouts.idle, endMarkMs[awaits]);
      this.#next = this.#clock.setTimeout(() => this.#expired.unmarked(), ms);
    }
  }

  #awaitData(limit: 'firstToken' | 'idle', ms = this.#timeouts[limit]): void {
    const dueAt = this.#clock.monotonic() + ms;
    this.#next = this.#clock.setTimeout(() => {
      const now = this.#clock.monotonic();
      // A timer may be up to 1 ms early.
      const left = this.#heardAt + this.#timeouts[limit] - now;
      if (left > 1) this.#awaitData(limit, left);
      // Timers run before what the upstream has sent is read.
      else if (now - dueAt > stillMs) this.#awaitData(limit, stillMs);
      else this.#expired.late(lateMessages[limit]);
    }, ms);
  }

  stop(): void {
    this.#clock.clearTimeout(this.#total);
    this.#clock.clearTimeout(this.#next);
  }

  /** Stops, and calls `abort` unless the response of the complete answer ends soon: see `pause`. */
  linger(abort: () => void): void {
    this.stop();
    this.#next = this.#clock.setTimeout(abort, lingerMs);
  }
}

/** Returns the function that measures streams, by their providers in the catalog. */
export function measureStreams(catalog: Pick<Catalog, 'provider'>, metrics: Registry): MeasureStream {
  const chunks = counter(metrics, 'gateway_stream_chunks_total');
  const gaps = counter(metrics, 'gateway_stream_gap_seconds_total');
  const longest = histogram(metrics, 'gateway_stream_longest_gap_seconds');
  const providers = new Children(provider => ({
    chunks: chunks.labels(provider),
    gaps: gaps.labels(provider),
    longest: longest.labels(provider),
  }));
  return (provider, stream) => {
    if (stream.chunks === 0) return;
    const of = providers.of(catalog.provider(provider) ? provider : otherName);
    of.chunks.inc(stream.chunks);
    of.gaps.inc(stream.totalMs / 1_000);
    of.longest.observe(stream.longestMs / 1_000);
  };
}
