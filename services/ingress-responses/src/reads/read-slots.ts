import { GatewayError, overloaded } from '@model-gateway/canonical';
import type { Clock } from '@model-gateway/clock';

/** The most reads of the store that run at once in a process, and for one token. */
export const mostReads = { process: 16, token: 4 };
/** The most reads of one token that wait. */
export const mostWaiting = 1_000;
/** The longest wait for a place, in milliseconds. */
export const longestWaitMs = 10_000;

/** A read that waits. */
interface Waiting {
  start(): void;
}

/** The reads of one token. */
interface TokenReads {
  running: number;
  waiting: Set<Waiting>;
}

/** Lets a few reads of the store run at once for each token. Those of one token run in order. */
export class ReadSlots {
  readonly #clock: Clock;
  readonly #tokens = new Map<string, TokenReads>();
  #running = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Runs a read once its token has a place.
   * @throws GatewayError of kind `rate-limited` if too many wait, `overloaded` if no place becomes free; the signal's reason
   */
  async run<T>(tokenId: string, read: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const token = this.#tokens.get(tokenId) ?? { running: 0, waiting: new Set() };
    this.#tokens.set(tokenId, token);
    try {
      if (token.waiting.size === 0 && this.#hasSlot(token)) this.#start(token);
      else await this.#wait(token, signal);
    } catch (refusal) {
      this.#forget(tokenId, token);
      throw refusal;
    }
    try {
      signal?.throwIfAborted();
      return await read();
    } finally {
      token.running--;
      this.#running--;
      this.#forget(tokenId, token);
      this.#next();
    }
  }

  #hasSlot({ running }: TokenReads): boolean {
    return running < mostReads.token && this.#running < mostReads.process;
  }

  #start(token: TokenReads): void {
    token.running++;
    this.#running++;
  }

  async #wait(token: TokenReads, signal: AbortSignal | undefined): Promise<void> {
    if (token.waiting.size >= mostWaiting) throw tooMany();
    signal?.throwIfAborted();
    const place = Promise.withResolvers<void>();
    const waiting: Waiting = {
      start: () => {
        token.waiting.delete(waiting);
        this.#start(token);
        place.resolve();
      },
    };
    const refuse = (reason: unknown) => {
      // One that was started is not waiting any more.
      if (token.waiting.delete(waiting)) place.reject(reason);
    };
    token.waiting.add(waiting);
    const timer = this.#clock.setTimeout(() => refuse(tooSlow()), longestWaitMs);
    const leave = () => refuse(signal?.reason);
    signal?.addEventListener('abort', leave);
    try {
      await place.promise;
    } finally {
      this.#clock.clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
    }
  }

  /** Starts a waiting read of the token that runs the fewest; of those that run as many, of the one that has waited longest. */
  #next(): void {
    let next: [string, TokenReads] | undefined;
    for (const [tokenId, token] of this.#tokens)
      if (token.waiting.size > 0 && token.running < (next?.[1].running ?? mostReads.token))
        next = [tokenId, token];
    if (!next || !this.#hasSlot(next[1])) return;
    const [tokenId, token] = next;
    const [first] = token.waiting;
    first?.start();
    this.#tokens.delete(tokenId);
    this.#tokens.set(tokenId, token);
  }

  #forget(tokenId: string, token: TokenReads): void {
    if (token.running === 0 && token.waiting.size === 0 && this.#tokens.get(tokenId) === token)
      this.#tokens.delete(tokenId);
  }
}

function tooMany(): GatewayError {
  const message = `This token has ${mostWaiting} reads of stored responses waiting at this gateway process, where ${mostReads.token} run at once; wait until some have ended.`;
  return new GatewayError('rate-limited', message, { retryAfterMs: 1_000, share: true });
}

function tooSlow(): GatewayError {
  const message = `A read of the response store waited ${longestWaitMs / 1_000} s for one of the ${mostReads.token} that this token may run at once, or of the ${mostReads.process} of this gateway process. Retry later.`;
  return overloaded('response_reads_full', message, { retryAfterMs: 2_000 });
}
